/** Hashes in the chain's notation: 0x and hex digits. */
import type { Hex } from "../core/model/chain.ts";

export const hexOf = (hash: Buffer): Hex => `0x${hash.toString("hex")}`;

export const bytesOf = (hex: Hex): Buffer => Buffer.from(hex.slice(2), "hex");
