/** Input fields of customs operations, each with its description and the remedy in its error. */
import { z } from "zod";
import { foldedWords } from "../questions/words.ts";
import { partner } from "../trade/inputs.ts";
import { flows } from "../trade/units.ts";

export const direction = z
  .enum(flows, "direction is IMPORT or EXPORT")
  .describe("IMPORT or EXPORT, as Latvia sees it; omitted = both, shown apart");

/** A code of the Combined Nomenclature, or its beginning. */
export const code = z
  .string()
  .regex(/^\d{2,8}$/, { error: "code is a KN code of 2 to 8 digits, such as 4407 or 84713000", abort: true })
  .refine((text) => !text.startsWith("00"), "code begins with a chapter from 01 to 99")
  .describe("KN (Combined Nomenclature) code of 2 to 8 digits; all products that begin with it");

export const codePrefix = z
  .string()
  .regex(/^\d{1,8}$/, "code is the beginning of a KN code, 1 to 8 digits")
  .describe("Beginning of a KN code, 1 to 8 digits");

const MOST_WORDS = 10;

export const words = z
  .string()
  .max(100, "q has at most 100 characters")
  .refine((text) => foldedWords(text).length > 0, "q has at least one letter or digit")
  .refine((text) => foldedWords(text).length <= MOST_WORDS, `q has at most ${MOST_WORDS} words`)
  .describe(
    "Words of a product's name, in any order, in British or American spelling; the last may be a beginning. A word of the trade or a code also works",
  );

export const country = partner.describe(
  "The partner country, any 2-letter code of the statistics; Greece is GR",
);
