/** Spikes of imports before policies, in the open data. */
import { createHash } from "node:crypto";
import { literal } from "../../../datasets/duckdb.ts";
import { type Policy, policies } from "../../../datasets/reference/policies.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { frontRunning, type Series } from "../../../domain/fusion/front-running.ts";
import { type FrontRunWeek, lastDayOf, MOST_SIGNALS } from "../../../domain/reports/front-run.ts";
import { completenessOf } from "../../../domain/trade/coverage.ts";
import { reporterCodes } from "../../../domain/trade/reporters.ts";
import { type Period, yearOf } from "../../../domain/trade/units.ts";
import { chooseDataset, isCovered, monthsOf, type TradeData } from "../../trade/answers/question.ts";
import { profileOf } from "../../trade/answers/seasonality.ts";
import { inFlow, partnersIn, totalsIn } from "../../trade/answers/tables.ts";

/** Only the newest policies are examined, and only the largest spikes are reported. */
const MOST_POLICIES = 500;

/** The signals of a week; undefined while no policies match the data in being real or synthetic. */
export async function frontRunSignalsIn(
  trade: TradeData,
  reference: ReferenceStore,
  week: string,
  signal?: AbortSignal,
): Promise<FrontRunWeek | undefined> {
  const table = reference.find(policies);
  if (!table) return undefined;
  const due = table.rows
    .filter(({ date }) => date <= lastDayOf(week))
    .toSorted((a, b) => (a.date > b.date ? -1 : 1))
    .slice(0, MOST_POLICIES);
  const signals: FrontRunWeek["signals"] = [];
  const vintages = new Set<string>();
  for (const policy of due) {
    const question = {
      hs: policy.hs,
      partner: policy.origin ?? undefined,
      reporters: reporterCodes,
      flow: "IMPORT",
      compares: true,
    } as const;
    if (!isCovered(trade, question)) continue;
    const { manifest, query } = chooseDataset(trade, question);
    // Invented policies say nothing of real trade, nor real policies of invented trade.
    if (manifest.synthetic !== table.synthetic) continue;
    const lease = { ...trade.vintages.lease(manifest.dataset), manifest };
    try {
      vintages.add(lease.manifest.vintage);
      const series = await seriesOf(lease, query.hs ?? policy.hs, policy.origin, signal);
      const found = frontRunning(series.of, monthOf(policy.date), series.peak);
      if (found)
        signals.push({
          signal_id: idOf(policy),
          policy_date: policy.date,
          hs_code: policy.hs,
          ...found,
          ...joinedCodes(lease, query.hs ?? policy.hs),
        });
    } finally {
      lease.release();
    }
  }
  if (vintages.size === 0) return undefined;
  return {
    week,
    vintage: [...[...vintages].sort(), table.vintage].join(","),
    synthetic: table.synthetic,
    signals: signals
      .toSorted((a, b) => b.spike_multiple - a.spike_multiple || (a.signal_id < b.signal_id ? -1 : 1))
      .slice(0, MOST_SIGNALS),
  };
}

/** The codes of a sum of several. */
function joinedCodes({ manifest }: Lease, hs: string): { codes?: string[] } {
  const all = manifest.coverage.book?.of(hs)?.all ?? [];
  return all.length > 1 ? { codes: [...all] } : {};
}

const monthOf = (date: string): Period => Number(date.slice(0, 4)) * 100 + Number(date.slice(5, 7));

/** Gives the same policy the same signal id in each week. */
const idOf = ({ date, hs, origin, measure }: Policy): string =>
  createHash("sha256")
    .update(JSON.stringify([date, hs, origin, measure]))
    .digest("hex")
    .slice(0, 32);

/** Monthly imports of the 27 from the origin, or from everywhere, and the month of their seasonal peak. */
async function seriesOf(
  lease: Lease,
  hs: string,
  origin: string | null,
  signal?: AbortSignal,
): Promise<{ of: Series; peak: number | undefined }> {
  const { from, to } = lease.manifest.coverage.months;
  const years = { from: yearOf(from), to: yearOf(to) };
  const [table, where] =
    origin === null
      ? [totalsIn(lease, { hs, years }), "true"]
      : [partnersIn(lease, { hs, years }), `partner = ${literal(origin)}`];
  const rows = await lease.query<{ period: Period; value: number }>(
    `select period, sum(value_eur)::double as value from ${table} where ${inFlow("IMPORT")} and ${where} group by 1`,
    undefined,
    signal,
  );
  const values = new Map(rows.map(({ period, value }) => [period, value]));
  const known = completenessOf(lease.manifest.coverage, hs, origin ?? undefined);
  const isKnown = (period: Period) => reporterCodes.every((code) => known(code, "IMPORT", period));
  const months = monthsOf(lease, years).map((period) => ({
    period,
    value: isKnown(period) ? (values.get(period) ?? 0) : null,
  }));
  return {
    of: new Map(months.flatMap(({ period, value }) => (value === null ? [] : [[period, value] as const]))),
    peak: profileOf("IMPORT", months).peak?.month,
  };
}
