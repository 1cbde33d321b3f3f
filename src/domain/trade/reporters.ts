/** The 27 reporting countries of EU trade statistics by ISO 3166 code; Greece is GR here, although Eurostat writes EL elsewhere. */
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

/** Reporters that Comext files may hold beside the 27: a former member and its remaining part. Their rows are left out. */
export const otherReporters = ["GB", "XI"];

/** The pattern of codes that stand for a group of countries (WORLD, EU27_2020, EXT_EU27_2020, EA20 …); no single country matches it. */
export const aggregatePattern = "(WORLD|(INT_|EXT_|INTRA_|EXTRA_)?(EU|EA)[0-9]{2}(_[0-9]{4})?)";

/** What to tell someone who sent a reporter code that is none. */
export function unknownReporter(code: string): string {
  const upper = code.trim().toUpperCase();
  if (upper === "EL") return "Greece is GR here, not EL";
  if (isReporter(upper)) return `reporter codes are upper case: ${upper}`;
  const byName = reporterCodes.find((known) => reporters[known].toUpperCase() === upper);
  if (byName) return `${reporters[byName]} is ${byName}`;
  if (upper === "GB" || upper === "UK") return "the United Kingdom is a partner, not one of the 27 reporters";
  return `no such reporter; the 27 are ${reporterCodes.join(", ")}`;
}

const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

/** Codes that CLDR names and that are no country: groupings, placeholders, pseudo-locales. */
const noCountries = ["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"];

/** CLDR names a withdrawn code after its successor (DD as Germany), which would be another country's name. */
function isoName(code: string): string | undefined {
  if (!/^[A-Z]{2}$/.test(code) || noCountries.includes(code)) return undefined;
  return new Intl.Locale(`und-${code}`).region === code ? names.of(code) : undefined;
}

/** Withdrawn codes (ISO 3166-3) under which trade has been reported since 1988. */
const formerPartners: Record<string, string> = {
  AN: "Netherlands Antilles (former)",
  CS: "Serbia and Montenegro, before that Czechoslovakia (former)",
  DD: "German Democratic Republic (former)",
  SU: "Soviet Union (former)",
  TP: "East Timor (former code)",
  YU: "Yugoslavia (former)",
  ZR: "Zaire (former code)",
};

/** Comext's own partner codes that ISO 3166 does not know. */
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

/** A partner's English name; the code itself where no name is known. */
export function partnerName(code: string): string {
  if (isReporter(code)) return reporters[code];
  return comextPartners[code] ?? formerPartners[code] ?? isoName(code) ?? code;
}

/** What to tell someone who sent a 2-letter partner code that is none; undefined for one that is. */
export function unknownPartner(code: string): string | undefined {
  if (code === "EL") return "Greece is GR here, not EL";
  if (code === "UK") return "the United Kingdom is GB";
  if (code === "EU" || code === "EZ") return `${code} is a group of countries; name one of them, such as DE`;
  return partnerName(code) === code ? `no country or territory has the code ${code}` : undefined;
}

/** A reporter as answers name it. */
export const reporterCode = z.enum(reporterCodes).meta({ id: "ReporterCode" });
