/** Finds which accounts have code, many in one call: the program runs as deployment code, but is never deployed. */
import type { Hex } from "../core/model/chain.ts";

/**
 * Replaces each 32-byte word after the program, an address, by its EXTCODESIZE, and returns the words: size =
 * CODESIZE - 31; CODECOPY(0, 31, size); for (p = size; p > 0;) { p -= 32; MSTORE(p, EXTCODESIZE(MLOAD(p))) }
 */
const PROGRAM = "0x601f803803809160003980 5b8015601d5760209003 80513b8152600b56 5bf3".replaceAll(" ", "");

/** A node treats the returned bytes as contract code, which is at most 24,576 bytes (EIP-170). */
export const MOST_ACCOUNTS = 500;

export const codeSizesCall = (accounts: readonly Hex[]): { data: Hex } => ({
  data: `${PROGRAM}${accounts.map((account) => account.slice(2).padStart(64, "0")).join("")}` as Hex,
});

export const haveCode = (answer: Hex): boolean[] =>
  (answer.slice(2).match(/.{64}/g) ?? []).map((word) => /[^0]/.test(word));
