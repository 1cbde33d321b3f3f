/** A monthly series for each reporter, flow and product with trade. */
import type { YearRollup } from "../../../datasets/rollups/year.ts";
import { flowsOf } from "../../../domain/trade/coverage.ts";
import { type Flow, flows, monthsSince, type Period } from "../../../domain/trade/units.ts";

/** EUR by month; 0 without a row. */
export type Values<Reporter extends string> = {
  reporter: Reporter;
  flow: Flow;
  product: string;
  values: Float64Array;
};

type SeriesQuery<Reporter extends string> = {
  reporters: readonly Reporter[];
  flow?: Flow | undefined;
  /** One chapter; omitted = all, one by one. */
  hs?: string | undefined;
  from: Period;
  to: Period;
};

export function seriesIn<Reporter extends string>(
  rollups: readonly YearRollup[],
  { reporters, flow, hs, from, to }: SeriesQuery<Reporter>,
): Values<Reporter>[] {
  const products = hs === undefined ? [...new Set(rollups.flatMap(({ chapters }) => chapters))] : [hs];
  return reporters.flatMap((reporter) =>
    flowsOf(flow).flatMap((of) =>
      products.flatMap((product) => {
        const values = valuesOf(rollups, { reporter, flow: of, product, from, to });
        return values ? [{ reporter, flow: of, product, values }] : [];
      }),
    ),
  );
}

type SeriesKey = { reporter: string; flow: Flow; product: string | undefined; from: Period; to: Period };

/** The series of a chapter, or of all together; undefined if no month has a row. */
export function valuesOf(
  rollups: readonly YearRollup[],
  { reporter, flow, product, from, to }: SeriesKey,
): Float64Array | undefined {
  const length = monthsSince(from, to) + 1;
  let values: Float64Array | undefined;
  for (const rollup of rollups) {
    const months = rollup.totals(reporter, product);
    if (!months) continue;
    const begin = months.at + flows.indexOf(flow) * 12;
    const offset = monthsSince(from, rollup.year * 100 + 1);
    for (let month = Math.max(0, -offset); month < Math.min(12, length - offset); month++) {
      const value = months.eur[begin + month]!;
      if (Number.isNaN(value)) continue;
      values ??= new Float64Array(length);
      values[offset + month] = value;
    }
  }
  return values;
}
