/** Provisional values could dominate the scale: the price of a month with few tonnes can be arbitrarily high. */
import type { Chart, Series } from "../../core/model/chart.ts";
import { labelText } from "./text.ts";

/** A provisional value is cut if it exceeds the settled values by more than this share of their range. */
const BEYOND = 0.5;
/** The height of a cut value above or below the settled ones, as a share of their range. */
const CUT_AT = 0.15;
/** The fewest settled values that determine a scale. */
const LEAST_SETTLED = 3;

/** `cut`: the values drawn as a triangle at the edge. */
export type Cut = Series & { cut?: boolean[] };

/** The chart with far provisional values cut, which a note states. */
export function cutProvisional(chart: Chart): Omit<Chart, "series"> & { series: Cut[] } {
  if (chart.kind === "ranking") return chart;
  const lines: string[] = [];
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
      lines.push(`${one.name} ${chart.x[at]}: ${labelText(value)}`);
      return value > high ? high + CUT_AT * span : low - CUT_AT * span;
    });
    return { ...one, values, cut };
  });
  const notes =
    lines.length === 0 ? [] : [`Triangle: provisional and cut, far beyond the others (${lines.join(", ")}).`];
  return { ...chart, series, notes: [...notes, ...chart.notes] };
}

const isOnRight = ({ on_right }: Series) => on_right === true;

/** The range of the settled values; undefined if there are too few. */
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
