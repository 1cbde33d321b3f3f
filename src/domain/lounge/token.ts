/** Amounts of the platform token: 18 decimals, a decimal string outside, whole atto (10^-18) inside. */
import { decimalOf } from "../wallet/amount.ts";

export const DECIMALS = 18;
export const ATTO = 10n ** BigInt(DECIMALS);

/** 1500000000000000000n -> "1.5". */
export const decimalTokens = (atto: bigint): string => decimalOf(atto, DECIMALS);

/** A bet's amount, a number or decimal string of at most six decimals, exactly; undefined for any other. */
export function attoOf(tokens: number | string): bigint | undefined {
  const [, whole, fraction = ""] = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(String(tokens)) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(DECIMALS, "0"));
}
