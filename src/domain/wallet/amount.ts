/** Amounts of tokens: decimal strings outside, integers of the smallest unit inside. */
import { formatUnits, parseUnits } from "viem/utils";

/** `1500000000000000000n` of a token with 18 decimals is "1.5". */
export const decimalOf = (amount: bigint, decimals: number): string => formatUnits(amount, decimals);

/** A requested decimal: no sign, no exponent, at most 18 places. */
export const DECIMAL = /^\d{1,30}(?:\.\d{1,18})?$/;

/** The integer of a decimal; undefined where it has more places than the token. */
export function unitsOf(decimal: string, decimals: number): bigint | undefined {
  const places = decimal.replace(/0+$/, "").split(".")[1]?.length ?? 0;
  return decimal.includes(".") && places > decimals ? undefined : parseUnits(decimal, decimals);
}
