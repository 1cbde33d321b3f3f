import { z } from "zod";
import { literal } from "../../../datasets/duckdb.ts";
import type { FlowSums } from "../../../datasets/rollups/sums.ts";
import type { YearRollup } from "../../../datasets/rollups/year.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { completenessOf, existsIn, isBelow } from "../../../domain/trade/coverage.ts";
import { basis, dataset, flow, hs, limit, procedure, reporter, year } from "../../../domain/trade/inputs.ts";
import type { NameOf } from "../../../domain/trade/product-names.ts";
import { isConfidential, isResidue, nextDigits, productLevels } from "../../../domain/trade/products.ts";
import { partnerName } from "../../../domain/trade/reporters.ts";
import { type Flow, sixDecimals, type Years } from "../../../domain/trade/units.ts";
import { aboutYear, inOneYear, type YearQuestion, yearMeta } from "./one-year.ts";
import { aboutNames, monthsOf, namesOf, type TradeData } from "./question.ts";
import { chaptersOf, confidentialOf, partnersOf, rollupsOf, totalOf } from "./rolled-up.ts";
import { SUMS } from "./series.ts";
import { finerTotalsIn, flowSums, inFlow, inReporters, partnersIn, type Slice, totalsIn } from "./tables.ts";

export const rankingInput = z.object({
  reporter,
  year: year.optional(),
  flow: flow.optional(),
  limit,
  hs: hs.optional(),
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const line = {
  rank: z.int().nullable().describe("Rank by value, 1 = the largest; null: the rest"),
  value_eur: z.int().describe("Value in EUR (imports + exports if no flow is requested)"),
  imports_eur: z
    .int()
    .nullable()
    .optional()
    .describe("Imports in EUR; null = not delivered; absent: one flow was requested"),
  exports_eur: z
    .int()
    .nullable()
    .optional()
    .describe("Exports in EUR; null = not delivered; absent: one flow was requested"),
  quantity_kg: z.number().nullable().describe("Reported mass in kg; null = none"),
  share: z.number().nullable().describe("Share of the total, 0 to 1; null: the total is 0"),
};

export const REST = "rest";

/** The last line, `rest`, is the total less the lines above it. */
export const partnerRow = z.object({
  ...line,
  partner: z.string().describe(`2-letter code; ${REST} = all others`),
  name: z.string(),
});

/** The last line, `rest`, is the total less the lines above it. */
export const productRow = z.object({
  ...line,
  product: z.string().describe(`HS or CN code; ${REST} = all others`),
  name: z.string().nullable().describe("The product's name; null: the loaded nomenclature lacks the code"),
  confidential_share: z
    .number()
    .nullable()
    .optional()
    .describe(
      "Share of a chapter's value in confidential codes such as 85XXXXXX, 0 to 1; null = unknown; absent: not chapters",
    ),
  codes: z.string().optional().describe("Codes that the line sums, separated by spaces; absent: one code"),
});

/** The base of a ranking's shares. */
export const totals = z.object({
  value_eur: z.int().nullable().describe("Value in EUR; null = the code does not exist in these years"),
  quantity_kg: z.number().nullable(),
});

export const rankingMeta = yearMeta.extend({
  count: z.int().describe("Number of ranked lines, without the rest"),
  ranked_of: z.int().describe("Number of entries with trade"),
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
type RankedRow = Amounts & { code: string; of: number };

/** Country groups are never ranked. */
export const topPartners = (
  trade: TradeData,
  input: Input,
  signal?: AbortSignal,
): Promise<z.infer<typeof topPartnersOutput>> =>
  inOneYear(trade, input, async (lease, years, query) => {
    const { rows, ...ranked } = await rankPartners(lease, { ...query, years }, signal);
    return { data: rows, meta: { ...ranked, ...aboutRanking(lease, query, years) } };
  });

/** Chapters, or with `hs` the next finer products below it. */
export const topProducts = (
  trade: TradeData,
  input: Input,
  signal?: AbortSignal,
): Promise<z.infer<typeof topProductsOutput>> =>
  inOneYear(trade, input, async (lease, years, query) => {
    const { rows, ...ranked } = await rankProducts(lease, namesOf(trade), { ...query, years }, signal);
    return { data: rows, meta: { ...ranked, ...aboutRanking(lease, query, years), ...aboutNames(trade) } };
  });

const aboutRanking = (lease: Lease, input: YearQuestion, years: Years) => ({
  ...aboutYear(lease, input, years),
  formula: RANKED,
});

export const RANKED = `share = value / total; rest = total − ranked lines; ${SUMS}`;

/** Default order: by value. */
export type RankingQuery = Pick<Input, "reporter" | "flow" | "hs" | "limit"> & {
  years: Years;
  by?: RankedBy;
};
/** The amount that decides the order: EUR or known kg. */
export type RankedBy = "value_eur" | "quantity_kg";
/** Lines, largest first and the rest last; `count` of `of` are ranked, and shares are of the total. */
export type Ranking<Row> = { rows: Row[]; count: number; ranked_of: number; total: z.infer<typeof totals> };

export async function rankPartners(
  lease: Lease,
  query: RankingQuery,
  signal: AbortSignal | undefined,
): Promise<Ranking<z.infer<typeof partnerRow>>> {
  const { rows, ...ranked } = await rank(
    lease,
    query,
    {
      code: "partner",
      from: partnersIn(lease, query),
      rolledUp: (rollups) => partnersOf(rollups, query.reporter, query),
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
  query: RankingQuery,
  signal: AbortSignal | undefined,
): Promise<Ranking<z.infer<typeof productRow>>> {
  const source = productsBelow(lease, query);
  const [ranked, confidential] = await Promise.all([
    rank(lease, query, source, signal),
    query.hs === undefined ? confidentialIn(lease, query, signal) : undefined,
  ]);
  const { rows, ...about } = named(ranked, nameOf, source.families);
  if (query.hs !== undefined) return { rows, ...about };
  const whole = new Set(lease.manifest.coverage.products.codes);
  const isWhole = (chapter: string) => whole.has(chapter);
  const shareOf = ({ product, value_eur }: z.infer<typeof productRow>) =>
    confidential && value_eur > 0 && product !== REST && !isWhole(product)
      ? sixDecimals((confidential.get(product) ?? 0) / value_eur)
      : null;
  return { rows: rows.map((row) => ({ ...row, confidential_share: shareOf(row) })), ...about };
}

/** EUR of suppressed codes by chapter; undefined where the dataset is not detailed enough to have such codes. */
async function confidentialIn(
  lease: Lease,
  { reporter, flow, years }: RankingQuery,
  signal: AbortSignal | undefined,
): Promise<Map<string, number> | undefined> {
  const { codes, national } = lease.manifest.coverage.products;
  if (!national || !codes.some((code) => code.length === productLevels.cn8)) return undefined;
  if (!codes.some(isConfidential)) return new Map();
  const rollups = rollupsOf(lease, { years });
  if (rollups) return confidentialOf(rollups, reporter, flow);
  const rows = await lease.query<{ hs2: string; value: number }>(
    `select hs2, sum(value_eur)::bigint as value from ${finerTotalsIn(lease, { years }, productLevels.hs4)}
     where ${inReporters([reporter])} and ${inFlow(flow)} and contains(product, 'X') group by hs2`,
    undefined,
    signal,
  );
  return new Map(rows.map(({ hs2, value }) => [hs2, value]));
}

/** As rankProducts, over all products at the finest level of any chapter. */
export async function rankFinest(
  lease: Lease,
  nameOf: NameOf,
  query: RankingQuery,
  signal: AbortSignal | undefined,
): Promise<Ranking<z.infer<typeof productRow>>> {
  const source = inFamilies(lease, query, productLevels.cn8);
  return named(await rank(lease, query, source, signal), nameOf, source.families);
}

const named = (
  { rows, ...ranked }: Ranking<Line>,
  nameOf: NameOf,
  families: RankingSource["families"],
): Ranking<z.infer<typeof productRow>> => ({
  rows: rows.map(({ code, ...amounts }) => {
    const codes = families?.get(code);
    const name = nameOf(code);
    return {
      ...amounts,
      product: code,
      name:
        code === REST
          ? "All other products, including confidential trade"
          : codes && codes.length > 1
            ? `${name ?? code} and the codes joined to it`
            : name,
      ...(codes && { codes: codes.join(" ") }),
    };
  }),
  ...ranked,
});

/** Codes of these digits below `hs`, of totals or of other rows; codes that a change joined are one line. */
export function inFamilies(
  lease: Lease,
  slice: Slice,
  digits: number,
  from = finerTotalsIn(lease, slice, digits),
): RankingSource {
  const own = `substr(product, 1, ${digits})`;
  const { book } = lease.manifest.coverage;
  const families = new Map<string, readonly string[]>();
  for (const family of book?.families(digits) ?? []) {
    const codes = family
      .inYear(slice.years.to)
      .filter((code) => isBelow(lease.manifest.coverage, slice.hs)(code));
    const [first] = typeof book!.query.basis === "number" ? family.inYear(book!.query.basis) : codes;
    if (codes.length > 0) families.set(first ?? codes[0]!, codes);
  }
  if (families.size === 0) return { code: own, from };
  const pairs = [...families].flatMap(([label, codes]) =>
    codes.map((code) => `(${literal(code)}, ${literal(label)})`),
  );
  const joined = `(select amounts.*, coalesce(label, ${own}) as line from ${from} amounts
    left join (values ${pairs.join(", ")}) families(code, label) on code = ${own})`;
  return { code: "line", from: joined, families };
}

/** An SQL expression for the code, over a table; and the same sums from roll-ups if they separate the codes. */
type RankingSource = {
  code: string;
  from: string;
  /** The codes of each line that sums several. */
  families?: ReadonlyMap<string, readonly string[]>;
  rolledUp?: (rollups: YearRollup[]) => Map<string, FlowSums> | Promise<Map<string, FlowSums>>;
};

/** Chapters without `hs`; `hs` itself if the dataset has nothing finer. */
function productsBelow(lease: Lease, slice: RankingQuery): RankingSource {
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
  return inFamilies(lease, { ...slice, hs }, digits);
}

/** Digits of the next finer codes below `hs`; undefined if the dataset has none. */
export function digitsBelow({ manifest }: Lease, hs: string): number | undefined {
  const digits = nextDigits(hs.length);
  const isUnder = isBelow(manifest.coverage, hs);
  const isFiner = (code: string) => isUnder(code) && code.length >= digits && !isResidue(code);
  return hs.length < productLevels.cn8 && manifest.coverage.products.codes.some(isFiner) ? digits : undefined;
}

type Line = z.infer<z.ZodObject<typeof line>> & { code: string };

async function rank(
  lease: Lease,
  { reporter, flow, hs, limit, years, by = "value_eur" }: RankingQuery,
  ranked: RankingSource,
  signal: AbortSignal | undefined,
): Promise<Ranking<Line>> {
  const { topRows, total } = await rankedRows(
    lease,
    { reporter, flow, hs, limit, years, by },
    ranked,
    signal,
  );
  const isComplete = completenessOf(lease.manifest.coverage, hs);
  const months = monthsOf(lease, years);
  const absent = (of: Flow) =>
    total[amountOf[of]] !== null || months.some((period) => isComplete(reporter, of, period)) ? 0 : null;
  const none = { IMPORT: absent("IMPORT"), EXPORT: absent("EXPORT") };
  const rows = topRows.map((row, at) => lineOf(row.code, at + 1, row, total, flow, none));
  if (total.value_eur !== null) rows.push(lineOf(REST, null, remainder(total, topRows), total, flow, none));
  return {
    rows,
    count: topRows.length,
    ranked_of: topRows[0]?.of ?? 0,
    total: {
      value_eur: total.value_eur ?? (existsIn(lease.manifest.coverage, hs, years) ? 0 : null),
      quantity_kg: total.quantity_kg,
    },
  };
}

async function rankedRows(
  lease: Lease,
  { reporter, flow, hs, limit, years, by }: Required<Pick<RankingQuery, "by">> & RankingQuery,
  { code, from, rolledUp }: RankingSource,
  signal: AbortSignal | undefined,
): Promise<{ topRows: RankedRow[]; total: Amounts }> {
  const rollups = rolledUp && rollupsOf(lease, { hs, years });
  if (rollups) {
    const sums = [...(await rolledUp(rollups))].filter(([of]) => !/[0-9][A-Z]/.test(of));
    const topRows = sums.map(([of, one]) => ({ code: of, of: sums.length, ...one.all() }));
    const least = (row: Amounts) => row[by] ?? Number.NEGATIVE_INFINITY;
    topRows.sort((a, b) => (least(a) === least(b) ? (a.code < b.code ? -1 : 1) : least(b) - least(a)));
    return {
      topRows: topRows.slice(0, limit),
      total: totalOf(rollups, { hs, flow, reporters: [reporter] }).all(),
    };
  }
  const where = `where ${inReporters([reporter])} and ${inFlow(flow)}`;
  const sums = `sum(value_eur)::bigint as value_eur, sum(quantity_kg)::double as quantity_kg, ${flowSums}`;
  const [topRows, totals] = await Promise.all([
    lease.query<RankedRow>(
      `select ${code} as code, ${sums}, count(*) over () as "of" from ${from} ${where} group by 1
       having not regexp_matches(code, '[0-9][A-Z]') order by ${by} desc nulls last, code limit ${limit}`,
      undefined,
      signal,
    ),
    lease.query<Amounts>(`select ${sums} from ${totalsIn(lease, { hs, years })} ${where}`, undefined, signal),
  ]);
  return { topRows, total: totals[0]! };
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

/** A mass that is unknown on every line stays unknown. */
function remainder(total: Amounts, topRows: Amounts[]): Amounts {
  const less = (column: keyof Amounts) => {
    const whole = total[column];
    return whole === null ? null : topRows.reduce((left, row) => left - (row[column] ?? 0), whole);
  };
  const kilograms = less("quantity_kg");
  return {
    value_eur: less("value_eur"),
    imports_eur: less("imports_eur"),
    exports_eur: less("exports_eur"),
    quantity_kg: kilograms === null ? null : Math.round(kilograms * 1000) / 1000,
  };
}
