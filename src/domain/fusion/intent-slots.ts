/** Descriptions of a question's slots for callers. */
import type { SlotName } from "../plans/slots.ts";

export const intentSlots: Readonly<Record<SlotName, string>> = {
  country: "A country by name in English or Latvian, or by ISO code; the first of the 27 that is named",
  partner: "A second country",
  hs: "A product by its name in the nomenclature, or an HS or CN code",
  year: "A calendar year",
  years: "A range of years, YYYY-YYYY",
  flow: "IMPORT or EXPORT, or a word that says so",
  chapter: "The chapter of the product",
  month: "A calendar month, YYYY-MM",
};
