/** Who and what trades most: `top-partners` and `top-products`, each list closed by a line for the rest. */
import { z } from "zod";
import type { Lease } from "../../datasets/vintage-store.ts";
import { chapterName } from "../../domain/trade/chapters.ts";
import { knownOf } from "../../domain/trade/coverage.ts";
import { dataset, flow, hs, limit, reporter, year } from "../../domain/trade/inputs.ts";
import { isResidue, nextDigits, productLevels } from "../../domain/trade/products.ts";
import { partnerName, reporterCodes } from "../../domain/trade/reporters.ts";
import { type Flow, flows } from "../../domain/trade/units.ts";
import { formula, meta, metaOf, monthsOf, onDataset, type TradeData, yearOrLast } from "./question.ts";
import { SUMS } from "./series.ts";
import { finerTotalsIn, flowSums, inFlow, inReporters, partnersIn, totalsIn } from "./tables.ts";

export const rankingInput = z.object({
  reporter,
  year: year.optional(),
  flow: flow.optional(),
  limit,
  hs: hs.optional(),
  dataset: dataset.optional(),
});

const line = {
  rank: z.int().nullable().describe("1 is the largest; null on the line for the rest"),
  value_eur: z.number().describe("EUR; imports + exports when no flow was asked for"),
  imports_eur: z
    .number()
    .nullable()
    .optional()
    .describe("Present when no flow was asked for; null = not delivered"),
  exports_eur: z.number().nullable().optional().describe("As imports_eur"),
  quantity_kg: z.number().nullable().describe("Known mass in kg; null = none stated"),
  share: z.number().nullable().describe("Of the total, 0 to 1"),
};

export const REST = "rest";

/** A partner's line. The last line, `rest`, is the total less the lines above it. */
export const partnerRow = z.object({
  ...line,
  partner: z.string().describe(`2-letter code; ${REST} on the last line`),
  name: z.string(),
});

/** A product's line. The last line, `rest`, is the total less the lines above it. */
export const productRow = z.object({
  ...line,
  product: z.string().describe(`HS or CN code; ${REST} on the last line`),
  name: z.string().nullable().describe("Name of a 2-digit chapter"),
});

const rankingMeta = meta.extend({
  count: z.int().describe("Ranked lines, the rest not counted"),
  ranked_of: z.int().describe("How many there are to rank"),
  reporter: z.enum(reporterCodes),
  year: z.int(),
  flow: z.enum(flows).nullable(),
  total: z.object({ value_eur: z.number(), quantity_kg: z.number().nullable() }),
  formula,
});

export const topPartnersOutput = z.object({ data: z.array(partnerRow), meta: rankingMeta });
export const topProductsOutput = z.object({ data: z.array(productRow), meta: rankingMeta });

type Input = z.output<typeof rankingInput>;
type Amounts = {
  value_eur: number | null;
  quantity_kg: number | null;
  imports_eur: number | null;
  exports_eur: number | null;
};
const amountOf = { IMPORT: "imports_eur", EXPORT: "exports_eur" } as const;
type Found = Amounts & { code: string; of: number };

/** The partners of one reporter in a year, by value; groups of countries are never ranked. */
export async function topPartners(
  trade: TradeData,
  input: Input,
  signal?: AbortSignal,
): Promise<z.infer<typeof topPartnersOutput>> {
  const { rows, meta } = await rank(
    trade,
    input,
    (lease, slice) => ({
      code: "partner",
      from: partnersIn(lease, slice),
    }),
    signal,
  );
  const data = rows.map(({ code, ...amounts }) => ({
    ...amounts,
    partner: code,
    name: code === REST ? "All other partners and what the source does not split" : partnerName(code),
  }));
  return { data, meta };
}

/** The chapters of one reporter's trade in a year, by value; with `hs` the next finer products below it. */
export async function topProducts(
  trade: TradeData,
  input: Input,
  signal?: AbortSignal,
): Promise<z.infer<typeof topProductsOutput>> {
  const { rows, meta } = await rank(trade, input, productsBelow, signal);
  const data = rows.map(({ code, ...amounts }) => ({
    ...amounts,
    product: code,
    name: code === REST ? "All other products, confidential trade among them" : (chapterName(code) ?? null),
  }));
  return { data, meta };
}

function productsBelow(lease: Lease, slice: Slice): Ranked {
  const { hs } = slice;
  if (hs === undefined) return { code: "hs2", from: totalsIn(lease, slice) };
  const digits = nextDigits(hs.length);
  const { codes } = lease.manifest.coverage.products;
  const finer = codes.some((code) => code.startsWith(hs) && code.length >= digits && !isResidue(code));
  if (hs.length === productLevels.cn8 || !finer) return { code: `'${hs}'`, from: totalsIn(lease, slice) };
  return { code: `substr(product, 1, ${digits})`, from: finerTotalsIn(lease, { ...slice, hs }, digits) };
}

type Slice = { hs: string | undefined; years: { from: number; to: number } };
/** What is ranked: a SQL expression for the code, over a table. */
type Ranked = { code: string; from: string };
type Line = z.infer<z.ZodObject<typeof line>> & { code: string };

async function rank(
  trade: TradeData,
  input: Input,
  ranked: (lease: Lease, slice: Slice) => Ranked,
  signal: AbortSignal | undefined,
): Promise<{ rows: Line[]; meta: z.infer<typeof rankingMeta> }> {
  const asked = input.year === undefined ? undefined : { from: input.year, to: input.year };
  const reporters = [input.reporter];
  const question = {
    ...input,
    reporters,
    years: asked,
    fields: { reporter: "reporter", years: "year" },
  } as const;
  return onDataset(trade, question, async (lease) => {
    const year = yearOrLast(lease, question);
    const slice = { hs: input.hs, years: { from: year, to: year } };
    const where = `where ${inReporters(reporters)} and ${inFlow(input.flow)}`;
    const { code, from } = ranked(lease, slice);
    const sums = `sum(value_eur)::bigint as value_eur, sum(quantity_kg)::double as quantity_kg, ${flowSums}`;
    const [found, totals] = await Promise.all([
      lease.query<Found>(
        `select ${code} as code, ${sums}, count(*) over () as "of" from ${from} ${where} group by 1
         having not regexp_matches(code, '[0-9][A-Z]') order by value_eur desc, code limit ${input.limit}`,
        undefined,
        signal,
      ),
      lease.query<Amounts>(`select ${sums} from ${totalsIn(lease, slice)} ${where}`, undefined, signal),
    ]);
    const total = totals[0]!;
    const known = knownOf(lease.manifest.coverage, input.hs);
    const months = monthsOf(lease, slice.years);
    const absent = (of: Flow) =>
      total[amountOf[of]] !== null || months.some((period) => known(input.reporter, of, period)) ? 0 : null;
    const none = { IMPORT: absent("IMPORT"), EXPORT: absent("EXPORT") };
    const rows = found.map((row, at) => lineOf(row.code, at + 1, row, total, input.flow, none));
    if (total.value_eur !== null) {
      rows.push(lineOf(REST, null, lessAll(total, found), total, input.flow, none));
    }
    return {
      rows,
      meta: {
        ...metaOf(lease, { ...question, years: slice.years }),
        count: found.length,
        ranked_of: found[0]?.of ?? 0,
        reporter: input.reporter,
        year,
        flow: input.flow ?? null,
        total: { value_eur: total.value_eur ?? 0, quantity_kg: total.quantity_kg },
        formula: `share = value / total; rest = total − ranked lines; ${SUMS}`,
      },
    };
  });
}

function lineOf(
  code: string,
  rank: number | null,
  amounts: Amounts,
  total: Amounts,
  flow: Flow | undefined,
  none: Record<Flow, number | null>,
): Line {
  const value_eur = amounts.value_eur ?? 0;
  return {
    rank,
    code,
    value_eur,
    ...(flow === undefined && {
      imports_eur: amounts.imports_eur ?? none.IMPORT,
      exports_eur: amounts.exports_eur ?? none.EXPORT,
    }),
    quantity_kg: amounts.quantity_kg,
    share: total.value_eur ? Math.round((value_eur / total.value_eur) * 1e6) / 1e6 : null,
  };
}

/** The total less the ranked lines; a mass that is unknown on every line stays unknown. */
function lessAll(total: Amounts, found: Amounts[]): Amounts {
  const less = (column: keyof Amounts) => {
    const whole = total[column];
    return whole === null ? null : found.reduce((left, row) => left - (row[column] ?? 0), whole);
  };
  const kilograms = less("quantity_kg");
  return {
    value_eur: less("value_eur"),
    imports_eur: less("imports_eur"),
    exports_eur: less("exports_eur"),
    quantity_kg: kilograms === null ? null : Math.round(kilograms * 1000) / 1000,
  };
}
