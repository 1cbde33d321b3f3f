/** Provisional values that would set the scale: a month of a few tonnes has a price of any height. */
import type { Chart, Series } from "../../core/model/chart.ts";
import { labelText } from "./text.ts";

/** A provisional value may go beyond the settled ones by so much of their range before it is cut. */
const BEYOND = 0.5;
/** Where it is cut, above or below the settled ones, in parts of their range. */
const CUT_AT = 0.15;
/** Settled values that a scale can rest on, at least. */
const LEAST_SETTLED = 3;

/** Which values of a series were cut: drawn as a triangle at the edge. */
export type Cut = Series & { cut?: boolean[] };

/** The same chart with provisional values cut where they are far beyond the settled ones, which a note says. */
export function cutProvisional(chart: Chart): Omit<Chart, "series"> & { series: Cut[] } {
  if (chart.kind === "ranking") return chart;
  const told: string[] = [];
  const axes = [false, true].map((onRight) =>
    rangeOf(chart.series.filter((one) => isOnRight(one) === onRight)),
  );
  const series = chart.series.map((one): Cut => {
    const range = axes[isOnRight(one) ? 1 : 0];
    if (!range || !one.provisional?.includes(true)) return one;
    const { low, high, span } = range;
    const isFar = (value: number | null, at: number): value is number =>
      value !== null &&
      one.provisional?.[at] === true &&
      (value > high + BEYOND * span || value < low - BEYOND * span);
    const cut = one.values.map(isFar);
    if (!cut.includes(true)) return one;
    const values = one.values.map((value, at) => {
      if (!isFar(value, at)) return value;
      told.push(`${one.name} ${chart.x[at]}: ${labelText(value)}`);
      return value > high ? high + CUT_AT * span : low - CUT_AT * span;
    });
    return { ...one, values, cut };
  });
  const notes =
    told.length === 0 ? [] : [`Triangle: provisional and cut, far beyond the others (${told.join(", ")}).`];
  return { ...chart, series, notes: [...notes, ...chart.notes] };
}

const isOnRight = ({ on_right }: Series) => on_right === true;

/** The range of the settled values of these series; undefined where there are too few. */
function rangeOf(series: readonly Series[]): { low: number; high: number; span: number } | undefined {
  const settled = series.flatMap(({ values, provisional }) =>
    values.filter((value, at) => value !== null && provisional?.[at] !== true),
  ) as number[];
  if (settled.length < LEAST_SETTLED) return undefined;
  const low = settled.reduce((least, value) => Math.min(least, value), Infinity);
  const high = settled.reduce((most, value) => Math.max(most, value), -Infinity);
  const span = Math.max(high - low, Math.abs(high) * 0.1);
  return span > 0 ? { low, high, span } : undefined;
}
