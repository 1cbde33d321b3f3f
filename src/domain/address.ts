/** Addresses as callers write them. */
import { isAddress } from "viem/utils";
import { z } from "zod";
import type { Hex } from "./chain.ts";

/** An account on the chain, in lower case or with the checksum of EIP-55; a typing error in the latter is found. */
export const walletAddress = z
  .string()
  .regex(/^0x(?!0{40}$)[0-9a-fA-F]{40}$/, "is an address: 0x and 40 hex digits, not all of them 0")
  .refine((text) => !/^0x[0-9a-fA-F]{40}$/.test(text) || isAddress(text), {
    message: "is mistyped: its capitals are not those of EIP-55; copy it again, or write it in lower case",
  });

/** As it stands in events and topics. */
export const lowerCase = (hex: string): Hex => hex.toLowerCase() as Hex;
