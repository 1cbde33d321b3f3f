/**
 * The synthetic economy of the sandbox: relative sizes of traders and chapters. Rounded by hand to resemble
 * European trade; none is a published figure.
 */
import type { ReporterCode } from "../domain/trade/reporters.ts";

/** Relative size of each reporter's trade. */
export const reporterSizes: Record<ReporterCode, number> = {
  AT: 40,
  BE: 90,
  BG: 10,
  CY: 3,
  CZ: 45,
  DE: 300,
  DK: 25,
  EE: 4,
  ES: 85,
  FI: 17,
  FR: 150,
  GR: 14,
  HR: 8,
  HU: 32,
  IE: 40,
  IT: 130,
  LT: 9,
  LU: 5,
  LV: 5,
  MT: 2,
  NL: 140,
  PL: 75,
  PT: 20,
  RO: 24,
  SE: 37,
  SI: 11,
  SK: 22,
};

/** Relative sizes of outside partners: their sales to the reporters, and their purchases. */
export const outsideSizes: Record<string, { sells: number; buys: number }> = {
  CN: { sells: 260, buys: 110 },
  US: { sells: 170, buys: 240 },
  GB: { sells: 110, buys: 170 },
  CH: { sells: 80, buys: 95 },
  TR: { sells: 60, buys: 60 },
  NO: { sells: 65, buys: 35 },
  RU: { sells: 70, buys: 40 },
  JP: { sells: 45, buys: 40 },
  KR: { sells: 42, buys: 38 },
  IN: { sells: 38, buys: 30 },
  VN: { sells: 34, buys: 8 },
  BR: { sells: 26, buys: 24 },
  UA: { sells: 16, buys: 20 },
  MA: { sells: 14, buys: 18 },
  ZA: { sells: 14, buys: 14 },
  TW: { sells: 24, buys: 18 },
  CA: { sells: 18, buys: 24 },
  MX: { sells: 16, buys: 26 },
  SA: { sells: 22, buys: 20 },
  AE: { sells: 12, buys: 26 },
  RS: { sells: 10, buys: 13 },
  EG: { sells: 9, buys: 15 },
  TN: { sells: 8, buys: 9 },
  ID: { sells: 13, buys: 7 },
  TH: { sells: 15, buys: 10 },
  MY: { sells: 18, buys: 10 },
  AU: { sells: 8, buys: 22 },
  IL: { sells: 9, buys: 15 },
  KZ: { sells: 14, buys: 6 },
  BA: { sells: 5, buys: 7 },
  BD: { sells: 12, buys: 3 },
  NG: { sells: 13, buys: 8 },
  DZ: { sells: 12, buys: 10 },
  CL: { sells: 7, buys: 6 },
  AR: { sells: 6, buys: 6 },
  BY: { sells: 6, buys: 7 },
  QP: { sells: 1, buys: 2 },
  XK: { sells: 1, buys: 2 },
};

/**
 * An event: from one month to another, these sellers' trade with those buyers, in one chapter or all, is multiplied
 * by `factor`.
 */
export type Shock = {
  /** The analyses that detect it. */
  found_by: readonly ("rerouting" | "substitution" | "dependency" | "gravity" | "alert")[];
  seller?: string;
  buyer?: string;
  hs2?: string;
  from: number;
  to: number;
  factor: number;
};

/** Events in the sandbox for its analyses: a break with rerouting, a dependency, and single months. */
export const shocks: Shock[] = [
  { found_by: ["rerouting", "substitution"], seller: "RU", from: 202203, to: 202512, factor: 0.2 },
  { found_by: ["rerouting"], buyer: "RU", from: 202203, to: 202512, factor: 0.25 },
  { found_by: ["rerouting"], seller: "TR", hs2: "27", from: 202204, to: 202512, factor: 2.4 },
  { found_by: ["rerouting"], seller: "KZ", hs2: "44", from: 202204, to: 202512, factor: 6 },
  { found_by: ["rerouting"], buyer: "KZ", from: 202204, to: 202512, factor: 3 },
  // Slovakia's purchases rise from some 40 % to more than 80 %.
  {
    found_by: ["dependency", "gravity"],
    seller: "CN",
    buyer: "SK",
    hs2: "29",
    from: 202301,
    to: 202512,
    factor: 10,
  },
  { found_by: ["alert"], seller: "DE", hs2: "87", from: 202509, to: 202509, factor: 0.2 },
  { found_by: ["alert"], buyer: "PL", hs2: "85", from: 202508, to: 202508, factor: 3 },
  { found_by: ["alert"], buyer: "LV", hs2: "27", from: 202510, to: 202510, factor: 5 },
  { found_by: ["alert"], seller: "FR", hs2: "30", from: 202511, to: 202511, factor: 2.5 },
];

/** A country's purchases of one chapter vary by month, and those of another chapter vary alike some months later. */
export type Lead = { buyer: string; first: string; second: string; months: number };

/** Plastics follow the chemicals that they are made of. */
export const leads: Lead[] = [{ buyer: "ES", first: "29", second: "39", months: 3 }];

/** Relative weights of the most important chapters; every other one has `otherChapter`. */
export const chapterWeights: Record<string, number> = {
  "27": 95,
  "84": 130,
  "85": 120,
  "87": 110,
  "30": 70,
  "90": 35,
  "39": 38,
  "29": 36,
  "72": 26,
  "73": 18,
  "94": 18,
  "61": 14,
  "62": 15,
  "76": 13,
  "88": 16,
  "48": 11,
  "40": 12,
  "38": 14,
  "44": 9,
  "22": 9,
  "64": 9,
  "71": 15,
  "02": 8,
  "04": 9,
  "08": 8,
  "95": 8,
  "33": 10,
};
export const otherChapter = 3;

/** Typical euros per kilogram of chapters far from `otherPrice`. */
export const chapterPrices: Record<string, number> = {
  "27": 0.55,
  "25": 0.12,
  "26": 0.3,
  "10": 0.28,
  "31": 0.35,
  "44": 0.7,
  "47": 0.6,
  "48": 1.1,
  "72": 0.9,
  "68": 0.5,
  "30": 95,
  "71": 400,
  "88": 450,
  "90": 70,
  "91": 160,
  "85": 24,
  "84": 14,
  "87": 10,
  "61": 17,
  "62": 21,
};
export const otherPrice = 3.2;
