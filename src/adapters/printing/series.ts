/** The lines and bars of a chart in the words of ECharts. */
import type { BarSeriesOption, LineSeriesOption } from "echarts";
import type { Chart, Series } from "../../domain/chart.ts";
import { COLOURS, INK, MUTED, PALE } from "./look.ts";
import { labelText, type Scale } from "./text.ts";

/** Which series have a colour of their own. More lines than colours: the largest have one, the others are pale. */
export function shownSeries({ kind, series }: Chart): { coloured: Series[]; pale: Series[] } {
  if (series.length <= COLOURS.length) return { coloured: series, pale: [] };
  if (kind !== "line")
    return { coloured: series.slice(0, COLOURS.length), pale: series.slice(COLOURS.length) };
  const sorted = series.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const largest = new Set(sorted.slice(0, COLOURS.length));
  return {
    coloured: series.filter((one) => largest.has(one)),
    pale: series.filter((one) => !largest.has(one)),
  };
}

/** What the pale series are called together. */
export const paleName = (pale: Series[]) => `${pale.length} others`;

const sizeOf = ({ values }: Series) => values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0);

export function drawnSeries(chart: Chart, scale: Scale): (LineSeriesOption | BarSeriesOption)[] {
  const { coloured, pale } = shownSeries(chart);
  const all = [
    ...pale.map((one) => ({ one: { ...one, name: paleName(pale) }, colour: PALE })),
    ...coloured.map((one, at) => ({ one, colour: COLOURS[at]! })),
  ];
  return all.flatMap(({ one, colour }): (LineSeriesOption | BarSeriesOption)[] => {
    const scaled = scaledTo(one, scale, chart.base ?? 0);
    if (chart.kind === "line") return lines(scaled, colour);
    if (one.as_line) return lines(scaled, INK);
    return [chart.kind === "bar" ? bars(scaled, colour) : ranked(scaled, colour, chart, one)];
  });
}

const scaledTo = (series: Series, { divisor }: Scale, base: number): Series => ({
  ...series,
  values: series.values.map((value) => (value === null ? null : (value - base) / divisor)),
});

/** A line is whole where its values are settled; from the last settled one on to those that are not it is dashed. */
function lines({ name, values, provisional = [], marked = [] }: Series, colour: string): LineSeriesOption[] {
  const isOpen = (at: number) => provisional[at] === true;
  const settled = values.map((value, at) => (isOpen(at) ? null : value));
  const open = values.map((value, at) => (isOpen(at) || isOpen(at + 1) ? value : null));
  const line = (data: (number | null)[], type: "solid" | "dashed"): LineSeriesOption => ({
    type: "line",
    name,
    data: data.map((_, at) => pointOf(data, at, marked[at] === true, colour)),
    connectNulls: false,
    showAllSymbol: true,
    lineStyle: { type, width: colour === PALE ? 1 : 2 },
    itemStyle: { color: colour },
    z: colour === PALE ? 2 : 3,
  });
  return [line(settled, "solid"), ...(provisional.includes(true) ? [line(open, "dashed")] : [])];
}

/** A value between two gaps would be no line: it is a dot. */
function pointOf(data: (number | null)[], at: number, isMarked: boolean, colour: string) {
  const isAlone = (data[at - 1] ?? null) === null && (data[at + 1] ?? null) === null;
  const ring = { color: "#ffffff", borderColor: colour, borderWidth: 2 };
  return {
    value: data[at] ?? "-",
    symbol: isMarked || isAlone ? "circle" : "none",
    symbolSize: isMarked ? 9 : 6,
    ...(isMarked && { itemStyle: ring }),
  };
}

const bars = ({ name, values, provisional = [] }: Series, colour: string): BarSeriesOption => ({
  type: "bar",
  name,
  data: values.map((value, at) => ({
    value: value ?? "-",
    ...(provisional[at] && { itemStyle: { opacity: 0.45 } }),
  })),
  itemStyle: { color: colour },
  barMaxWidth: 40,
  barGap: "8%",
});

/** Bars of several series stand end to end in one row; a single one tells its value. */
function ranked(
  { name, values, provisional = [] }: Series,
  colour: string,
  { series, x }: Chart,
  unscaled: Series,
): BarSeriesOption {
  return {
    ...bars({ name, values, provisional }, colour),
    stack: "sum",
    barMaxWidth: 22,
    barCategoryGap: x.length > 20 ? "22%" : "32%",
    label: {
      show: series.length === 1,
      position: "right",
      color: MUTED,
      fontSize: x.length > 22 ? 10 : 11,
      formatter: ({ dataIndex }) => labelText(unscaled.values[dataIndex] ?? 0),
    },
  };
}
