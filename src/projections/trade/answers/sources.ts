import { z } from "zod";
import { literal } from "../../../datasets/duckdb.ts";
import type { YearRollup } from "../../../datasets/rollups/year.ts";
import { LEAST_BASE_EUR } from "../../../domain/trade/anomalies.ts";
import { reportersOfEu } from "../../../domain/trade/coverage.ts";
import { basis, dataset, hs, limit, procedure, reporter, year } from "../../../domain/trade/inputs.ts";
import type { NameOf } from "../../../domain/trade/product-names.ts";
import {
  partnerName,
  type ReporterCode,
  reporterCode,
  reporterCodes,
} from "../../../domain/trade/reporters.ts";
import { type Flow, flows, sixDecimals } from "../../../domain/trade/units.ts";
import { crossingOf } from "./one-year.ts";
import {
  aboutNames,
  formula,
  meta,
  metaOf,
  namesOf,
  onDataset,
  type TradeData,
  yearOrLast,
} from "./question.ts";
import { rollupsOf, totalOf } from "./rolled-up.ts";
import { SUMS } from "./series.ts";
import { inFlow, inReporters, partnersIn, totalsIn } from "./tables.ts";

/** A product with a smaller yearly total is not judged. */
const LEAST_TOTAL_EUR = 12 * LEAST_BASE_EUR;

export const sourcesInput = z.object({
  reporter: reporter.optional().describe("One reporting country; omitted = all 27, ranked together"),
  hs: hs.optional().describe("HS or CN code of 2, 4, 6 or 8 digits; omitted = each chapter"),
  year: year.optional(),
  flow: z
    .enum(flows, "flow is IMPORT or EXPORT")
    .default("IMPORT")
    .describe("IMPORT: products with one main source; EXPORT: products with one main buyer"),
  threshold: z
    .number("threshold is a number from 0.5 to 1")
    .min(0.5, "threshold is at least 0.5")
    .max(1, "threshold is at most 1")
    .default(0.5)
    .describe("The least share of the largest partner, 0.5 to 1"),
  limit,
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const sourceRow = z.object({
  rank: z.int(),
  reporter: reporterCode,
  product: z.string(),
  name: z.string().nullable().describe("The product's name; null: the loaded nomenclature lacks the code"),
  partner: z.string().describe("The main source or buyer, by its 2-letter code"),
  partner_name: z.string(),
  value_eur: z.int().describe("Value with this partner, in EUR"),
  share: z.number().describe("Share of total_eur, 0 to 1"),
  second_partner: z.string().nullable(),
  second_share: z.number().nullable(),
  partners: z.int().describe("Number of listed partners"),
  total_eur: z.int().describe("Value of all trade in the product in EUR (the source's WORLD rows if any)"),
  listed_share: z.number().describe("Value with the listed partners / total_eur, 0 to 1"),
});

export const sourcesOutput = z.object({
  data: z.array(sourceRow),
  meta: meta.extend({
    count: z.int(),
    ranked_of: z.int().describe("Number of single-source products"),
    year: z.int(),
    flow: z.enum(flows),
    product: z.string().nullable(),
    threshold: z.number(),
    formula,
  }),
});

type Listed = { partner: string; value: number };
type SourceRow = {
  reporter: ReporterCode;
  product: string;
  listed: Listed[];
  partners: number;
  listed_eur: number;
  total_eur: number;
  of: number;
};

/** Ordered by the value at stake. */
export async function sources(
  trade: TradeData,
  input: z.output<typeof sourcesInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof sourcesOutput>> {
  const { flow, threshold } = input;
  const years = input.year === undefined ? undefined : { from: input.year, to: input.year };
  const question = {
    hs: input.hs,
    flow,
    dataset: input.dataset,
    basis: input.basis,
    reporters: input.reporter === undefined ? reportersOfEu(input.hs) : [input.reporter],
    procedure: input.procedure,
    years,
    crossing: crossingOf(input.basis, years),
    fields: { years: "year" },
  } as const;
  return onDataset(trade, question, async (lease, { hs }) => {
    const year = yearOrLast(lease, question);
    const slice = { hs, years: { from: year, to: year } };
    const reporters = input.reporter === undefined ? reporterCodes : question.reporters;
    const where = `where ${inReporters(reporters)} and ${inFlow(flow)}`;
    const product = hs === undefined ? "hs2" : literal(hs);
    const query = { ...slice, reporter: input.reporter, flow, threshold, limit: input.limit };
    const rollups = rollupsOf(lease, slice);
    // min(…, 2) keeps the two largest: sorted lists of all partners would need hundreds of megabytes.
    const rows = rollups
      ? await rolledUpSources(rollups, query)
      : await lease.query<SourceRow>(
          `with partners as (
         select reporter, ${product} as product, partner, sum(value_eur)::double as value
         from ${partnersIn(lease, slice)} ${where} group by all
       ), listed as (
         select reporter, product, max(value) as top, count(*) as partners, sum(value) as listed_eur,
           [{ 'partner': one.partner, 'value': -one.less }
             for one in min({ 'less': -value, 'partner': partner }, 2)] as listed
         from partners group by all
       ), totals as (
         select reporter, ${product} as product, sum(value_eur)::double as total_eur
         from ${totalsIn(lease, slice)} ${where} group by all
       )
       select reporter, product, listed, partners, listed_eur, total_eur, count(*) over () as "of"
       from listed join totals using (reporter, product)
       where total_eur >= ${LEAST_TOTAL_EUR} and top >= ${threshold} * total_eur
       order by top desc, reporter, product limit ${input.limit}`,
          undefined,
          signal,
        );
    return {
      data: rows.map((row, at) => rowOf(row, at + 1, namesOf(trade))),
      meta: {
        ...metaOf(lease, { ...question, hs, reporters, years: slice.years }),
        count: rows.length,
        ranked_of: rows[0]?.of ?? 0,
        year,
        flow,
        product: hs ?? null,
        threshold,
        ...aboutNames(trade),
        formula: `share = largest partner's value / total ≥ ${threshold}; judged where the year's total is at least EUR ${LEAST_TOTAL_EUR / 1e6} M; ${SUMS}`,
      },
    };
  });
}

type SourcesQuery = {
  hs: string | undefined;
  reporter: ReporterCode | undefined;
  flow: Flow;
  threshold: number;
  limit: number;
};

/** The same as the SQL above; each year with data is one roll-up. */
async function rolledUpSources(
  rollups: readonly YearRollup[],
  { hs, reporter, flow, threshold, limit }: SourcesQuery,
): Promise<SourceRow[]> {
  const rows: (SourceRow & { top: number })[] = [];
  const required = flows.indexOf(flow);
  for (const rollup of rollups)
    await rollup.eachChapter(reporter, hs, (of, product, { eur, codes }) => {
      const total = totalOf([rollup], { hs: product, flow, reporters: [of] }).of(flow);
      if (total.isNone || total.eur < LEAST_TOTAL_EUR) return;
      let [partners, listed_eur, first, second] = [0, 0, -1, -1];
      for (let at = 0; at < codes.length; at++) {
        if ((codes[at]! & 1) !== required) continue;
        const value = eur[at]!;
        partners++;
        listed_eur += value;
        // Of two equal partners the first code ranks higher, as in the SQL.
        if (first < 0 || value > eur[first]!) [first, second] = [at, first];
        else if (second < 0 || value > eur[second]!) second = at;
      }
      if (first < 0 || eur[first]! < threshold * total.eur) return;
      const listed = [first, second]
        .filter((at) => at >= 0)
        .map((at) => ({ partner: rollup.partners[codes[at]! >> 1]!, value: eur[at]! }));
      const row = { reporter: of as ReporterCode, product, listed, partners, listed_eur };
      rows.push({ ...row, total_eur: total.eur, of: 0, top: eur[first]! });
    });
  rows.sort(
    (a, b) => b.top - a.top || (`${a.reporter} ${a.product}` < `${b.reporter} ${b.product}` ? -1 : 1),
  );
  return rows.slice(0, limit).map((row) => ({ ...row, of: rows.length }));
}

function rowOf(rows: SourceRow, rank: number, nameOf: NameOf): z.infer<typeof sourceRow> {
  const { reporter, product, listed, partners, listed_eur, total_eur } = rows;
  const [first, second] = listed as [Listed, Listed | undefined];
  const shareOf = (value: number) => sixDecimals(value / total_eur);
  return {
    rank,
    reporter,
    product,
    name: nameOf(product),
    partner: first.partner,
    partner_name: partnerName(first.partner),
    value_eur: first.value,
    share: shareOf(first.value),
    second_partner: second?.partner ?? null,
    second_share: second ? shareOf(second.value) : null,
    partners,
    total_eur,
    listed_share: shareOf(listed_eur),
  };
}
