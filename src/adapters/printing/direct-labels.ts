/** Labels at the ends of lines, in place of a legend. */
import type { Chart } from "../../core/model/chart.ts";
import type { Size } from "./look.ts";
import { shownSeries } from "./series.ts";
import { textWidth } from "./text.ts";

const MOST_LETTERS = 22;
const LABEL_SIZE = 12;
/** The height that a label needs, as a share of the picture. */
const LEAST_ROOM = 0.045;

/** The series with a label at their end; none if the labels do not fit: the legend then has the names. */
export function directNames(chart: Chart, size: Size): string[] {
  const { kind, series } = chart;
  const { pale } = shownSeries(chart);
  if (kind !== "line" || size.is_narrow || series.length < 2 || pale.length > 0) return [];
  if (series.some((one) => one.on_right || one.beyond !== undefined || one.as_line)) return [];
  const ends = series.map(({ values }) => values.findLastIndex((value) => value !== null));
  const last = chart.x.length - 1;
  if (ends.some((end) => end !== last)) return [];
  if (series.some(({ name }) => [...name].length > MOST_LETTERS)) return [];
  return areApart(
    series.map(({ values }) => values[last]!),
    chart,
  )
    ? series.map(({ name }) => name)
    : [];
}

/** Labels closer than a line of text would be moved away from their lines. */
function areApart(ends: readonly number[], { series, base = 0 }: Chart): boolean {
  const all = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const [least, most] = [Math.min(base, ...all), Math.max(base, ...all)];
  const sorted = ends.toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((end, at) => (end - sorted[at]!) / (most - least || 1));
  return gaps.every((gap) => gap >= LEAST_ROOM);
}

export const directWidth = (names: readonly string[]): number =>
  names.length === 0 ? 0 : Math.max(...names.map((name) => textWidth(name, LABEL_SIZE))) + 4;
