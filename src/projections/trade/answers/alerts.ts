import { z } from "zod";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { FALSE_DISCOVERY_RATE } from "../../../domain/trade/anomalies.ts";
import { completenessOf, reportersOfEu } from "../../../domain/trade/coverage.ts";
import { basis, dataset, flow, hs, recentMonths, reporter } from "../../../domain/trade/inputs.ts";
import type { NameOf } from "../../../domain/trade/product-names.ts";
import { type ReporterCode, reporterCode } from "../../../domain/trade/reporters.ts";
import { OUTLIER_SCORE } from "../../../domain/trade/unit-values.ts";
import {
  addMonths,
  type Flow,
  flows,
  monthsBetween,
  monthsSince,
  type Period,
  sixDecimals,
} from "../../../domain/trade/units.ts";
import {
  ANOMALY_FORMULA,
  aboutWatched,
  anomalyRow,
  isSignificant,
  judge,
  type MonthsOfFlow,
  monthsEach,
  monthsEachSql,
  refuseUntested,
  rowOf,
  sumsSql,
  type Watched,
  watchedMeta,
  watchedMonths,
  watchedQuestion,
  watchedSeries,
  yearOnYearScores,
} from "./anomalies.ts";
import { aboutNames, namesOf, onDataset, type TradeData } from "./question.ts";
import type { Values } from "./rolled-up-series.ts";

const MOST_ALERTS = 100;
const MOST_MOVERS = 20;

export const alertsInput = z.object({
  reporter: reporter
    .optional()
    .describe("One reporting country, tested by itself; omitted = all 27, tested together"),
  months: recentMonths,
  flow: flow.optional(),
  hs: hs.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

export const alert = anomalyRow.extend({
  year_on_year_score: z
    .number()
    .nullable()
    .describe(
      "Robust score of ln(x / x 12 months before) among these changes of the 36 months before; null = series too short",
    ),
  confirmed: z
    .boolean()
    .nullable()
    .describe(`true: |year_on_year_score| > ${OUTLIER_SCORE}; false: it may be the season; null: no score`),
});

const mover = z.object({
  reporter: reporterCode,
  product: z.string(),
  name: z.string().nullable(),
  flow: z.enum(flows),
  value_eur: z.int().describe("Value of the compared months, in EUR"),
  year_before_eur: z.int().describe("Value of the same months a year before, in EUR"),
  change_eur: z.int(),
  change: z.number().nullable().describe("Change in value, 0.1 = 10 % more; null: no trade a year before"),
  months: z.int().describe("Number of compared months, complete in both years"),
});

export const alertsOutput = z.object({
  data: z.object({
    alerts: z.array(alert).describe(`The significant ones, largest |z| first, at most ${MOST_ALERTS}`),
    movers: z.array(mover).describe(`The ${MOST_MOVERS} largest changes in EUR, up or down`),
  }),
  meta: watchedMeta.extend({
    significant: z.int().describe(`Number of alerts found; at most ${MOST_ALERTS} are listed`),
  }),
});

/** `optional`: nothing tested is an answer without alerts. */
export async function alerts(
  trade: TradeData,
  input: z.output<typeof alertsInput>,
  signal?: AbortSignal,
  tested: "required" | "optional" = "required",
): Promise<z.infer<typeof alertsOutput>> {
  const reporters = input.reporter === undefined ? reportersOfEu(input.hs) : [input.reporter];
  return onDataset(trade, { ...watchedQuestion(input), reporters }, async (lease, query) => {
    const covered = lease.manifest.coverage.reporters.map((one) => one.reporter);
    const watched = { ...query, reporters: input.reporter === undefined ? covered : reporters };
    const series = watchedSeries(lease, watched);
    const [judged, movers] = await Promise.all([
      judge(lease, watched, signal, series),
      topMovers(lease, namesOf(trade), watched, signal, series),
    ]);
    if (tested === "required") refuseUntested(lease, watched, judged, input.reporter);
    const significant = judged.anomalies.filter(isSignificant);
    const listed = significant.slice(0, MOST_ALERTS);
    const scores = await yearOnYearScores(lease, watched, listed, signal);
    return {
      data: {
        alerts: listed.map((anomaly, at) => {
          const score = scores[at]!;
          const confirmed = score === null ? null : Math.abs(score) > OUTLIER_SCORE;
          return { ...rowOf(anomaly, namesOf(trade)), year_on_year_score: score, confirmed };
        }),
        movers,
      },
      meta: {
        ...aboutWatched(lease, watched, judged),
        count: listed.length,
        significant: significant.length,
        ...aboutNames(trade),
        formula: `${ANOMALY_FORMULA}; an alert has p_adjusted ≤ ${FALSE_DISCOVERY_RATE}`,
      },
    };
  });
}

type Compared = {
  reporter: ReporterCode;
  flow: Flow;
  product: string;
  value_eur: number;
  year_before_eur: number;
  months: number;
};

/** Only months that the reporter delivered in both years are compared. */
async function topMovers(
  lease: Lease,
  nameOf: NameOf,
  watched: Watched,
  signal: AbortSignal | undefined,
  series: Values<ReporterCode>[] | undefined,
): Promise<z.infer<typeof mover>[]> {
  const { from, to } = watchedMonths(lease, watched.months);
  const isComplete = completenessOf(lease.manifest.coverage, watched.hs);
  const compared = monthsEach(watched, (reporter, flow) =>
    monthsBetween(from, to).filter((period) =>
      [period, addMonths(period, -12)].every((one) => isComplete(reporter, flow, one)),
    ),
  );
  if (compared === undefined) return [];
  const changes = series
    ? comparedSeries(series, compared, addMonths(from, -12))
    : await comparedIn(lease, watched, compared, signal);
  return changes
    .filter(({ value_eur, year_before_eur }) => value_eur !== year_before_eur)
    .map(({ value_eur, year_before_eur, ...row }) => ({
      ...row,
      name: nameOf(row.product),
      value_eur,
      year_before_eur,
      change_eur: value_eur - year_before_eur,
      change: year_before_eur > 0 ? sixDecimals(value_eur / year_before_eur - 1) : null,
    }));
}

async function comparedIn(
  lease: Lease,
  watched: Watched,
  compared: MonthsOfFlow[],
  signal: AbortSignal | undefined,
): Promise<Compared[]> {
  return lease.query<Compared>(
    `with compared(reporter, flow, periods) as (${monthsEachSql(compared)}), sums as (${sumsSql(lease, watched)})
     select reporter, flow, product, len(periods)::int as months,
       coalesce(sum(value) filter (list_contains(periods, period)), 0)::bigint as value_eur,
       coalesce(sum(value) filter (list_contains(periods, period + 100)), 0)::bigint as year_before_eur
     from sums join compared using (reporter, flow) group by all
     order by abs(value_eur - year_before_eur) desc, reporter, flow, product limit ${MOST_MOVERS}`,
    undefined,
    signal,
  );
}

function comparedSeries(
  series: readonly Values<ReporterCode>[],
  compared: readonly MonthsOfFlow[],
  first: Period,
): Compared[] {
  const places = new Map(
    compared.map((one) => [
      `${one.reporter} ${one.flow}`,
      one.months.map((period) => monthsSince(first, period)),
    ]),
  );
  const changes: (Compared & { moved: number })[] = [];
  for (const { reporter, flow, product, values } of series) {
    const months = places.get(`${reporter} ${flow}`);
    if (!months) continue;
    let [value_eur, year_before_eur] = [0, 0];
    for (const at of months) {
      value_eur += values[at]!;
      year_before_eur += values[at - 12]!;
    }
    const moved = Math.abs(value_eur - year_before_eur);
    changes.push({ reporter, flow, product, months: months.length, value_eur, year_before_eur, moved });
  }
  const codes = ({ reporter, flow, product }: Compared) => `${reporter} ${flow} ${product}`;
  changes.sort((a, b) => b.moved - a.moved || (codes(a) < codes(b) ? -1 : 1));
  return changes.slice(0, MOST_MOVERS).map(({ moved: _, ...one }) => one);
}
