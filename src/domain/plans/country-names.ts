/** Patterns of country names in English and Latvian text, from CLDR. */
import { atFirstUse } from "../../core/model/first-use.ts";
import { cldrNames, countryCodes } from "../trade/cldr-names.ts";
import { isReporter, partnerName } from "../trade/reporters.ts";

/** `begin`: the first letters of each form, in lower case. Most texts contain few of them, and patterns are slow to make. */
type CountryPattern = { code: string; begin: string; pattern: () => RegExp };

/** All countries, the longest names first, so that Guinea-Bissau is not Guinea. */
export const countryNames = atFirstUse((): readonly CountryPattern[] => namesOfAll());

function namesOfAll(): CountryPattern[] {
  const [english, latvian] = [cldrNames("en"), cldrNames("lv")];
  const all = countryCodes().flatMap((code) => [
    ...[
      english(code),
      isReporter(code) ? partnerName(code) : undefined,
      ...(furtherNames[code] ?? []),
    ].flatMap((name) => (name ? { code, name, source: escaped(name), flags: "giu" } : [])),
    // Latvian declines its names, and writes them with a capital; "gana" is a word, and Gana a country.
    ...[latvian(code)].flatMap((name) => (name ? { code, name, source: declined(name), flags: "gu" } : [])),
  ]);
  return all
    .sort((a, b) => b.name.length - a.name.length || (a.code < b.code ? -1 : 1))
    .map(({ code, name, source, flags }) => {
      let pattern: RegExp | undefined;
      return {
        code,
        begin: name.slice(0, 3).toLowerCase(),
        pattern: () => (pattern ??= new RegExp(`(?<![\\p{L}\\p{N}])${source}(?![\\p{L}\\p{N}])`, flags)),
      };
    });
}

/** Common names that CLDR lacks. */
const furtherNames: Record<string, string[]> = {
  AE: ["Emirates", "UAE"],
  CZ: ["Czech Republic"],
  GB: ["Britain", "Great Britain"],
  KR: ["Korea"],
  NL: ["Holland"],
  TR: ["Turkey"],
  US: ["USA", "America"],
};

const escaped = (name: string) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" ", "\\s+");

/** Each word's stem with the endings that it may have. */
const declined = (name: string) =>
  name
    .split(" ")
    .map((word) =>
      word.length < 4
        ? escaped(word)
        : `${escaped(word.replace(/[aāeēiīuūsš]{1,2}$/, ""))}[aāeēiīuūsšmo]{1,3}`,
    )
    .join("\\s+");
