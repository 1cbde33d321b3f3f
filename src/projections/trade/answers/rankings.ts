/** Who and what trades most: `top-partners` and `top-products`, each list closed by a line for the rest. */
import { z } from "zod";
import type { FlowSums } from "../../../datasets/rollups/sums.ts";
import type { YearRollup } from "../../../datasets/rollups/year.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { knownOf } from "../../../domain/trade/coverage.ts";
import { dataset, flow, hs, limit, reporter, year } from "../../../domain/trade/inputs.ts";
import type { NameOf } from "../../../domain/trade/product-names.ts";
import { isResidue, nextDigits, productLevels } from "../../../domain/trade/products.ts";
import { partnerName } from "../../../domain/trade/reporters.ts";
import { type Flow, sixDecimals, type Years } from "../../../domain/trade/units.ts";
import { aboutYear, inOneYear, type YearQuestion, yearMeta } from "./one-year.ts";
import { aboutNames, monthsOf, namesOf, type TradeData } from "./question.ts";
import { chaptersOf, partnersOf, rollupsOf, totalOf } from "./rolled-up.ts";
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
  rank: z.int().nullable().describe("1 is the largest; null for the rest"),
  value_eur: z.number().describe("EUR; imports + exports without a flow"),
  imports_eur: z.number().nullable().optional().describe("Present without a flow; null = not delivered"),
  exports_eur: z.number().nullable().optional().describe("As imports_eur"),
  quantity_kg: z.number().nullable().describe("Reported mass in kg; null = none"),
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
  name: z.string().nullable().describe("null if the loaded nomenclature has no such code"),
});

/** What the shares of a ranking are of. */
export const totals = z.object({ value_eur: z.number(), quantity_kg: z.number().nullable() });

export const rankingMeta = yearMeta.extend({
  count: z.int().describe("Ranked lines, without the rest"),
  ranked_of: z.int().describe("Number of entries to rank"),
  total: totals,
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
export const topPartners = (
  trade: TradeData,
  input: Input,
  signal?: AbortSignal,
): Promise<z.infer<typeof topPartnersOutput>> =>
  inOneYear(trade, input, async (lease, years, asked) => {
    const { rows, ...ranked } = await rankPartners(lease, { ...asked, years }, signal);
    return { data: rows, meta: { ...ranked, ...aboutRanking(lease, asked, years) } };
  });

/** The chapters of one reporter's trade in a year, by value; with `hs` the next finer products below it. */
export const topProducts = (
  trade: TradeData,
  input: Input,
  signal?: AbortSignal,
): Promise<z.infer<typeof topProductsOutput>> =>
  inOneYear(trade, input, async (lease, years, asked) => {
    const { rows, ...ranked } = await rankProducts(lease, namesOf(trade), { ...asked, years }, signal);
    return { data: rows, meta: { ...ranked, ...aboutRanking(lease, asked, years), ...aboutNames(trade) } };
  });

const aboutRanking = (lease: Lease, input: YearQuestion, years: Years) => ({
  ...aboutYear(lease, input, years),
  formula: RANKED,
});

export const RANKED = `share = value / total; rest = total − ranked lines; ${SUMS}`;

/** What a ranking is about; by value unless said otherwise. */
export type Asked = Pick<Input, "reporter" | "flow" | "hs" | "limit"> & { years: Years; by?: RankedBy };
/** The amount that decides the order: EUR or known kg. */
export type RankedBy = "value_eur" | "quantity_kg";
/** The lines, largest first, the rest last; how many are ranked, of how many, and the total that shares are of. */
export type Ranking<Row> = { rows: Row[]; count: number; ranked_of: number; total: z.infer<typeof totals> };

export async function rankPartners(
  lease: Lease,
  asked: Asked,
  signal: AbortSignal | undefined,
): Promise<Ranking<z.infer<typeof partnerRow>>> {
  const { rows, ...ranked } = await rank(
    lease,
    asked,
    {
      code: "partner",
      from: partnersIn(lease, asked),
      rolledUp: (rollups) => partnersOf(rollups, asked.reporter, asked),
    },
    signal,
  );
  const named = rows.map(({ code, ...amounts }) => ({
    ...amounts,
    partner: code,
    name: code === REST ? "All other partners and trade without a partner" : partnerName(code),
  }));
  return { rows: named, ...ranked };
}

export async function rankProducts(
  lease: Lease,
  nameOf: NameOf,
  asked: Asked,
  signal: AbortSignal | undefined,
): Promise<Ranking<z.infer<typeof productRow>>> {
  return named(await rank(lease, asked, productsBelow(lease, asked), signal), nameOf);
}

/** As rankProducts, all products at the finest level, whatever chapter they are of. */
export async function rankFinest(
  lease: Lease,
  nameOf: NameOf,
  asked: Asked,
  signal: AbortSignal | undefined,
): Promise<Ranking<z.infer<typeof productRow>>> {
  const from = finerTotalsIn(lease, asked, productLevels.cn8);
  return named(await rank(lease, asked, { code: "product", from }, signal), nameOf);
}

const named = ({ rows, ...ranked }: Ranking<Line>, nameOf: NameOf): Ranking<z.infer<typeof productRow>> => ({
  rows: rows.map(({ code, ...amounts }) => ({
    ...amounts,
    product: code,
    name: code === REST ? "All other products, including confidential trade" : nameOf(code),
  })),
  ...ranked,
});

/** What is ranked: a SQL expression for the code, over a table; and the same sums from roll-ups, where they tell codes apart. */
type Ranked = {
  code: string;
  from: string;
  rolledUp?: (rollups: YearRollup[]) => Map<string, FlowSums> | Promise<Map<string, FlowSums>>;
};

/** The products next below `hs` as a ranking takes them: chapters without it, `hs` itself where nothing is finer. */
function productsBelow(lease: Lease, slice: Asked): Ranked {
  const { hs, reporter, flow } = slice;
  if (hs === undefined)
    return {
      code: "hs2",
      from: totalsIn(lease, slice),
      rolledUp: (rollups) => chaptersOf(rollups, reporter, flow),
    };
  const digits = digitsBelow(lease, hs);
  if (digits === undefined) {
    const ofCode = (rollups: YearRollup[]) => {
      const sums = totalOf(rollups, { hs, flow, reporters: [reporter] });
      return new Map(sums.isNone ? [] : [[hs, sums]]);
    };
    return { code: `'${hs}'`, from: totalsIn(lease, slice), rolledUp: ofCode };
  }
  return { code: `substr(product, 1, ${digits})`, from: finerTotalsIn(lease, { ...slice, hs }, digits) };
}

/** How many digits the next finer codes below `hs` have; undefined where the dataset has none. */
export function digitsBelow({ manifest }: Lease, hs: string): number | undefined {
  const digits = nextDigits(hs.length);
  const isFiner = (code: string) => code.startsWith(hs) && code.length >= digits && !isResidue(code);
  return hs.length < productLevels.cn8 && manifest.coverage.products.codes.some(isFiner) ? digits : undefined;
}

type Line = z.infer<z.ZodObject<typeof line>> & { code: string };

async function rank(
  lease: Lease,
  { reporter, flow, hs, limit, years, by = "value_eur" }: Asked,
  ranked: Ranked,
  signal: AbortSignal | undefined,
): Promise<Ranking<Line>> {
  const { found, total } = await rankedRows(lease, { reporter, flow, hs, limit, years, by }, ranked, signal);
  const known = knownOf(lease.manifest.coverage, hs);
  const months = monthsOf(lease, years);
  const absent = (of: Flow) =>
    total[amountOf[of]] !== null || months.some((period) => known(reporter, of, period)) ? 0 : null;
  const none = { IMPORT: absent("IMPORT"), EXPORT: absent("EXPORT") };
  const rows = found.map((row, at) => lineOf(row.code, at + 1, row, total, flow, none));
  if (total.value_eur !== null) rows.push(lineOf(REST, null, lessAll(total, found), total, flow, none));
  return {
    rows,
    count: found.length,
    ranked_of: found[0]?.of ?? 0,
    total: { value_eur: total.value_eur ?? 0, quantity_kg: total.quantity_kg },
  };
}

/** The largest by the amount asked for, and what all of it comes to. */
async function rankedRows(
  lease: Lease,
  { reporter, flow, hs, limit, years, by }: Required<Pick<Asked, "by">> & Asked,
  { code, from, rolledUp }: Ranked,
  signal: AbortSignal | undefined,
): Promise<{ found: Found[]; total: Amounts }> {
  const rollups = rolledUp && rollupsOf(lease, { hs, years });
  if (rollups) {
    const sums = [...(await rolledUp(rollups))].filter(([of]) => !/[0-9][A-Z]/.test(of));
    const found = sums.map(([of, one]) => ({ code: of, of: sums.length, ...one.all() }));
    const least = (row: Amounts) => row[by] ?? Number.NEGATIVE_INFINITY;
    found.sort((a, b) => (least(a) === least(b) ? (a.code < b.code ? -1 : 1) : least(b) - least(a)));
    return {
      found: found.slice(0, limit),
      total: totalOf(rollups, { hs, flow, reporters: [reporter] }).all(),
    };
  }
  const where = `where ${inReporters([reporter])} and ${inFlow(flow)}`;
  const sums = `sum(value_eur)::bigint as value_eur, sum(quantity_kg)::double as quantity_kg, ${flowSums}`;
  const [found, totals] = await Promise.all([
    lease.query<Found>(
      `select ${code} as code, ${sums}, count(*) over () as "of" from ${from} ${where} group by 1
       having not regexp_matches(code, '[0-9][A-Z]') order by ${by} desc nulls last, code limit ${limit}`,
      undefined,
      signal,
    ),
    lease.query<Amounts>(`select ${sums} from ${totalsIn(lease, { hs, years })} ${where}`, undefined, signal),
  ]);
  return { found, total: totals[0]! };
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
    share: total.value_eur ? sixDecimals(value_eur / total.value_eur) : null,
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
