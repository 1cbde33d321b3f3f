/** The demand forecast next to the methods it was chosen among, on real monthly series: `npx tsx bench/forecast.ts`. */
import { forecastCatalogue } from "../src/domain/commerce/forecast.ts";
import { meanOf, meanStep, tsb } from "../src/domain/commerce/smoothing.ts";
import { AHEAD, here, kinds, ORIGINS, realSeries } from "../test/commerce/real-series.ts";

if (!here) process.exit(1);

type Ahead = (ahead: number) => number;
type Method = (seen: number[]) => Ahead;

const flat =
  (level: (seen: number[]) => number): Method =>
  (seen) => {
    const found = level(seen);
    return () => found;
  };

/** Simple exponential smoothing; α below 1 by squared error. */
function smoothed(seen: number[]): number {
  let best = { error: Number.POSITIVE_INFINITY, level: 0 };
  for (let alpha = 0.05; alpha < 1; alpha += 0.05) {
    let level = seen[0]!;
    let error = 0;
    for (const value of seen.slice(1)) {
      error += (value - level) ** 2;
      level += alpha * (value - level);
    }
    if (error < best.error) best = { error, level };
  }
  return best.level;
}

const others: Record<string, Method> = {
  "TSB alone": flat(tsb),
  "12-month mean": flat((seen) => meanOf(seen.slice(-12))),
  "SES, α < 1": flat(smoothed),
  "seasonal naive": (seen) => (ahead) => seen[seen.length - 12 + ahead - 1]!,
};

type Row = { name: string; kind: string; errors: number[] };
type Within = { answered: number; 80: number; 95: number };

const series = await realSeries();
const rows: Row[] = [];
const errorsOf = (name: string, kind: string) => {
  const known = rows.find((row) => row.name === name && row.kind === kind);
  if (known) return known.errors;
  const row: Row = { name, kind, errors: [] };
  rows.push(row);
  return row.errors;
};
function judge(name: string, one: number[], origin: number, said: Ahead): void {
  const step = meanStep(one.slice(0, origin));
  const months = Array.from({ length: AHEAD }, (_, at) => Math.abs(one[origin + at]! - said(at + 1)));
  for (const [kind, isOf] of Object.entries(kinds))
    if (isOf(one, origin)) errorsOf(name, kind).push(meanOf(months) / step);
}

const windows = [36, 24, 12];
for (const window of windows) {
  const name = `forecast, months_history ${window}`;
  const within: Within = { answered: 0, 80: 0, 95: 0 };
  const walked: Within = { answered: 0, 80: 0, 95: 0 };
  let seasonal = 0;
  const begun = process.cpuUsage();
  for (const origin of ORIGINS) {
    const made = forecastCatalogue(
      series.map((one) => one.slice(0, origin)),
      { months_ahead: AHEAD, window },
    );
    for (const [at, { months, method, coverage }] of made.entries()) {
      const one = series[at]!;
      if (method === "seasonal_tsb") seasonal += 1;
      judge(name, one, origin, (ahead) => months[ahead - 1]!.mean);
      walked.answered += coverage.n;
      for (const level of [80, 95] as const) walked[level] += ((coverage[level] ?? 0) * coverage.n) / 100;
      for (const month of months) {
        if (!month[95] || !month[80]) continue;
        within.answered += 1;
        const came = one[origin + month.ahead - 1]!;
        for (const level of [80, 95] as const)
          if (month[level]!.low <= came && came <= month[level]!.high) within[level] += 1;
      }
    }
  }
  const { user, system } = process.cpuUsage(begun);
  const percent = ({ answered, ...of }: Within) =>
    `${((100 * of[80]) / answered).toFixed(1)} and ${((100 * of[95]) / answered).toFixed(1)} % of ${answered.toLocaleString("en")}`;
  console.log(
    `${name}: within ${percent(within)}; walked forward ${percent(walked)}; seasonal ${seasonal} of ${series.length * ORIGINS.length}; ` +
      `${((user + system) / 1_000 / series.length / ORIGINS.length).toFixed(2)} ms CPU a product`,
  );
}
for (const [name, method] of Object.entries(others))
  for (const origin of ORIGINS)
    for (const one of series) judge(name, one, origin, method(one.slice(0, origin)));
for (const { name, kind, errors } of rows)
  console.log(`MASE ${meanOf(errors).toFixed(3)}  ${kind} (${errors.length})  ${name}`);
