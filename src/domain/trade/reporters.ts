/** The 27 reporting countries by ISO 3166 code; Greece is GR here, EL at Eurostat. */
import { z } from "zod";

export const reporters = {
  AT: "Austria",
  BE: "Belgium",
  BG: "Bulgaria",
  CY: "Cyprus",
  CZ: "Czechia",
  DE: "Germany",
  DK: "Denmark",
  EE: "Estonia",
  ES: "Spain",
  FI: "Finland",
  FR: "France",
  GR: "Greece",
  HR: "Croatia",
  HU: "Hungary",
  IE: "Ireland",
  IT: "Italy",
  LT: "Lithuania",
  LU: "Luxembourg",
  LV: "Latvia",
  MT: "Malta",
  NL: "Netherlands",
  PL: "Poland",
  PT: "Portugal",
  RO: "Romania",
  SE: "Sweden",
  SI: "Slovenia",
  SK: "Slovakia",
} as const;

export type ReporterCode = keyof typeof reporters;

export const reporterCodes = Object.keys(reporters) as ReporterCode[];

export const isReporter = (code: string): code is ReporterCode => Object.hasOwn(reporters, code);

/** Comext files may contain these (a former member, its remaining part); the import omits their rows. */
export const otherReporters = ["GB", "XI"];

/** Matches codes of country groups (WORLD, EU27_2020, EXT_EU27_2020, EA20 …) and no single country. */
export const aggregatePattern = "(WORLD|(INT_|EXT_|INTRA_|EXTRA_)?(EU|EA)[0-9]{2}(_[0-9]{4})?)";

export function unknownReporter(code: string): string {
  const upper = code.trim().toUpperCase();
  if (upper === "EL") return "Greece is GR here, not EL";
  if (isReporter(upper)) return `reporter codes are upper case: ${upper}`;
  const byName = reporterCodes.find((one) => reporters[one].toUpperCase() === upper);
  if (byName) return `${reporters[byName]} is ${byName}`;
  if (upper === "GB" || upper === "UK") return "the United Kingdom is a partner, not one of the 27 reporters";
  return `no such reporter; the 27 are ${reporterCodes.join(", ")}`;
}

const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

/** Codes that CLDR names but that are not countries: groupings, placeholders, pseudo-locales. */
const noCountries = ["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"];

/** CLDR names a withdrawn code after its successor (DD as Germany): that is another country. */
function isoName(code: string): string | undefined {
  if (!/^[A-Z]{2}$/.test(code) || noCountries.includes(code)) return undefined;
  return new Intl.Locale(`und-${code}`).region === code ? names.of(code) : undefined;
}

/** Withdrawn codes (ISO 3166-3) with trade since 1988. */
const formerPartners: Record<string, string> = {
  AN: "Netherlands Antilles (former)",
  CS: "Serbia and Montenegro, before that Czechoslovakia (former)",
  DD: "German Democratic Republic (former)",
  SU: "Soviet Union (former)",
  TP: "East Timor (former code)",
  YU: "Yugoslavia (former)",
  ZR: "Zaire (former code)",
};

/** Comext's own partner codes, unknown to ISO 3166. */
const comextPartners: Record<string, string> = {
  QP: "High seas",
  QQ: "Stores and provisions",
  QR: "Stores and provisions within intra-EU trade",
  QS: "Stores and provisions within extra-EU trade",
  QU: "Countries and territories not specified",
  QV: "Not specified within intra-EU trade",
  QW: "Not specified within extra-EU trade",
  QX: "Not specified for commercial or military reasons",
  QY: "Not specified for commercial or military reasons, intra-EU trade",
  QZ: "Not specified for commercial or military reasons, extra-EU trade",
  XI: "Northern Ireland",
  XU: "United Kingdom (excluding Northern Ireland)",
  XK: "Kosovo",
  XS: "Serbia",
  XC: "Ceuta",
  XL: "Melilla",
};

/** Returns the code itself if no name is known. */
export function partnerName(code: string): string {
  if (isReporter(code)) return reporters[code];
  return comextPartners[code] ?? formerPartners[code] ?? isoName(code) ?? code;
}

const WITH_ARTICLE =
  /^(?:United |Netherlands|Philippines|Bahamas|Gambia|Maldives|Seychelles|Comoros|Congo|(?:Central African|Democratic|Dominican) )|(?:Islands|Republic|Territor(?:y|ies))$/;

/** A country's name within an English sentence, such as "the Netherlands". */
export const inSentence = (name: string): string => (WITH_ARTICLE.test(name) ? `the ${name}` : name);

/** undefined = the code is a partner. */
export function unknownPartner(code: string): string | undefined {
  if (code === "EL") return "Greece is GR here, not EL";
  if (code === "UK") return "the United Kingdom is GB";
  if (code === "EU" || code === "EZ") return `${code} is a group of countries; name one of them, such as DE`;
  return partnerName(code) === code ? `no country or territory has the code ${code}` : undefined;
}

export const reporterCode = z.enum(reporterCodes).meta({ id: "ReporterCode" });
