/** Latvia's trade with one country: `country-analysis`, its years, its rank and share, its products and its trend. */
import { z } from "zod";
import { refuseWith } from "../../../core/model/refusal.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { growthOf } from "../../../domain/customs/growth.ts";
import { country } from "../../../domain/customs/inputs.ts";
import { type CompletenessCheck, completenessOf, flowsOf } from "../../../domain/trade/coverage.ts";
import { dataset, years } from "../../../domain/trade/inputs.ts";
import { partnerName } from "../../../domain/trade/reporters.ts";
import { type Flow, sixDecimals, type Years } from "../../../domain/trade/units.ts";
import { hasPartner, refuseWithoutPartner } from "../../trade/answers/partner-rows.ts";
import {
  aboutNames,
  monthsOf,
  namesOf,
  type TradeData,
  yearOrLast,
  yearsOrAll,
} from "../../trade/answers/question.ts";
import { SUMS } from "../../trade/answers/series.ts";
import { inReporters, partnersIn, totalsIn } from "../../trade/answers/tables.ts";
import { countryProduct, productsOf } from "./country-products.ts";
import { aboutCustoms, customsMeta, customsQuestion, LATVIA, onLatvia, span } from "./question.ts";

export const countryInput = z.object({
  country,
  years: years.optional(),
  dataset: dataset.optional(),
});

const part = z
  .number()
  .nullable()
  .describe("The country's share of Latvia's trade in this direction, 0 to 1; null: no trade");
const rank = z.int().nullable().describe("Rank among Latvia's partners of the year by value; null: no trade");
const listed = z
  .number()
  .nullable()
  .describe(
    "Share of Latvia's trade with a stated partner, 0 to 1; null: no trade. Below 1, other shares are minimums",
  );

const countryYear = z.object({
  year: z.int(),
  imports_eur: z.int().nullable().describe("Latvia's imports from the country in EUR; null = not delivered"),
  exports_eur: z.int().nullable(),
  balance_eur: z.int().nullable().describe("exports_eur − imports_eur; null if one of them is null"),
  imports_share: part,
  exports_share: part,
  imports_rank: rank,
  exports_rank: rank,
  imports_listed_share: listed,
  exports_listed_share: listed,
  months: z.int().describe("Number of complete months in the year"),
  complete: z.boolean().describe("true: all twelve months are complete"),
});

const trend = z
  .object({
    from_year: z.int(),
    to_year: z.int(),
    growth_per_year: z.number().describe("Compound growth a year, 0.1 = 10 %"),
  })
  .nullable()
  .describe("Growth from the first to the last complete year with trade; null: fewer than two");

export const countryOutput = z.object({
  data: z.object({
    country: z.object({ code: z.string(), name: z.string() }).describe("The country's code and name"),
    years: z.array(countryYear).describe("Figures by year"),
    trend: z.object({ imports: trend, exports: trend }),
    products_year: z.int(),
    top_imports: z
      .array(countryProduct)
      .describe("Imports in `products_year`: the ten largest CN8 codes, then the rest"),
    top_exports: z.array(countryProduct),
  }),
  meta: customsMeta.extend({ years: span }),
});

type FlowRow = {
  year: number;
  flow: Flow;
  value_eur: number;
  rank: number | null;
  listed_eur: number;
  total_eur: number;
};

/** Latvia's trade with one country: by year, against all partners, by product. */
export async function countryAnalysis(
  trade: TradeData,
  input: z.output<typeof countryInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof countryOutput>> {
  if (input.country === LATVIA) {
    const message = "country is Latvia itself; name a partner such as LT";
    refuseWith("country", message);
  }
  const question = customsQuestion(input);
  return onLatvia(trade, question, async (lease) => {
    const requestedYears = yearsOrAll(lease, question.years);
    const products_year = yearOrLast(lease, question);
    const subject = { hs: undefined, partner: input.country };
    if (!(await hasPartner(lease, subject, signal))) refuseWithoutPartner(lease, subject, "country");
    const [found, products] = await Promise.all([
      yearsWith(lease, input.country, requestedYears, signal),
      productsOf(lease, namesOf(trade), { country: input.country, year: products_year }, signal),
    ]);
    const data = yearRows(lease, requestedYears, completenessOf(lease.manifest.coverage, undefined), found);
    return {
      data: {
        country: { code: input.country, name: partnerName(input.country) },
        years: data,
        trend: { imports: trendOf(data, "imports_eur"), exports: trendOf(data, "exports_eur") },
        products_year,
        top_imports: products.IMPORT,
        top_exports: products.EXPORT,
      },
      meta: {
        ...aboutCustoms(lease, question, requestedYears),
        years: requestedYears,
        ...aboutNames(trade),
        formula: `share = value / Latvia's total of the direction; rank by value among partners; growth_per_year = (last / first)^(1 / years) − 1; ${SUMS}`,
      },
    };
  });
}

/** The country's value and rank and Latvia's total, for each year and direction with trade. */
function yearsWith(
  lease: Lease,
  country: string,
  years: Years,
  signal: AbortSignal | undefined,
): Promise<FlowRow[]> {
  return lease.query<FlowRow>(
    `with partners as (
       select period // 100 as year, flow, partner, sum(value_eur)::bigint as value_eur
       from ${partnersIn(lease, { years })} where ${inReporters([LATVIA])} group by all
     ), ranked as (
       select *, rank() over (partition by year, flow order by value_eur desc) as rank from partners
     ), listed as (
       select year, flow, sum(value_eur)::bigint as listed_eur from partners group by all
     ), totals as (
       select period // 100 as year, flow, sum(value_eur)::bigint as total_eur
       from ${totalsIn(lease, { years })} where ${inReporters([LATVIA])} group by all
     )
     select year, flow, coalesce(value_eur, 0) as value_eur, rank, coalesce(listed_eur, 0) as listed_eur, total_eur
     from totals left join listed using (year, flow) left join (from ranked where partner = $country) using (year, flow)`,
    { country },
    signal,
  );
}

function yearRows(
  lease: Lease,
  requestedYears: Years,
  known: CompletenessCheck,
  found: FlowRow[],
): z.infer<typeof countryYear>[] {
  const rows: z.infer<typeof countryYear>[] = [];
  for (let year = requestedYears.from; year <= requestedYears.to; year++) {
    const months = monthsOf(lease, { from: year, to: year });
    const of = (flow: Flow) => {
      const row = found.find((one) => one.year === year && one.flow === flow);
      const isKnown = row !== undefined || months.some((period) => known(LATVIA, flow, period));
      const value = row?.value_eur ?? (isKnown ? 0 : null);
      const ofTotal = (eur: number) => (row && row.total_eur > 0 ? sixDecimals(eur / row.total_eur) : null);
      return {
        value,
        share: ofTotal(row?.value_eur ?? 0),
        rank: row?.rank ?? null,
        listed: ofTotal(row?.listed_eur ?? 0),
      };
    };
    const [bought, sold] = [of("IMPORT"), of("EXPORT")];
    if (bought.value === null && sold.value === null) continue;
    const delivered = months.filter((period) =>
      flowsOf(undefined).every((flow) => known(LATVIA, flow, period)),
    );
    rows.push({
      year,
      imports_eur: bought.value,
      exports_eur: sold.value,
      balance_eur: bought.value === null || sold.value === null ? null : sold.value - bought.value,
      imports_share: bought.share,
      exports_share: sold.share,
      imports_rank: bought.rank,
      exports_rank: sold.rank,
      imports_listed_share: bought.listed,
      exports_listed_share: sold.listed,
      months: delivered.length,
      complete: delivered.length === 12,
    });
  }
  return rows;
}

function trendOf(
  rows: z.infer<typeof countryYear>[],
  amount: "imports_eur" | "exports_eur",
): z.infer<typeof trend> {
  const complete = rows
    .filter((row) => row.complete && row[amount])
    .map((row) => ({ year: row.year, value: row[amount]! }));
  const growth = growthOf(complete);
  return growth ? { ...growth, growth_per_year: sixDecimals(growth.growth_per_year) } : null;
}
