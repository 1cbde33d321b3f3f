/** Which accounts have code, asked for many in one call: a program that is run as if it were deployed, and never is. */
import type { Hex } from "../core/model/chain.ts";

/**
 * Replaces each 32-byte word behind itself, an address, by EXTCODESIZE of it, and returns the words:
 * size = CODESIZE - 31; CODECOPY(0, 31, size); for (p = size; p > 0;) { p -= 32; MSTORE(p, EXTCODESIZE(MLOAD(p))) }
 */
const PROGRAM = "0x601f803803809160003980 5b8015601d5760209003 80513b8152600b56 5bf3".replaceAll(" ", "");

/** A node takes what is returned for the code of a contract, which has 24,576 bytes at most (EIP-170). */
export const MOST_ACCOUNTS = 500;

export const codeSizesCall = (accounts: readonly Hex[]): { data: Hex } => ({
  data: `${PROGRAM}${accounts.map((account) => account.slice(2).padStart(64, "0")).join("")}` as Hex,
});

export const haveCode = (answer: Hex): boolean[] =>
  (answer.slice(2).match(/.{64}/g) ?? []).map((word) => /[^0]/.test(word));
