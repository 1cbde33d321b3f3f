/** The series of one vintage that bets are about. */
import { literal } from "../../datasets/duckdb.ts";
import { brent } from "../../datasets/reference/brent.ts";
import { ecbRates } from "../../datasets/reference/ecb-rates.ts";
import { hicp } from "../../datasets/reference/hicp.ts";
import { type Policy, policies } from "../../datasets/reference/policies.ts";
import type { ReferenceStore } from "../../datasets/reference/store.ts";
import { type Reference, type ReferenceTable, sandboxOf } from "../../datasets/reference/table.ts";
import type { Lease } from "../../datasets/vintage-store.ts";
import { isLastWorkingDay, ratesOf } from "../../domain/macro/exchange-rates.ts";
import type { Reading } from "../../domain/macro/indicators.ts";
import { indexOfMonth, type Series, type Subject } from "../../domain/signals/series.ts";
import { type CompletenessCheck, completenessOf } from "../../domain/trade/coverage.ts";
import type { ReporterCode } from "../../domain/trade/reporters.ts";
import { type Flow, flows, monthsBetween, type Period, yearOf } from "../../domain/trade/units.ts";
import { monthsIn } from "../trade/answers/series.ts";
import { inReporters, partnersIn } from "../trade/answers/tables.ts";

/** The chapters with bets: fixed, because a choice by size would use later knowledge. */
const CHAPTERS = ["27", "30", "39", "44", "72", "84", "85", "87"] as const;

/** Policies of the data's kind, synthetic or real, because neither applies to the other. */
export function policiesFor(reference: ReferenceStore, synthetic: boolean): Reference<Policy> | undefined {
  const table = reference.find(policies);
  return table?.synthetic === synthetic ? table : undefined;
}

/** Every reporter's imports and exports of those chapters, as one vintage has them. */
export async function tradeSeries(
  lease: Lease,
  announced: readonly Policy[],
  signal?: AbortSignal,
): Promise<Series[]> {
  const { dataset, coverage } = lease.manifest;
  const { from: readingsFrom, to } = coverage.months;
  const years = { from: yearOf(readingsFrom), to: yearOf(to) };
  const months = monthsBetween(readingsFrom, to);
  const reporters = coverage.reporters.map(({ reporter }) => reporter);
  const all: Series[] = [];
  for (const hs of CHAPTERS) {
    const known = completenessOf(coverage, hs);
    // A covered chapter without a row had no trade, so zeros decide its bets.
    const isCovered = reporters.some((code) =>
      flows.some((flow) => months.some((period) => known(code, flow, period))),
    );
    if (!isCovered) continue;
    const rows = await monthsIn(lease, undefined, { hs, reporters, years }, signal);
    const found = new Map(rows.map((row) => [`${row.reporter} ${row.period}`, row]));
    const begins = new Set(announced.filter((one) => one.hs.startsWith(hs)).map(({ date }) => monthOf(date)));
    const early = await earlyPartners(lease, hs, known, signal);
    for (const reporter of reporters)
      for (const flow of flows) {
        const values = months.map((period) => {
          if (!known(reporter, flow, period)) return null;
          const row = found.get(`${reporter} ${period}`);
          return (flow === "IMPORT" ? row?.imports_eur : row?.exports_eur) ?? 0;
        });
        const subject = { kind: "above_last_year", reporter, flow, hs } as const;
        const mirror = early(reporter, flow, months);
        all.push({
          dataset,
          subject,
          from: readingsFrom,
          values,
          policies: begins,
          ...(mirror && { mirror }),
        });
      }
  }
  return all;
}

const monthOf = (date: string): Period => Number(date.slice(0, 7).replace("-", ""));

const oppositeOf = (flow: Flow): Flow => (flow === "IMPORT" ? "EXPORT" : "IMPORT");

type Mirrored = { reporter: ReporterCode; partner: string; flow: Flow; period: Period; value: number };

/** A reporter's flow from all partners that have delivered more months than it; undefined where there is none. */
async function earlyPartners(
  lease: Lease,
  hs: string,
  known: CompletenessCheck,
  signal: AbortSignal | undefined,
): Promise<(reporter: ReporterCode, flow: Flow, months: readonly Period[]) => (number | null)[] | undefined> {
  const { reporters, months } = lease.manifest.coverage;
  const last = Math.max(...reporters.map(({ to }) => to));
  const late = reporters.filter(({ to }) => to < last).map(({ reporter }) => reporter);
  if (late.length === 0) return () => undefined;
  const years = { from: yearOf(months.from), to: yearOf(months.to) };
  const rows = await lease.query<Mirrored>(
    `select reporter, partner, flow, period, sum(value_eur)::double as value from ${partnersIn(lease, { hs, years })}
     where partner in (${late.map(literal).join(", ")}) and ${inReporters(reporters.map(({ reporter }) => reporter))}
     group by 1, 2, 3, 4`,
    undefined,
    signal,
  );
  const stated = new Map(
    rows.map(({ reporter, partner, flow, period, value }) => [
      `${reporter} ${partner} ${flow} ${period}`,
      value,
    ]),
  );
  const delivered = new Map(reporters.map(({ reporter, to }) => [reporter, to]));
  return (reporter, flow, of) => {
    const ahead = [...delivered].filter(([, to]) => to > delivered.get(reporter)!).map(([code]) => code);
    if (ahead.length === 0) return undefined;
    return of.map((period) => {
      if (!ahead.every((code) => known(code, oppositeOf(flow), period))) return null;
      const values = ahead.map(
        (code) => stated.get(`${code} ${reporter} ${oppositeOf(flow)} ${period}`) ?? 0,
      );
      return values.reduce((sum, value) => sum + value, 0);
    });
  };
}

/** An indicator's value at the end of each complete month; days of the current month decide nothing. */
function monthEnds(readings: readonly Reading[]): { month: Period; value: number }[] {
  const ends = new Map(readings.map(({ at, value }) => [monthOf(at), value]));
  const last = readings.at(-1)?.at;
  // A reading of a whole month has no day.
  if (last !== undefined && last.length === 10 && !isLastWorkingDay(last)) ends.delete(monthOf(last));
  return [...ends].map(([month, value]) => ({ month, value }));
}

type Indicator = Extract<Subject, { kind: "above_level" }>["indicator"];

const from = <Row extends object>(
  table: ReferenceTable<Row>,
  indicator: Indicator,
  readings: (rows: readonly Row[]) => Reading[],
) => ({
  datasets: [table.name, sandboxOf(table)],
  read: (reference: ReferenceStore) => {
    const found = reference.find(table);
    return (
      found && { reference: found as Reference<object>, indicator, ends: monthEnds(readings(found.rows)) }
    );
  },
});

const tables = [
  from(brent, "brent_usd", (rows) => rows.map(({ date, usd_per_bbl }) => ({ at: date, value: usd_per_bbl }))),
  from(ecbRates, "eur_usd", (rows) => ratesOf(rows, "USD").toSorted((a, b) => (a.at < b.at ? -1 : 1))),
  from(hicp, "hicp", (rows) => {
    const areas = [...new Set(rows.map(({ geo }) => geo))].filter((geo) => /^EA\d*$/.test(geo)).sort();
    const area = areas.includes("EA") ? "EA" : areas.at(-1);
    return rows
      .flatMap(({ geo, month, index }) =>
        geo === area && index !== null ? [{ at: month, value: index }] : [],
      )
      .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  }),
];

/** The datasets of tables that are bet on. */
export const indicatorDatasets: readonly string[] = tables.flatMap(({ datasets }) => datasets);

/** The indicator of a table's dataset; undefined where the table that is open is another one, or not there. */
export function indicatorSeries(
  reference: ReferenceStore,
  dataset: string,
): { series: Series; vintage: string; synthetic: boolean } | undefined {
  const found = tables.find(({ datasets }) => datasets.includes(dataset))?.read(reference);
  const first = found?.ends[0];
  if (!found || !first || found.reference.dataset !== dataset) return undefined;
  const subject = { kind: "above_level", indicator: found.indicator } as const;
  const values: (number | null)[] = [];
  for (const { month, value } of found.ends) {
    const at = indexOfMonth({ from: first.month }, month);
    while (values.length < at) values.push(null);
    values.push(value);
  }
  const { vintage, synthetic } = found.reference;
  return { series: { dataset, subject, from: first.month, values }, vintage, synthetic };
}
