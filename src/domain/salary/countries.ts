/** The countries of salary data by ISO 3166 code, in the groups of the statistics. */
import { closest } from "fastest-levenshtein";
import { reporterCodes, reporters } from "../trade/reporters.ts";

export const countryGroups = ["EU27", "EFTA", "CANDIDATE"] as const;
export type CountryGroup = (typeof countryGroups)[number];

const efta = { CH: "Switzerland", IS: "Iceland", LI: "Liechtenstein", NO: "Norway" } as const;

/** Candidates for membership; Kosovo is a potential one. */
const candidates = {
  AL: "Albania",
  BA: "Bosnia and Herzegovina",
  GE: "Georgia",
  MD: "Moldova",
  ME: "Montenegro",
  MK: "North Macedonia",
  RS: "Serbia",
  TR: "Türkiye",
  UA: "Ukraine",
  XK: "Kosovo",
} as const;

const names = { ...reporters, ...efta, ...candidates };
export type CountryCode = keyof typeof names;

export const countryCodes = Object.keys(names).sort() as CountryCode[];

/** A country's English name. */
export const countryName = (code: CountryCode): string => names[code];

export const groupOf = (code: CountryCode): CountryGroup =>
  Object.hasOwn(reporters, code) ? "EU27" : Object.hasOwn(efta, code) ? "EFTA" : "CANDIDATE";

export const isPotentialCandidate = (code: CountryCode) => code === "XK";

export const codesOf = (group: CountryGroup | undefined): CountryCode[] =>
  countryCodes.filter((code) => group === undefined || groupOf(code) === group);

const isCountry = (code: string): code is CountryCode => Object.hasOwn(names, code);

/** The Union of 27 as one area, next to its members. */
export const EU27 = "EU27";

/** Our code of an area that Eurostat names: it writes EL for Greece, UK for the United Kingdom, EU27_2020 for the Union. */
export const areaOf = (geo: string): string => ({ EL: "GR", UK: "GB", EU27_2020: EU27 })[geo] ?? geo;

/** The error for an unknown country; undefined for a known one. */
export function unknownCountry(code: string): string | undefined {
  if (isCountry(code)) return undefined;
  const upper = code.trim().toUpperCase();
  if (isCountry(upper)) return `country codes are upper case: ${upper}`;
  if (upper === "EL") return "Greece is GR here, not EL";
  if (upper === "EU27" || upper === "EU") return "the EU27 is part of every answer; do not list it";
  const named = countryCodes.find((known) => names[known].toUpperCase() === upper);
  if (named) return `${names[named]} is ${named}`;
  const [eu, other] = [reporterCodes, codesOf("EFTA").concat(codesOf("CANDIDATE"))];
  const nearest = upper.length === 2 ? closest(upper, countryCodes) : nearestByName(upper);
  return `there is no country ${upper.slice(0, 40)}; the nearest is ${nearest} (${names[nearest as CountryCode]}); there are the ${eu.length} of the EU and ${other.join(", ")}`;
}

function nearestByName(text: string): CountryCode {
  const name = closest(
    text.slice(0, 40),
    countryCodes.map((code) => names[code].toUpperCase()),
  );
  return countryCodes.find((code) => names[code].toUpperCase() === name)!;
}
