/** The input and the answer of a reconstruction. */

import { z } from "zod";
import { month } from "../../../core/model/fields.ts";
import { CIF_FOB } from "../../../domain/mirror/reconstruct.ts";
import { basis, dataset, partner, requiredHs, year } from "../../../domain/trade/inputs.ts";
import { reporterCode } from "../../../domain/trade/reporters.ts";
import { flows } from "../../../domain/trade/units.ts";
import { referenceMeta } from "../../reference/meta.ts";
import { formula, meta } from "../../trade/answers/question.ts";

const questionInput = {
  direction: z
    .enum(flows, "direction is IMPORT or EXPORT")
    .describe("IMPORT: from the EU27 to the target; EXPORT: from the target to the EU27"),
  hs: requiredHs,
  year: year.describe("Calendar year; omitted = all years; each country-month is charged").optional(),
  month: month.describe("One month, YYYY-MM, such as 2024-03; omitted = every month of the year").optional(),
  cif_fob: z
    .number("cif_fob is a number from 0 to 0.5")
    .min(0, "cif_fob is at least 0")
    .max(0.5, "cif_fob is at most 0.5")
    .default(CIF_FOB)
    .describe("τ: freight and insurance as a share of value, 0 to 0.5"),
  basis: basis.optional(),
  dataset: dataset.optional(),
};

const targets = ["CN", "RU", "IN", "MX"] as const;

export const reconstructInput = z.object({
  target_country: z
    .enum(targets, `target_country is ${targets.join(", ")}; sovereign/mirror takes any other`)
    .describe("The country to reconstruct: CN, RU, IN or MX"),
  ...questionInput,
});

export const anyTargetInput = z.object({
  target_country: partner.describe(
    "The country to reconstruct, any 2-letter code of the statistics; Greece is GR",
  ),
  ...questionInput,
});

export type MirrorInput = z.output<typeof anyTargetInput>;

const share = z.number().min(0).max(1);

export const countryMonth = z
  .object({
    hs: z.string(),
    year: z.int(),
    month: z.int(),
    value_eur: z.int().describe("EUR of the target's trade with the EU27"),
    value_usd: z.int().nullable().describe("value_eur in USD at the month's mean rate; null: see notes"),
    quantity_kg: z.number().nullable().describe("Sum of the reported masses in kg; null = none"),
    confidence: share.nullable().describe("coverage × reliability × mass_quality; null = no reliability"),
    coverage: share.describe("Share of the partners with a complete month"),
    reliability: share
      .nullable()
      .describe("1 − median |ln mirror ratio|, see meta.reliability; null: no pair to compare"),
    mass_quality: share.nullable().describe("Share of the value with a mass; null = no value"),
    complete: z.boolean().describe("true: every partner's month is complete"),
    reporters: z.int().describe("Number of partners whose figures are summed"),
    not_reported: z.array(reporterCode).describe("Partners whose month is incomplete"),
    reported_eur: z.int().describe("Sum of the partners' figures in EUR, before the CIF/FOB factor"),
    excluded_eur: z.int().describe("EUR of the partners in not_reported, left out"),
    without_mass_eur: z.int().describe("EUR in reported_eur without a mass"),
  })
  .meta({ id: "CountryMonth" });

export const reconstructOutput = z.object({
  data: z
    .array(countryMonth)
    .describe("Oldest month first; months in which no partner has complete data are omitted"),
  meta: meta
    .extend({
      count: z.int().describe("Number of country-months; each is charged"),
      target: z
        .object({ code: z.string(), name: z.string() })
        .describe("The country whose trade is computed"),
      direction: z.enum(flows),
      product: z.string(),
      scope: z.string().describe("The subject of the figures"),
      formula,
      parameters: z.object({ cif_fob: z.number(), partners: z.int() }),
      reliability: z.object({
        value: share.nullable(),
        median_abs_ln_ratio: z.number().nullable(),
        pair_months: z.int().describe("Number of compared country pairs, each month counted"),
        product: z.string().describe("The compared product code"),
        from: z.string(),
        to: z.string(),
      }),
      rates: referenceMeta.nullable().describe("Source of the exchange rates; null = none"),
      notes: z.array(z.string()),
    })
    .meta({ id: "MirrorMeta" }),
});
