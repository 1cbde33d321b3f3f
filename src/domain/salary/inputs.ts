/** Input fields of salary operations, each with its description and the remedy in its error. */
import { z } from "zod";
import { type CountryCode, countryCodes, countryGroups, unknownCountry } from "./countries.ts";
import { languages, unknownSector, WHOLE_ECONOMY } from "./sectors.ts";

/** Validates a code with the error for an unknown one. */
const refineBy =
  (unknown: (code: string) => string | undefined) => (code: string, context: z.RefinementCtx) => {
    const message = unknown(code);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  };

const country = z
  .string()
  .max(60, { error: "a country is a 2-letter code such as LV", abort: true })
  .superRefine(refineBy(unknownCountry))
  .pipe(z.enum(countryCodes as [CountryCode, ...CountryCode[]]));

export const countries = z
  .array(country)
  .min(1, "name at least one country")
  .max(10, "at most 10 countries are compared in one call")
  .refine((codes) => new Set(codes).size === codes.length, "the list names a country twice")
  .describe("Comma-separated ISO codes, 1 to 10, of the EU27, EFTA and candidate countries; Greece is GR");

export const group = z
  .enum(countryGroups, "group is EU27, EFTA or CANDIDATE")
  .describe("EU27, EFTA or CANDIDATE; omitted = all of them");

export const lang = z
  .enum(languages, "lang is en or lv")
  .default("en")
  .describe("Language of the names: en or lv");

const nace = z
  .string()
  .max(40, { error: "nace is a code such as C", abort: true })
  .superRefine(refineBy(unknownSector));

export const comparedNace = nace
  .default(WHOLE_ECONOMY)
  .describe(`NACE Rev. 2 section A to U, or an aggregate such as B-F; omitted = ${WHOLE_ECONOMY}`);

export const wageNace = nace.describe("NACE Rev. 2 section A to U, or TOTAL; omitted = all of them");

export const wageYear = z
  .int("year is a whole number such as 2024")
  .min(1990, "year is 1990 at the earliest")
  .max(2099, "year is 2099 at the latest")
  .describe("Calendar year; omitted = all years");

export const exposureType = z
  .enum(["ISCO", "NACE", "all"], "type is ISCO, NACE or all")
  .default("all")
  .describe("ISCO = occupations; NACE = activities; all = both");
