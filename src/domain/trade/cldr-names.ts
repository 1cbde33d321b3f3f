/** Country codes of the statistics, and CLDR's names of them. */
import { isReporter, unknownPartner } from "./reporters.ts";

/** All two-letter codes of reporters and partners. */
export function countryCodes(): string[] {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes.filter((code) => isReporter(code) || unknownPartner(code) === undefined);
}

/** CLDR names a withdrawn code after its successor, and codes of the statistics not at all. */
const isCurrent = (code: string) => !/^Q|^X[^K]/.test(code) && new Intl.Locale(`und-${code}`).region === code;

/** CLDR's name of a code in a language; undefined for withdrawn and statistical codes. */
export function cldrNames(language: string): (code: string) => string | undefined {
  const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
  return (code) => (isCurrent(code) ? names.of(code) : undefined);
}
