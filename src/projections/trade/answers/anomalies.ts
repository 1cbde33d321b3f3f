/** One query judges every reporter, product and flow against its own past. */
import { z } from "zod";
import { refuse } from "../../../core/model/refusal.ts";
import { literal } from "../../../datasets/duckdb.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import {
  adjustedPs,
  FALSE_DISCOVERY_RATE,
  LEAST_BASE_EUR,
  LEAST_HISTORY,
  LEAST_Z,
  pOfScore,
  ROBUST_WINDOW,
  SD_FLOOR,
  TRAILING,
  yearOnYearScore,
} from "../../../domain/trade/anomalies.ts";
import { type Coverage, completenessOf, flowsOf } from "../../../domain/trade/coverage.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import type { NameOf } from "../../../domain/trade/product-names.ts";
import { type ReporterCode, reporterCode } from "../../../domain/trade/reporters.ts";
import {
  addMonths,
  type Flow,
  flows,
  monthsBetween,
  monthsSince,
  monthText,
  type Period,
  sixDecimals,
  type Years,
  yearOf,
} from "../../../domain/trade/units.ts";
import { formula, meta, metaOf } from "./question.ts";
import { rollupsOf } from "./rolled-up.ts";
import { seriesIn, type Values, valuesOf } from "./rolled-up-series.ts";
import { inFlow, inReporters, totalsIn } from "./tables.ts";

export type Watched = {
  hs?: string | undefined;
  flow?: Flow | undefined;
  reporters: readonly ReporterCode[];
  months: number;
};

export type Anomaly = {
  reporter: ReporterCode;
  flow: Flow;
  product: string;
  period: Period;
  value_eur: number;
  /** Mean of the twelve months before. */
  base_eur: number;
  /** Their sample standard deviation, at least 5 % of the mean. */
  standard_deviation_eur: number;
  z: number;
  p_value: number;
  /** p_value adjusted for all tested series (Benjamini and Hochberg). */
  p_adjusted: number;
};

/** `tested` counts series and months; `anomalies` have p ≤ 0.05 before adjustment, the largest |z| first. */
export type Judged = { tested: number; anomalies: Anomaly[] };

export const anomalyRow = z.object({
  reporter: reporterCode,
  product: z.string(),
  name: z.string().nullable(),
  flow: z.enum(flows),
  period: z.string().describe("The month, YYYY-MM"),
  direction: z.enum(["spike", "drop"]).describe("spike: above base_eur; drop: below it"),
  value_eur: z.int(),
  base_eur: z.number().describe("Mean of the twelve months before, in EUR"),
  deviation_eur: z.number().describe("value_eur − base_eur, in EUR; below 0: a drop"),
  standard_deviation_eur: z
    .number()
    .describe("Sample standard deviation of the twelve months before, at least 5 % of their mean, in EUR"),
  z: z.number().describe("deviation_eur / standard_deviation_eur"),
  p_value: z.number().describe("Two-sided p of z, Student's t with 11 degrees of freedom"),
  p_adjusted: z.number().describe("p_value adjusted for all tests of this answer (Benjamini–Hochberg)"),
  significant: z.boolean().describe(`true: p_adjusted ≤ ${FALSE_DISCOVERY_RATE}`),
});

export const rowOf = (anomaly: Anomaly, nameOf: NameOf): z.infer<typeof anomalyRow> => ({
  reporter: anomaly.reporter,
  product: anomaly.product,
  name: nameOf(anomaly.product),
  flow: anomaly.flow,
  period: monthText(anomaly.period),
  direction: anomaly.z > 0 ? "spike" : "drop",
  value_eur: anomaly.value_eur,
  base_eur: Math.round(anomaly.base_eur),
  deviation_eur: anomaly.value_eur - Math.round(anomaly.base_eur),
  standard_deviation_eur: Math.round(anomaly.standard_deviation_eur),
  z: sixDecimals(anomaly.z),
  p_value: anomaly.p_value,
  p_adjusted: anomaly.p_adjusted,
  significant: isSignificant(anomaly),
});

export const isSignificant = ({ p_adjusted }: Anomaly) => p_adjusted <= FALSE_DISCOVERY_RATE;

export const watchedMeta = meta
  .extend({
    count: z.int().describe("Number of listed lines"),
    tested: z.int().describe("Number of tested months, over all series"),
    months: z.object({ from: z.string(), to: z.string() }),
    flow: z.enum(flows).nullable().describe("The requested flow; null = both"),
    formula,
  })
  .meta({ id: "WatchedMeta" });

export function aboutWatched(lease: Lease, watched: Watched, { tested }: Judged) {
  const { from, to } = watchedMonths(lease, watched.months);
  return {
    ...metaOf(lease, { ...watched, years: { from: yearOf(from), to: yearOf(to) } }),
    tested,
    months: { from: monthText(from), to: monthText(to) },
    flow: watched.flow ?? null,
  };
}

/** Refuses a question without a month that can be tested: its answer would say nothing. */
export function refuseUntested(
  lease: Lease,
  { hs, months }: Watched,
  { tested }: Judged,
  reporter?: ReporterCode,
): void {
  if (tested > 0) return;
  const { from, to } = watchedMonths(lease, months);
  const message = `too little data: from ${monthText(from)} to ${monthText(to)} no reporter has a complete month with ${LEAST_HISTORY - 1} reported months before it and a mean of EUR ${LEAST_BASE_EUR / 1e6} M over the ${TRAILING} months before it: name more months, or a product or country with more trade`;
  const path = hs !== undefined ? "hs" : reporter !== undefined ? "reporter" : "months";
  refuse(tradeProblems["outside-coverage"], message, { errors: [{ path, message }] });
}

export const ANOMALY_FORMULA = `z = (x − mean) / max(sd, ${SD_FLOOR}·mean) over the ${TRAILING} months before; p two-sided, Student's t, ${TRAILING - 1} df; Benjamini–Hochberg over all tests, q = ${FALSE_DISCOVERY_RATE}; tested where mean ≥ EUR ${LEAST_BASE_EUR / 1e6} M, at least ${LEAST_HISTORY} months are known and the reporter has delivered the month in full`;

/** Months are compared with those that a score looks back on, so codes must not change among them. */
export const watchedQuestion = <Input extends { months: number }>(input: Input) => ({
  ...input,
  compares: true,
  crossing: ({ months: { to } }: Coverage): Years => ({
    from: yearOf(addMonths(to, 1 - input.months - ROBUST_WINDOW - TRAILING)),
    to: yearOf(to),
  }),
});

/** The first and last month to judge. */
export function watchedMonths({ manifest }: Lease, months: number): { from: Period; to: Period } {
  const { to } = manifest.coverage.months;
  return { from: addMonths(to, 1 - months), to };
}

/** Judges each chapter, or the product `hs`. `series` come from roll-ups if those have them. */
export async function judge(
  lease: Lease,
  watched: Watched,
  signal: AbortSignal | undefined,
  series = watchedSeries(lease, watched),
): Promise<Judged> {
  const { from, to } = watchedMonths(lease, watched.months);
  const completeness = completenessOf(lease.manifest.coverage, watched.hs);
  const months = monthsBetween(lease.manifest.coverage.months.from, to);
  const testable = monthsEach(watched, (reporter, flow) => {
    const judgedMonths: Period[] = [];
    let history = 0;
    let unbroken = 0;
    for (const period of months) {
      const isComplete = completeness(reporter, flow, period);
      history += Number(isComplete);
      unbroken = isComplete ? unbroken + 1 : 0;
      // The first months have a shorter history.
      const isWhole = unbroken > TRAILING || (isComplete && unbroken === monthsSince(months[0]!, period) + 1);
      if (isWhole && period >= from && history >= LEAST_HISTORY) judgedMonths.push(period);
    }
    return judgedMonths;
  });
  if (testable === undefined) return { tested: 0, anomalies: [] };
  const { tested, candidates } = series
    ? judgedSeries(series, testable, { from, first: addMonths(from, -TRAILING) })
    : await testedIn(lease, watched, testable, signal);
  const scored = candidates
    .map((anomaly) => ({ ...anomaly, p_value: pOfScore(anomaly.z) }))
    .filter(({ p_value }) => p_value <= FALSE_DISCOVERY_RATE);
  const adjusted = adjustedPs(
    scored.map(({ p_value }) => p_value),
    tested,
  );
  return { tested, anomalies: scored.map((anomaly, at) => ({ ...anomaly, p_adjusted: adjusted[at]! })) };
}

type Scored = Omit<Anomaly, "p_value" | "p_adjusted">;

/** The number of tested months, and the anomalies among them. */
async function testedIn(
  lease: Lease,
  watched: Watched,
  testable: MonthsOfFlow[],
  signal: AbortSignal | undefined,
): Promise<{ tested: number; candidates: Scored[] }> {
  const { from, to } = watchedMonths(lease, watched.months);
  const candidates = await lease.query<{ tested: number } & Omit<Anomaly, "p_value" | "p_adjusted">>(
    `with testable(reporter, flow, months) as (${monthsEachSql(testable)}), sums as (${sumsSql(lease, watched)}),
     grid as (
       select reporter, flow, product, period, coalesce(value, 0) as value
       from (select distinct reporter, flow, product from sums)
         cross join (select unnest([${monthsBetween(addMonths(from, -TRAILING), to).join(", ")}]) as period)
         left join sums using (reporter, flow, product, period)
     ), moving as (
       select *, avg(value) over before as base_eur, stddev_samp(value) over before as sd from grid
       window before as (partition by reporter, flow, product order by period
         rows between ${TRAILING} preceding and 1 preceding)
     ), tested as (
       select reporter, flow, product, period, value as value_eur, base_eur,
         greatest(sd, ${SD_FLOOR} * base_eur) as standard_deviation_eur, (value - base_eur) / standard_deviation_eur as z
       from moving join testable using (reporter, flow)
       where list_contains(months, period) and base_eur >= ${LEAST_BASE_EUR}
     )
     from (select count(*) as tested from tested)
       left join (from tested where abs(z) >= ${LEAST_Z}) on true
     order by abs(z) desc, reporter, flow, product, period`,
    undefined,
    signal,
  );
  const { tested } = candidates[0]!;
  return {
    tested,
    candidates: candidates.filter(({ z }) => z !== null).map(({ tested: _, ...anomaly }) => anomaly),
  };
}

/** Adds in the same order as the SQL above: scores are compared and shown to their last digit. */
function judgedSeries(
  series: readonly Values<ReporterCode>[],
  testable: readonly MonthsOfFlow[],
  { from, first }: { from: Period; first: Period },
): { tested: number; candidates: Scored[] } {
  const places = new Map(
    testable.map((one) => [
      `${one.reporter} ${one.flow}`,
      one.months
        .filter((period) => period >= from)
        .map((period) => ({ period, at: monthsSince(first, period) })),
    ]),
  );
  const candidates: Scored[] = [];
  let tested = 0;
  for (const { reporter, flow, product, values } of series)
    for (const { period, at } of places.get(`${reporter} ${flow}`) ?? []) {
      let sum = 0;
      for (let before = at - TRAILING; before < at; before++) sum += values[before]!;
      const base_eur = sum / TRAILING;
      if (base_eur < LEAST_BASE_EUR) continue;
      tested++;
      const value_eur = values[at]!;
      const least_eur = SD_FLOOR * base_eur;
      if (Math.abs(value_eur - base_eur) / least_eur < LEAST_Z) continue;
      const standard_deviation_eur = Math.max(deviationBefore(values, at), least_eur);
      const z = (value_eur - base_eur) / standard_deviation_eur;
      if (Math.abs(z) >= LEAST_Z)
        candidates.push({ reporter, flow, product, period, value_eur, base_eur, standard_deviation_eur, z });
    }
  const codes = ({ reporter, flow, product, period }: Scored) => `${reporter} ${flow} ${product} ${period}`;
  candidates.sort((a, b) => Math.abs(b.z) - Math.abs(a.z) || (codes(a) < codes(b) ? -1 : 1));
  return { tested, candidates };
}

/** Sample standard deviation of the twelve months before `at` (Welford). */
function deviationBefore(values: Float64Array, at: number): number {
  let mean = 0;
  let squares = 0;
  for (let count = 1; count <= TRAILING; count++) {
    const value = values[at - TRAILING + count - 1]!;
    const difference = value - mean;
    mean += difference / count;
    squares += difference * (value - mean);
  }
  return Math.sqrt(squares / (TRAILING - 1));
}

export type MonthsOfFlow = { reporter: ReporterCode; flow: Flow; months: Period[] };

/** undefined = no flow has a month. */
export function monthsEach(
  { reporters, flow }: Watched,
  monthsOf: (reporter: ReporterCode, flow: Flow) => Period[],
): MonthsOfFlow[] | undefined {
  const flowMonths = reporters.flatMap((reporter) =>
    flowsOf(flow)
      .map((of) => ({ reporter, flow: of, months: monthsOf(reporter, of) }))
      .filter(({ months }) => months.length > 0),
  );
  return flowMonths.length === 0 ? undefined : flowMonths;
}

/** SQL rows (reporter, flow, months). */
export const monthsEachSql = (flowMonths: readonly MonthsOfFlow[]) =>
  `values ${flowMonths.map(({ reporter, flow, months }) => `(${literal(reporter)}, ${literal(flow)}, [${months.join(", ")}])`).join(", ")}`;

/** Series from twelve months before the range on; undefined if roll-ups lack them. */
export function watchedSeries(
  lease: Lease,
  { hs, flow, reporters, months }: Watched,
): Values<ReporterCode>[] | undefined {
  const { from, to } = watchedMonths(lease, months);
  const first = addMonths(from, -TRAILING);
  const rollups = rollupsOf(lease, { hs, years: { from: yearOf(first), to: yearOf(to) } });
  return rollups && seriesIn(rollups, { reporters, flow, hs, from: first, to });
}

/** SQL for reporter, flow, product, period and value (EUR) of the range and twelve months before it. */
export function sumsSql(lease: Lease, { hs, flow, reporters, months }: Watched): string {
  const { from, to } = watchedMonths(lease, months);
  const first = addMonths(from, -TRAILING);
  const years = { from: yearOf(first), to: yearOf(to) };
  return `select reporter, flow, ${productSql(hs)} as product, period, sum(value_eur)::double as value
    from ${totalsIn(lease, { hs, years })}
    where ${inReporters(reporters)} and ${inFlow(flow)} and period >= ${first} group by all`;
}

/** In the order of the anomalies; null = the series is too short. */
export async function yearOnYearScores(
  lease: Lease,
  { hs }: Watched,
  anomalies: readonly Anomaly[],
  signal: AbortSignal | undefined,
): Promise<(number | null)[]> {
  if (anomalies.length === 0) return [];
  const periods = anomalies.map(({ period }) => period);
  const first = Math.max(
    addMonths(Math.min(...periods), -ROBUST_WINDOW - TRAILING),
    lease.manifest.coverage.months.from,
  );
  const years = { from: yearOf(first), to: yearOf(Math.max(...periods)) };
  const valueIn = await valuesSince(lease, hs, { first, years }, anomalies, signal);
  const isComplete = completenessOf(lease.manifest.coverage, hs);
  return anomalies.map((anomaly) => {
    const months = monthsBetween(first, anomaly.period).map((period) =>
      isComplete(anomaly.reporter, anomaly.flow, period) ? valueIn(anomaly, period) : null,
    );
    const score = yearOnYearScore(months);
    return score === undefined ? null : sixDecimals(score);
  });
}

/** Monthly values of each anomaly's series, 0 without trade. */
async function valuesSince(
  lease: Lease,
  hs: string | undefined,
  { first, years }: { first: Period; years: Years },
  anomalies: readonly Anomaly[],
  signal: AbortSignal | undefined,
): Promise<(series: Series, period: Period) => number> {
  const rollups = rollupsOf(lease, { hs, years });
  if (rollups) {
    const to = years.to * 100 + 12;
    const values = new Map(
      anomalies.map((one) => [
        keyOf(one),
        valuesOf(rollups, { reporter: one.reporter, flow: one.flow, product: one.product, from: first, to }),
      ]),
    );
    return (series, period) => values.get(keyOf(series))?.[monthsSince(first, period)] || 0;
  }
  const keys = new Set(anomalies.map(keyOf));
  const rows = await lease.query<Series & { period: Period; value: number }>(
    `with series as (
       select reporter, flow, ${productSql(hs)} as product, period, value_eur from ${totalsIn(lease, { hs, years })}
     )
     select reporter, flow, product, period, sum(value_eur)::bigint as value from series
     where period >= ${first} and (reporter, flow, product) in (${[...keys].join(", ")}) group by all`,
    undefined,
    signal,
  );
  const values = new Map(rows.map((row) => [`${keyOf(row)} ${row.period}`, row.value]));
  return (series, period) => values.get(`${keyOf(series)} ${period}`) ?? 0;
}

type Series = Pick<Anomaly, "reporter" | "flow" | "product">;
const keyOf = ({ reporter, flow, product }: Series) =>
  `(${literal(reporter)}, ${literal(flow)}, ${literal(product)})`;

const productSql = (hs: string | undefined) => (hs === undefined ? "hs2" : literal(hs));
