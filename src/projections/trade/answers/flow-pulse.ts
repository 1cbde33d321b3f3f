import { z } from "zod";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { pulse, TRAILING } from "../../../domain/trade/anomalies.ts";
import { reportersOfEu } from "../../../domain/trade/coverage.ts";
import { basis, dataset, flow, hs, limit, recentMonths, reporter } from "../../../domain/trade/inputs.ts";
import {
  addMonths,
  monthsBetween,
  monthsSince,
  type Period,
  sixDecimals,
  yearOf,
} from "../../../domain/trade/units.ts";
import {
  ANOMALY_FORMULA,
  type Anomaly,
  aboutWatched,
  anomalyRow,
  judge,
  refuseUntested,
  rowOf,
  type Watched,
  watchedMeta,
  watchedMonths,
  watchedQuestion,
} from "./anomalies.ts";
import { aboutNames, namesOf, onDataset, type TradeData } from "./question.ts";
import { rollupsOf } from "./rolled-up.ts";
import { valuesOf } from "./rolled-up-series.ts";
import { inFlow, inReporters, totalsIn } from "./tables.ts";

export const flowPulseInput = z.object({
  reporter: reporter.optional().describe("One reporting country; omitted = all 27, ranked together"),
  months: recentMonths,
  flow: flow.optional(),
  limit,
  hs: hs.optional().describe("HS or CN code of 2, 4, 6 or 8 digits; omitted = each chapter"),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

export const flowPulseOutput = z.object({
  data: z.array(
    anomalyRow.extend({
      rank: z.int(),
      pulse: z.number().describe("|z|·√share_of_trade"),
      share_of_trade: z
        .number()
        .describe("Share of the reporter's trade in this flow over the twelve months before, 0 to 1"),
    }),
  ),
  meta: watchedMeta.extend({ ranked_of: z.int().describe("Number of anomalies with p_value ≤ 0.05") }),
});

export async function flowPulse(
  trade: TradeData,
  input: z.output<typeof flowPulseInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof flowPulseOutput>> {
  const reporters = input.reporter === undefined ? reportersOfEu(input.hs) : [input.reporter];
  return onDataset(trade, { ...watchedQuestion(input), reporters }, async (lease, query) => {
    const covered = lease.manifest.coverage.reporters.map((one) => one.reporter);
    const watched = { ...query, reporters: input.reporter === undefined ? covered : reporters };
    const [judged, tradeBefore] = await Promise.all([
      judge(lease, watched, signal),
      tradeBeforeOf(lease, watched, signal),
    ]);
    refuseUntested(lease, watched, judged, input.reporter);
    const ranked = judged.anomalies
      .map((anomaly) => {
        const share = anomaly.base_eur / tradeBefore(anomaly);
        return { anomaly, share, strength: pulse(anomaly.z, share) };
      })
      .sort((a, b) => b.strength - a.strength)
      .slice(0, input.limit);
    return {
      data: ranked.map(({ anomaly, share, strength }, at) => ({
        rank: at + 1,
        pulse: sixDecimals(strength),
        share_of_trade: sixDecimals(share),
        ...rowOf(anomaly, namesOf(trade)),
      })),
      meta: {
        ...aboutWatched(lease, watched, judged),
        count: ranked.length,
        ranked_of: judged.anomalies.length,
        ...aboutNames(trade),
        formula: `pulse = |z|·√share of the reporter's trade; ${ANOMALY_FORMULA}`,
      },
    };
  });
}

/** Monthly mean (EUR) of the reporter's whole flow over the twelve months before the anomaly. */
async function tradeBeforeOf(
  lease: Lease,
  { reporters, flow, months }: Watched,
  signal: AbortSignal | undefined,
): Promise<(anomaly: Anomaly) => number> {
  const { from, to } = watchedMonths(lease, months);
  const first = addMonths(from, -TRAILING);
  const years = { from: yearOf(first), to: yearOf(to) };
  const rollups = rollupsOf(lease, { years });
  if (rollups)
    return ({ reporter, flow: of, period }) => {
      const values = valuesOf(rollups, { reporter, flow: of, product: undefined, from: first, to });
      const at = monthsSince(first, period);
      const before = values?.subarray(at - TRAILING, at) ?? new Float64Array();
      return before.reduce((sum, value) => sum + value, 0) / TRAILING;
    };
  const rows = await lease.query<Pick<Anomaly, "reporter" | "flow"> & { period: Period; value: number }>(
    `select reporter, flow, period, sum(value_eur)::bigint as value from ${totalsIn(lease, { years })}
     where ${inReporters(reporters)} and ${inFlow(flow)} and period >= ${first} group by all`,
    undefined,
    signal,
  );
  const values = new Map(rows.map((row) => [`${row.reporter} ${row.flow} ${row.period}`, row.value]));
  return ({ reporter, flow, period }) =>
    monthsBetween(addMonths(period, -TRAILING), addMonths(period, -1)).reduce(
      (sum, month) => sum + (values.get(`${reporter} ${flow} ${month}`) ?? 0),
      0,
    ) / TRAILING;
}
