/** The traders of a product: `product`, the 27 and their partners ranked, prices by mass, and two-way trade. */
import { z } from "zod";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { intraIndustry } from "../../../domain/fusion/intra-industry.ts";
import { classes, classify, concentrationOf } from "../../../domain/trade/concentration.ts";
import { reportersOfEu } from "../../../domain/trade/coverage.ts";
import { basis, dataset, requiredHs, year } from "../../../domain/trade/inputs.ts";
import { isResidue, productLevels } from "../../../domain/trade/products.ts";
import { isReporter, partnerName, reporterCode, reporterCodes } from "../../../domain/trade/reporters.ts";
import { pricePerTonne } from "../../../domain/trade/unit-values.ts";
import { type Flow, sixDecimals, type Years } from "../../../domain/trade/units.ts";
import { crossingOf } from "../../trade/answers/one-year.ts";
import {
  aboutNames,
  formula,
  meta,
  metaOf,
  namesOf,
  onDataset,
  type TradeData,
  yearOrLast,
} from "../../trade/answers/question.ts";
import { SUMS } from "../../trade/answers/series.ts";
import { finerTotalsIn, flowSums, partnersIn, totalsIn } from "../../trade/answers/tables.ts";

const MOST_PARTNERS = 20;

export const productInput = z.object({
  hs: requiredHs,
  year: year.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const number = z.number().nullable();
const traded = {
  rank: z.int(),
  name: z.string(),
  value_eur: z.int().describe("Imports + exports, in EUR"),
  imports_eur: z.int(),
  exports_eur: z.int(),
  share: number.describe("Share of the trade of all 27, 0 to 1; null: no trade"),
};

const reporterLine = z.object({
  ...traded,
  reporter: reporterCode,
  intra_industry: number.describe(
    "Grubel–Lloyd index: 0 = trade one way, 1 = equal both ways; null: no trade",
  ),
  import_price_eur_per_tonne: number.describe(
    "Import price in EUR per tonne, over rows with a mass; null = none",
  ),
  export_price_eur_per_tonne: number,
});

const partnerLine = z.object({ ...traded, partner: z.string() });

export const productOutput = z.object({
  data: z.object({
    reporters: z.array(reporterLine).describe("The reporters, the largest first"),
    partners: z
      .array(partnerLine)
      .describe(`The ${MOST_PARTNERS} largest partners of the 27, including each other`),
    intra_industry: z.object({
      index: number.describe("Grubel–Lloyd index over all reporters and products, 0 to 1; null: no trade"),
      digits: z.int().describe("Digits of the compared products; more digits lower the index"),
    }),
    sources_outside_eu: z
      .object({
        hhi: z.number(),
        classification: z.enum(classes),
        countries: z.int().describe("Number of source countries"),
        imports_eur: z.int(),
      })
      .nullable()
      .describe("The 27's imports from outside the EU; null = none"),
  }),
  meta: meta.extend({ product: z.string(), name: z.string().nullable(), year: z.int(), formula }),
});

type FlowTotals = { imports_eur: number | null; exports_eur: number | null };
type ReporterSums = FlowTotals & {
  reporter: z.infer<typeof reporterCode>;
  imports_weighed: number;
  exports_weighed: number;
  imports_kg: number | null;
  exports_kg: number | null;
};

/** Reporters and partners of a product in a year. */
export async function product(
  trade: TradeData,
  input: z.output<typeof productInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof productOutput>> {
  const requestedYears = input.year === undefined ? undefined : { from: input.year, to: input.year };
  const question = {
    ...input,
    reporters: reportersOfEu(input.hs),
    years: requestedYears,
    crossing: crossingOf(input.basis, requestedYears),
    fields: { reporter: "hs", years: "year" },
  } as const;
  return onDataset(trade, question, async (lease, { hs }) => {
    const year = yearOrLast(lease, { ...question, hs });
    const years = { from: year, to: year };
    const weighed = (flow: Flow) =>
      `coalesce(sum(value_eur) filter (flow = '${flow}' and quantity_kg > 0), 0)::double`;
    const [reporters, partners, twoWay] = await Promise.all([
      lease.query<ReporterSums>(
        `select reporter, ${flowSums}, ${weighed("IMPORT")} as imports_weighed, ${weighed("EXPORT")} as exports_weighed
         from ${totalsIn(lease, { hs, years })} group by 1`,
        undefined,
        signal,
      ),
      lease.query<FlowTotals & { partner: string }>(
        `select partner, ${flowSums} from ${partnersIn(lease, { hs, years })} group by 1`,
        undefined,
        signal,
      ),
      twoWayIn(lease, hs, years, signal),
    ]);
    const total = reporters.reduce((sum, row) => sum + bothWays(row), 0);
    const price = (value: number, mass: number | null) => {
      const found = pricePerTonne(value, mass ?? 0);
      return found === undefined ? null : sixDecimals(found);
    };
    const outside = partners.filter(
      ({ partner, imports_eur }) => !isReporter(partner) && (imports_eur ?? 0) > 0,
    );
    const sources = concentrationOf(outside.map(({ imports_eur }) => imports_eur ?? 0));
    return {
      data: {
        reporters: ranked(reporters, ({ reporter }) => reporter, total).map(({ row, ...line }) => ({
          ...line,
          reporter: row.reporter,
          intra_industry: rounded(
            intraIndustry(twoWay.products.filter((one) => one.reporter === row.reporter)),
          ),
          import_price_eur_per_tonne: price(row.imports_weighed, row.imports_kg),
          export_price_eur_per_tonne: price(row.exports_weighed, row.exports_kg),
        })),
        partners: ranked(partners, ({ partner }) => partner, total)
          .slice(0, MOST_PARTNERS)
          .map(({ row, ...line }) => ({ ...line, partner: row.partner })),
        intra_industry: { index: rounded(intraIndustry(twoWay.products)), digits: twoWay.digits },
        sources_outside_eu: sources
          ? {
              hhi: sixDecimals(sources.hhi),
              classification: classify(sources.hhi, "2023"),
              countries: outside.length,
              imports_eur: outside.reduce((sum, { imports_eur }) => sum + (imports_eur ?? 0), 0),
            }
          : null,
      },
      meta: {
        ...metaOf(lease, { hs, reporters: reporterCodes, years }),
        product: hs,
        name: namesOf(trade)(hs),
        year,
        ...aboutNames(trade),
        formula: `share = value / sum of the 27; price = 1000·Σvalue / Σkg over rows with kg > 0; intra-industry: 1 − Σ|x − m| / Σ(x + m) over products of ${twoWay.digits} digits and reporters (Grubel and Lloyd 1975); HHI = Σ(100·share)² of imports from outside the EU, 2023 guidelines; ${SUMS}`,
      },
    };
  });
}

const rounded = (value: number | undefined) => (value === undefined ? null : sixDecimals(value));
const bothWays = ({ imports_eur, exports_eur }: FlowTotals) => (imports_eur ?? 0) + (exports_eur ?? 0);

function ranked<Row extends FlowTotals>(rows: readonly Row[], codeOf: (row: Row) => string, total: number) {
  return rows
    .toSorted((a, b) => bothWays(b) - bothWays(a) || (codeOf(a) < codeOf(b) ? -1 : 1))
    .map((row, at) => ({
      row,
      rank: at + 1,
      name: partnerName(codeOf(row)),
      value_eur: bothWays(row),
      imports_eur: row.imports_eur ?? 0,
      exports_eur: row.exports_eur ?? 0,
      share: total > 0 ? sixDecimals(bothWays(row) / total) : null,
    }));
}

/**
 * Both directions of each reporter's products below `hs`, as fine as the dataset has them; of `hs` itself where
 * nothing is finer.
 */
async function twoWayIn(lease: Lease, hs: string, years: Years, signal?: AbortSignal) {
  const { codes } = lease.manifest.coverage.products;
  const isFiner = (digits: number) =>
    digits > hs.length &&
    codes.some((code) => code.startsWith(hs) && code.length >= digits && !isResidue(code));
  const finest = [productLevels.cn8, productLevels.hs6, productLevels.hs4].find(isFiner);
  const digits = finest ?? hs.length;
  const from =
    finest === undefined ? totalsIn(lease, { hs, years }) : finerTotalsIn(lease, { hs, years }, digits);
  const code = finest === undefined ? `'${hs}'` : `substr(product, 1, ${digits})`;
  const rows = await lease.query<{ reporter: string } & FlowTotals>(
    `select reporter, ${code} as code, ${flowSums} from ${from} group by 1, 2 having not regexp_matches(code, '[A-Z]')`,
    undefined,
    signal,
  );
  const products = rows.map(({ reporter, imports_eur, exports_eur }) => ({
    reporter,
    imports: imports_eur ?? 0,
    exports: exports_eur ?? 0,
  }));
  return { digits, products };
}
