/** Additions of `market-intel` to a market: its value at constant prices, leading and lagging products, and alerts. */
import { z } from "zod";
import { type Hicp, hicp } from "../../../datasets/reference/hicp.ts";
import { policies } from "../../../datasets/reference/policies.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage } from "../../../datasets/reference/table.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { compoundGrowth } from "../../../domain/fusion/growth.ts";
import {
  FALSE_DISCOVERY_RATE,
  LEAST_MONTHS,
  leadsAndLags,
  MOST_LAG,
} from "../../../domain/fusion/lead-lag.ts";
import { realValue } from "../../../domain/fusion/real-value.ts";
import type { BasisQuery } from "../../../domain/trade/code-basis.ts";
import { completenessOf } from "../../../domain/trade/coverage.ts";
import { productLevels } from "../../../domain/trade/products.ts";
import { partnerName, type ReporterCode } from "../../../domain/trade/reporters.ts";
import {
  addMonths,
  type Flow,
  monthText,
  type Period,
  sixDecimals,
  yearOf,
} from "../../../domain/trade/units.ts";
import { alert, alerts } from "../../trade/answers/alerts.ts";
import { monthsOf, type TradeData } from "../../trade/answers/question.ts";
import { inFlow, inReporters, totalsIn } from "../../trade/answers/tables.ts";
import type { Market } from "./market-methods.ts";

export const atConstantPrices = z.object({
  geo: z.string().describe("Area of the consumer prices: the reporter, else the euro area or the EU"),
  years: z
    .array(z.object({ year: z.int(), value_eur: z.int() }))
    .describe("Trade in EUR at the prices of the index's base year"),
  rate: z
    .number()
    .nullable()
    .describe(
      "Compound growth a year from the first to the last, 0.1 = 10 %; null: one year, or no trade in the first",
    ),
});

const pricesOf = perVintage(
  (rows: readonly Hicp[]) =>
    new Map(
      rows.flatMap(({ geo, month, index }) => (index === null ? [] : [[`${geo} ${month}`, index] as const])),
    ),
);

/** Areas that represent the 27 where a reporter has no index of its own. */
const areas = ["EA", "EA20", "EU27"];

/** Complete years, each month deflated by its own consumer prices, or the reason why there are none. */
export function atPricesOf(
  { lease, reporter }: Pick<Market, "lease" | "reporter">,
  months: readonly { period: Period; value: number }[],
  complete: readonly number[],
  reference: ReferenceStore,
): z.infer<typeof atConstantPrices> | string {
  const table = reference.find(hicp);
  if (!table) return "no index of consumer prices is loaded";
  if (table.synthetic !== lease.manifest.synthetic)
    return "real and synthetic figures are never joined: either the trade data or the consumer prices are synthetic";
  const prices = pricesOf(table);
  const has = (geo: string) => complete.some((year) => prices.has(`${geo} ${monthText(year * 100 + 1)}`));
  const geo = [...(reporter ? [reporter] : []), ...areas].find(has);
  if (geo === undefined) return "the index of consumer prices has none of the complete years";
  const years = complete.flatMap((year) => {
    const real = months
      .filter(({ period }) => yearOf(period) === year)
      .map(({ period, value }) => realValue(value, prices.get(`${geo} ${monthText(period)}`) ?? 0));
    if (real.length < 12 || !real.every((value) => value !== undefined)) return [];
    return { year, value_eur: Math.round(real.reduce((sum, value) => sum + value, 0)) };
  });
  const [first, last] = [years[0], years.at(-1)];
  if (!first || !last) return "the index of consumer prices has none of the complete years in full";
  const rate = compoundGrowth(first.value_eur, last.value_eur, last.year - first.year);
  return { geo, years, rate: rate === undefined ? null : sixDecimals(rate) };
}

export const leadLag = z.object({
  first: z.string().describe("The product that moves first"),
  second: z.string(),
  months: z.int().describe("Months until the second follows; 0 = the same month"),
  correlation: z.number(),
  p_adjusted: z.number(),
});

export const LEAD_FORMULA = `leads and lags: correlation of log changes less the mean of their calendar month, at −${MOST_LAG} … ${MOST_LAG} months; p by a circular block bootstrap (Politis and Romano 1992), adjusted over all pairs and lags, listed at ${FALSE_DISCOVERY_RATE} (Benjamini and Hochberg 1995); moving first is no cause`;

type LeadsQuery = { products: readonly string[]; reporters: readonly ReporterCode[]; flow: Flow };

/** The products that move before others, or the reason why that is unknown. */
export async function leadsOf(
  lease: Lease,
  { products, reporters, flow }: LeadsQuery,
  signal?: AbortSignal,
): Promise<z.infer<typeof leadLag>[] | string> {
  const { from, to } = lease.manifest.coverage.months;
  const years = { from: yearOf(from), to: yearOf(to) };
  const knowns = products.map((hs) => completenessOf(lease.manifest.coverage, hs));
  const everyKnown = (period: Period) =>
    knowns.every((known) => reporters.every((code) => known(code, flow, period)));
  // Months not delivered yet are not a gap within the series.
  const all = monthsOf(lease, years);
  const periods = all.slice(all.findIndex(everyKnown), all.findLastIndex(everyKnown) + 1);
  const series = await Promise.all(
    products.map(async (hs, at) => {
      const rows = await lease.query<{ period: Period; value: number }>(
        `select period, sum(value_eur)::double as value from ${totalsIn(lease, { hs, years })}
         where ${inReporters(reporters)} and ${inFlow(flow)} group by 1`,
        undefined,
        signal,
      );
      const values = new Map(rows.map(({ period, value }) => [period, value]));
      const isKnown = (period: Period) => reporters.every((code) => knowns[at]!(code, flow, period));
      return {
        name: hs,
        from: (periods[0] ?? from) % 100,
        values: periods.map((period) => (isKnown(period) ? (values.get(period) ?? 0) : null)),
      };
    }),
  );
  const found = await leadsAndLags(series, () => new Promise((turn) => setImmediate(turn)));
  signal?.throwIfAborted();
  if (found === undefined) return `leads and lags need two products with ${LEAST_MONTHS} known months each`;
  return found.map(({ first, second, lag, correlation, adjusted_p }) => ({
    ...(lag < 0 ? { first: second, second: first } : { first, second }),
    months: Math.abs(lag),
    correlation: sixDecimals(correlation),
    p_adjusted: sixDecimals(adjusted_p),
  }));
}

export const openAlert = alert.pick({
  reporter: true,
  period: true,
  value_eur: true,
  base_eur: true,
  z: true,
  confirmed: true,
});

const MOST_ALERTS = 5;
const MONTHS_WATCHED = 6;

/** Alerts of the last months on the product, the most certain first. */
export async function alertsOf(
  trade: TradeData,
  {
    lease,
    hs,
    flow,
    reporter,
    basis,
  }: Pick<Market, "lease" | "hs" | "flow" | "reporter"> & Pick<BasisQuery, "basis">,
  signal?: AbortSignal,
): Promise<z.infer<typeof openAlert>[]> {
  const alertsQuery = {
    ...{ months: MONTHS_WATCHED, flow, hs, basis },
    dataset: lease.manifest.dataset,
    // The 27 together need all 27, which a dataset of one country has of chapters at most.
    ...(reporter !== undefined && hs.length > productLevels.hs2 && { reporter }),
  };
  const { data } = await alerts(trade, alertsQuery, signal, "optional");
  return data.alerts
    .filter((one) => reporter === undefined || one.reporter === reporter)
    .slice(0, MOST_ALERTS)
    .map(({ reporter, period, value_eur, base_eur, z, confirmed }) => ({
      reporter,
      period,
      value_eur,
      base_eur,
      z,
      confirmed,
    }));
}

export const announced = z.object({
  date: z.string(),
  hs: z.string(),
  origin: z.string().nullable().describe("Country of origin by 2-letter code; null = all"),
  name: z.string().nullable(),
  measure: z.string(),
  source: z.string(),
});

const MONTHS_AHEAD = 12;

/**
 * Policies on the product that begin within a year after the data's last month, the next first, or the reason why
 * there are none.
 */
export function announcedOn(
  { lease, hs }: Pick<Market, "lease" | "hs">,
  reference: ReferenceStore,
): z.infer<typeof announced>[] | string {
  const table = reference.find(policies);
  if (!table) return "no table of policies is loaded";
  const { manifest } = lease;
  if (table.synthetic !== manifest.synthetic)
    return "real and synthetic figures are never joined: either the trade data or the policies are synthetic";
  const last = monthText(manifest.coverage.months.to);
  const end = monthText(addMonths(manifest.coverage.months.to, MONTHS_AHEAD));
  return table.rows
    .filter(({ date }) => date.slice(0, 7) > last && date.slice(0, 7) <= end)
    .filter((policy) => hs.startsWith(policy.hs) || policy.hs.startsWith(hs))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1))
    .map((policy) => ({ ...policy, name: policy.origin === null ? null : partnerName(policy.origin) }));
}
