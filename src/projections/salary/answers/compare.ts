/** The countries of salary data: the tables that cover each, and comparisons of several. */
import { z } from "zod";
import { hicp } from "../../../datasets/reference/hicp.ts";
import { lvWages } from "../../../datasets/reference/lv-wages.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { commonYear } from "../../../domain/salary/comparison.ts";
import {
  type CountryCode,
  codesOf,
  countryGroups,
  countryName,
  EU27,
  groupOf,
  isPotentialCandidate,
} from "../../../domain/salary/countries.ts";
import { comparedNace, countries as countriesField, group } from "../../../domain/salary/inputs.ts";
import { sectorName, WHOLE_ECONOMY } from "../../../domain/salary/sectors.ts";
import { sixDecimals } from "../../../domain/trade/units.ts";
import { someOf } from "../../reference/meta.ts";
import { costYears, hourly, hourlyOf, hourlyTables } from "./hourly.ts";
import { meta, metaOf } from "./tables.ts";

export const countriesTables = [...hourlyTables, lvWages, hicp];

export const countriesInput = z.object({ group: group.optional() });

const identity = { code: z.string(), name: z.string(), group: z.enum(countryGroups) };

const country = z.object({
  ...identity,
  potential_candidate: z
    .boolean()
    .describe("true: a potential candidate for the EU, listed with the candidates"),
  has_labour_costs: z.boolean(),
  has_earnings: z.boolean(),
  has_monthly_wages: z.boolean(),
  has_inflation: z.boolean(),
  ...hourly.shape,
});

export const countriesOutput = z.object({
  data: z.array(country),
  meta: meta.extend({
    count: z.int(),
    missing: z.array(z.string()).describe("Countries without labour costs and earnings"),
  }),
});

const NOMINAL = "Nominal EUR, not adjusted for price levels (PPS).";

/** Each country with its tables and its latest figures for the whole economy. */
export function countries(
  reference: ReferenceStore,
  input: z.output<typeof countriesInput>,
): z.infer<typeof countriesOutput> {
  someOf(reference, countriesTables);
  const priced = new Set(reference.find(hicp)?.rows.map(({ geo }) => geo));
  const data = codesOf(input.group).map((code) => {
    const figures = hourlyOf(reference, code, WHOLE_ECONOMY);
    return {
      ...identityOf(code),
      potential_candidate: isPotentialCandidate(code),
      has_labour_costs: figures.labour_cost_year !== null,
      has_earnings: figures.earnings_year !== null,
      has_monthly_wages: code === "LV" && reference.find(lvWages) !== undefined,
      has_inflation: priced.has(code),
      ...figures,
    };
  });
  const formula = `As published, for ${WHOLE_ECONOMY} (${sectorName(WHOLE_ECONOMY)}), in each country's last year.`;
  const missing = data.filter((line) => !line.has_labour_costs && !line.has_earnings).map(({ code }) => code);
  return {
    data,
    meta: { ...metaOf(reference, countriesTables, formula, [NOMINAL]), count: data.length, missing },
  };
}

export const compareInput = z.object({ countries: countriesField, nace: comparedNace });

const compared = z.object({
  ...identity,
  nace: z.string(),
  ...hourly.shape,
  ratio_to_eu27: z
    .number()
    .nullable()
    .describe("Labour cost ÷ the EU27's in the same year and activity; null: one of them is not known"),
});

export const compareOutput = z.object({
  data: z.array(compared),
  meta: meta.extend({
    count: z.int(),
    nace: z.object({ code: z.string(), name: z.string() }),
    year: z.int().nullable().describe("The year of the labour costs; null: none is known"),
    eu27: hourly.describe("The EU27's figures"),
    missing: z.array(z.string()).describe("Countries without a labour cost in that year"),
  }),
});

const COMPARED =
  "Labour costs of the year for which most of the countries have one (the last such year); ratio_to_eu27 = labour cost ÷ labour " +
  "cost of the EU27 in that year. Earnings: mean gross hourly earnings of the last survey.";

/** Countries side by side in one activity, in the order they were named. */
export function compare(
  reference: ReferenceStore,
  { countries, nace }: z.output<typeof compareInput>,
): z.infer<typeof compareOutput> {
  someOf(reference, hourlyTables);
  const year = commonYear(countries.map((code) => costYears(reference, code, nace)));
  const eu27 = hourlyOf(reference, EU27, nace, year);
  const data = countries.map((code) => {
    const figures = hourlyOf(reference, code, nace, year);
    const [cost, union] = [figures.labour_cost_eur_per_hour, eu27.labour_cost_eur_per_hour];
    const ratio = cost === null || union === null || union === 0 ? null : sixDecimals(cost / union);
    return { ...identityOf(code), nace, ...figures, ratio_to_eu27: ratio };
  });
  const missing = data.filter((line) => line.labour_cost_eur_per_hour === null).map(({ code }) => code);
  return {
    data,
    meta: {
      ...metaOf(reference, hourlyTables, COMPARED, [NOMINAL]),
      count: data.length,
      nace: { code: nace, name: sectorName(nace)! },
      year: year ?? null,
      eu27,
      missing,
    },
  };
}

const identityOf = (code: CountryCode) => ({ code, name: countryName(code), group: groupOf(code) });
