/**
 * The synthetic labour market of the sandbox's wages: levels rounded by hand to resemble Europe, none of them
 * published.
 */
import type { CountryCode } from "../../domain/salary/countries.ts";

/**
 * Labour costs of the whole economy in the last synthetic year, EUR per hour; a country without a level has no
 * figures.
 */
export const levels: Partial<Record<CountryCode | "EU27", number>> = {
  EU27: 34,
  AT: 44,
  BE: 47,
  BG: 11,
  CY: 22,
  CZ: 19,
  DE: 43,
  DK: 50,
  EE: 20,
  ES: 25.5,
  FI: 39,
  FR: 43.5,
  GR: 17,
  HR: 17,
  HU: 15,
  IE: 43,
  IT: 30.5,
  LT: 17.5,
  LU: 55,
  LV: 16,
  MT: 16.5,
  NL: 45,
  PL: 18,
  PT: 18.5,
  RO: 13,
  SE: 42,
  SI: 28,
  SK: 18.5,
  CH: 64,
  IS: 51,
  NO: 51.5,
  AL: 5.5,
  BA: 8,
  ME: 8.5,
  MK: 7,
  RS: 10,
  TR: 7.5,
};

/** Pay in an activity relative to the whole economy. */
export const activities: Record<string, number> = {
  B: 1.2,
  C: 1.02,
  D: 1.45,
  E: 0.92,
  F: 0.88,
  G: 0.86,
  H: 0.93,
  I: 0.62,
  J: 1.5,
  K: 1.65,
  L: 1.02,
  M: 1.28,
  N: 0.76,
  O: 1.1,
  P: 1.06,
  Q: 0.97,
  R: 0.87,
  S: 0.82,
  "B-E": 1.04,
  "B-F": 1.0,
  "B-N": 0.99,
  "B-S": 1.01,
  "B-S_X_O": 1,
};

/** Pay in a major occupation group relative to all. */
export const pay: Record<string, number> = {
  "1": 1.75,
  "2": 1.35,
  "3": 1.1,
  "4": 0.88,
  "5": 0.7,
  "7": 0.84,
  "8": 0.76,
  "9": 0.62,
};

/** Percentage of an activity's workers in each major group, from 0 to 9. */
export const staff: Record<string, readonly number[]> = {
  A: [0, 2, 3, 3, 2, 2, 62, 4, 7, 15],
  B: [0, 5, 13, 13, 6, 1, 0, 24, 32, 6],
  C: [0, 6, 13, 15, 7, 3, 1, 28, 20, 7],
  D: [0, 7, 26, 26, 11, 2, 0, 18, 7, 3],
  E: [0, 6, 12, 14, 9, 2, 1, 12, 17, 27],
  F: [0, 6, 8, 9, 4, 1, 1, 55, 7, 9],
  G: [0, 8, 8, 13, 9, 43, 1, 9, 3, 6],
  H: [0, 5, 7, 9, 21, 4, 0, 4, 41, 9],
  I: [0, 9, 2, 2, 5, 60, 0, 2, 1, 19],
  J: [0, 8, 62, 20, 5, 2, 0, 2, 0, 1],
  K: [0, 10, 34, 36, 18, 1, 0, 0, 0, 1],
  L: [0, 12, 20, 34, 11, 8, 0, 5, 1, 9],
  M: [0, 7, 59, 22, 8, 1, 0, 1, 1, 1],
  N: [0, 5, 12, 13, 11, 14, 4, 4, 4, 33],
  O: [7, 6, 27, 23, 17, 12, 0, 3, 1, 4],
  P: [0, 4, 71, 6, 4, 10, 0, 1, 0, 4],
  Q: [0, 4, 37, 21, 6, 26, 0, 1, 1, 4],
  R: [0, 7, 37, 27, 8, 14, 1, 2, 0, 4],
  S: [0, 4, 15, 14, 9, 39, 0, 9, 2, 8],
  T: [0, 0, 1, 1, 1, 45, 2, 1, 1, 48],
};

/** Thousands of workers per activity in the Union. */
export const employed: Record<string, number> = {
  A: 7200,
  B: 540,
  C: 32000,
  D: 1500,
  E: 1700,
  F: 13600,
  G: 26500,
  H: 10900,
  I: 9600,
  J: 7600,
  K: 5300,
  L: 1600,
  M: 11800,
  N: 8200,
  O: 14300,
  P: 15000,
  Q: 22000,
  R: 3500,
  S: 4700,
  T: 1700,
};
