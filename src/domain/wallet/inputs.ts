/** What callers write of wallets: addresses, recipients, amounts. */
import { isAddress } from "viem/utils";
import { z } from "zod";
import type { Hex } from "../ports.ts";
import { MOST_RECIPIENTS } from "./airdrop-contract.ts";
import { DECIMAL, unitsOf } from "./amount.ts";

const ADDRESS = "is an address: 0x and 40 hex digits, in lower case or with the checksum of EIP-55";

/** An address as callers write it; in lower case once it is read. */
export const account = z
  .string(ADDRESS)
  .refine((text) => isAddress(text), ADDRESS)
  .transform((text) => text.toLowerCase() as Hex);

const NOBODY = `0x${"0".repeat(40)}`;

export const recipients = z
  .array(account, "is a list of addresses")
  .min(1, "names at least one recipient")
  .max(MOST_RECIPIENTS, `names at most ${MOST_RECIPIENTS} recipients; ask for several airdrops`)
  .superRefine((accounts, context) => {
    for (const [at, one] of accounts.entries()) {
      const first = accounts.indexOf(one);
      const message =
        one === NOBODY
          ? "is the zero address, which is nobody's"
          : first < at && `is recipient ${first} again`;
      if (message) context.addIssue({ code: "custom", path: [at], message });
    }
  });

const MOST_EACH = 10_000;
const PLACES = 18;
const AMOUNT = `is a decimal from 0 to ${MOST_EACH} with at most ${PLACES} places; a string keeps them all`;

/** Tokens for each recipient, as a decimal once it is read. */
export const amountEach = z
  .union([z.number(), z.string()], AMOUNT)
  .transform(String)
  .refine(
    (text) => DECIMAL.test(text) && unitsOf(text, PLACES)! <= BigInt(MOST_EACH) * 10n ** BigInt(PLACES),
    AMOUNT,
  );
