/** The sections of NACE Rev. 2, and the wider aggregates that labour statistics use; the short names are worded here. */
import { closest } from "fastest-levenshtein";

export const languages = ["en", "lv"] as const;
export type Language = (typeof languages)[number];
type Names = Record<Language, string>;

const sections: Record<string, Names> = {
  A: { en: "Agriculture, forestry, fishing", lv: "Lauksaimniecība, mežsaimniecība, zvejniecība" },
  B: { en: "Mining and quarrying", lv: "Ieguves rūpniecība" },
  C: { en: "Manufacturing", lv: "Apstrādes rūpniecība" },
  D: { en: "Electricity, gas, heat", lv: "Elektroenerģija, gāze, siltums" },
  E: { en: "Water, sewerage, waste", lv: "Ūdens, notekūdeņi, atkritumi" },
  F: { en: "Construction", lv: "Būvniecība" },
  G: { en: "Trade, vehicle repair", lv: "Tirdzniecība, auto remonts" },
  H: { en: "Transport and storage", lv: "Transports un uzglabāšana" },
  I: { en: "Hotels and restaurants", lv: "Izmitināšana un ēdināšana" },
  J: { en: "Information and communication", lv: "Informācija un komunikācija" },
  K: { en: "Finance and insurance", lv: "Finanses un apdrošināšana" },
  L: { en: "Real estate", lv: "Nekustamais īpašums" },
  M: {
    en: "Professional, scientific, technical services",
    lv: "Profesionālie, zinātniskie, tehniskie pakalpojumi",
  },
  N: { en: "Administrative and support services", lv: "Administratīvie un apkalpojošie pakalpojumi" },
  O: { en: "Public administration and defence", lv: "Valsts pārvalde un aizsardzība" },
  P: { en: "Education", lv: "Izglītība" },
  Q: { en: "Health and social work", lv: "Veselība un sociālā aprūpe" },
  R: { en: "Arts, entertainment, recreation", lv: "Māksla, izklaide, atpūta" },
  S: { en: "Other services", lv: "Citi pakalpojumi" },
  T: { en: "Households as employers", lv: "Mājsaimniecības kā darba devējas" },
  U: { en: "International organisations", lv: "Starptautiskas organizācijas" },
};

const aggregates: Record<string, Names> = {
  "B-E": { en: "Industry", lv: "Rūpniecība" },
  "B-F": { en: "Industry and construction", lv: "Rūpniecība un būvniecība" },
  "B-N": { en: "Business economy", lv: "Uzņēmējdarbības nozares" },
  "B-S": { en: "Industry, construction and services", lv: "Rūpniecība, būvniecība un pakalpojumi" },
  "B-S_X_O": {
    en: "Industry, construction and services without public administration",
    lv: "Rūpniecība, būvniecība un pakalpojumi bez valsts pārvaldes",
  },
  "G-N": { en: "Market services", lv: "Tirgus pakalpojumi" },
  "P-S": {
    en: "Education, health, arts, other services",
    lv: "Izglītība, veselība, māksla, citi pakalpojumi",
  },
  TOTAL: { en: "All activities", lv: "Visas nozares" },
};

/** The economy as labour cost and earnings statistics cover it, for a country's single figure. */
export const WHOLE_ECONOMY = "B-S_X_O";

export const sectionCodes = Object.keys(sections);
export const naceCodes = [...sectionCodes, ...Object.keys(aggregates)];

export const sectorName = (code: string, language: Language = "en"): string | undefined =>
  (sections[code] ?? aggregates[code])?.[language];

/** The error for an unknown activity; undefined for a known one. */
export function unknownSector(code: string): string | undefined {
  if (naceCodes.includes(code)) return undefined;
  const upper = code.trim().toUpperCase();
  if (naceCodes.includes(upper)) return `NACE codes are upper case: ${upper}`;
  const section = /^[A-U]\d/.test(upper) ? upper.slice(0, 1) : closest(upper.slice(0, 20), naceCodes);
  return `there is no NACE code ${upper.slice(0, 20)} here; the nearest is ${section} (${sectorName(section)}); there are the sections A to U and ${Object.keys(aggregates).join(", ")}`;
}
