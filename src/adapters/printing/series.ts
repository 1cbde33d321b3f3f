/** A chart's lines and bars as ECharts series. */
import type { BarSeriesOption, LineSeriesOption } from "echarts";
import type { Chart, Series } from "../../core/model/chart.ts";
import type { Cut } from "./cut.ts";
import { COLOURS, INK, MUTED, PALE } from "./look.ts";
import { labelText, type Scale } from "./text.ts";

/** With more lines than colours, only the largest are coloured; the others are pale. */
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

/** The legend entry of the pale series. */
export const paleName = (pale: Series[]) => `${pale.length} others`;

const sizeOf = ({ values }: Series) => values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0);

/** `direct`: the series with a label at their end. */
export function drawnSeries(
  chart: Chart,
  scale: Scale,
  direct: readonly string[] = [],
): (LineSeriesOption | BarSeriesOption)[] {
  const { coloured, pale } = shownSeries(chart);
  const all = [
    ...pale.map((one) => ({ one: { ...one, name: paleName(pale) }, colour: PALE })),
    ...coloured.map((one) => ({ one, colour: colourOf(one, coloured) })),
  ];
  return all.flatMap(({ one, colour }): (LineSeriesOption | BarSeriesOption)[] => {
    const scaled = scaledTo(one, one.on_right ? AS_IT_IS : scale, chart.base ?? 0);
    if (chart.kind === "line")
      return [
        ...bandsOf(scaled, colour),
        ...zoned(named(lines(scaled, colour), direct, colour), chart, colour),
      ];
    if (one.as_line) return lines(scaled, INK);
    return [chart.kind === "bar" ? bars(scaled, colour) : ranked(scaled, colour, chart, one)];
  });
}

const AS_IT_IS: Scale = { divisor: 1, word: "" };

/** A series that extends another uses its colour and takes none from the next ones. */
function colourOf({ name, beyond }: Series, coloured: readonly Series[]): string {
  const own = coloured.filter((one) => one.beyond === undefined);
  return COLOURS[own.findIndex((one) => one.name === (beyond ?? name))]!;
}

function scaledTo(series: Cut, { divisor }: Scale, base: number): Cut {
  const scaled = (value: number) => (value - base) / divisor;
  const { band, band_within } = series;
  const edges = (of: NonNullable<Series["band"]>) =>
    of.map((one) => one && { low: scaled(one.low), high: scaled(one.high) });
  return {
    ...series,
    values: series.values.map((value) => (value === null ? null : scaled(value))),
    ...(band && { band: edges(band) }),
    ...(band_within && { band_within: edges(band_within) }),
  };
}

/** Pale surfaces; nested ones add up. */
const bandsOf = ({ name, band, band_within }: Series, colour: string): LineSeriesOption[] => [
  ...bandOf(name, band, colour),
  ...bandOf(`${name}, within`, band_within, colour),
];

/** A pale surface between two invisible lines, the upper stacked on the lower. */
function bandOf(name: string, band: Series["band"], colour: string): LineSeriesOption[] {
  if (!band) return [];
  const edge = {
    type: "line" as const,
    name,
    stack: `band of ${name}`,
    symbol: "none",
    lineStyle: { width: 0 },
  };
  const style = { itemStyle: { color: colour }, z: 1 };
  return [
    { ...edge, ...style, data: band.map((one) => one?.low ?? "-") },
    {
      ...edge,
      ...style,
      data: band.map((one) => (one ? one.high - one.low : "-")),
      areaStyle: { color: colour, opacity: 0.18 },
    },
  ];
}

/** A line is solid up to its last settled value and dashed after it. */
function lines(series: Cut, colour: string): LineSeriesOption[] {
  const { name, values, provisional = [], marked = [], cut = [], on_right } = series;
  const isOpen = (at: number) => provisional[at] === true;
  const settled = values.map((value, at) => (isOpen(at) ? null : value));
  const open = values.map((value, at) => (isOpen(at) || isOpen(at + 1) ? value : null));
  const line = (data: (number | null)[], type: "solid" | "dashed"): LineSeriesOption => ({
    type: "line",
    name,
    ...(on_right && { yAxisIndex: 1 }),
    data: data.map((_, at) =>
      pointOf(data, at, { isMarked: marked[at] === true, isCut: cut[at] === true }, colour),
    ),
    connectNulls: false,
    showAllSymbol: true,
    lineStyle: { type, width: colour === PALE ? 1 : 2 },
    itemStyle: { color: colour },
    z: colour === PALE ? 2 : 3,
  });
  return [line(settled, "solid"), ...(provisional.includes(true) ? [line(open, "dashed")] : [])];
}

/** The last of a series' lines has its last value. */
const named = (drawn: LineSeriesOption[], direct: readonly string[], colour: string): LineSeriesOption[] =>
  drawn.map((line, at) =>
    at === drawn.length - 1 && direct.includes(String(line.name))
      ? { ...line, ...endLabel(String(line.name), colour) }
      : line,
  );

const endLabel = (name: string, color: string): Pick<LineSeriesOption, "endLabel"> => ({
  endLabel: { show: true, formatter: () => name, color, fontSize: 12, distance: 6 },
});

/** The zones up to the largest value, and their end; none without a value. */
export function zonesInView({ zones = [], zones_end = 0, series }: Chart) {
  const values = series.flatMap((one) => one.values.filter((value) => value !== null));
  if (values.length === 0) return { zones: [], end: zones_end };
  const largest = Math.max(...values);
  const end = zones.slice(1).find(({ from }) => from > largest)?.from ?? zones_end;
  return { zones: zones.filter(({ from }) => from < end), end };
}

/** With zones, a line has their names in the background and a surface below it. */
function zoned(drawn: LineSeriesOption[], chart: Chart, colour: string): LineSeriesOption[] {
  const { zones = [], end } = zonesInView(chart);
  if (zones.length === 0) return drawn;
  const markArea: NonNullable<LineSeriesOption["markArea"]> = {
    silent: true,
    label: { position: "insideTopLeft", color: MUTED, fontSize: 11, distance: 6 },
    data: zones.map(({ from, name }, at) => [
      { yAxis: from, name, itemStyle: { color: at % 2 === 0 ? "#f6f7f9" : "#ffffff" } },
      { yAxis: zones[at + 1]?.from ?? end },
    ]),
  };
  return drawn.map((one, at) => ({
    ...withLastLabel(one),
    areaStyle: { color: colour, opacity: 0.1 },
    ...(at === 0 && { markArea }),
  }));
}

/** A zoned line has its last value as a label, because a few days alone would not show it. */
function withLastLabel(line: LineSeriesOption): LineSeriesOption {
  const data = line.data as { value: number | "-" }[];
  const last = data.findLastIndex(({ value }) => value !== "-");
  const label = {
    show: true,
    position: last > data.length / 2 ? ("left" as const) : ("right" as const),
    fontWeight: "bold" as const,
    fontSize: 13,
    formatter: ({ value }: { value: unknown }) => labelText(Number(value)),
  };
  return {
    ...line,
    data: data.map((point, at) =>
      at === last ? { ...point, label, symbol: "circle", symbolSize: 7 } : point,
    ),
  };
}

/** A value between two gaps is not a line, so it is a dot. */
function pointOf(
  data: (number | null)[],
  at: number,
  { isMarked, isCut }: { isMarked: boolean; isCut: boolean },
  colour: string,
) {
  const isAlone = (data[at - 1] ?? null) === null && (data[at + 1] ?? null) === null;
  const ring = { color: "#ffffff", borderColor: colour, borderWidth: 2 };
  return {
    value: data[at] ?? "-",
    symbol: isCut ? "triangle" : isMarked || isAlone ? "circle" : "none",
    symbolSize: isCut ? 11 : isMarked ? 9 : 6,
    ...(isMarked && !isCut && { itemStyle: ring }),
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

/** Bars of several series are stacked; a single one shows its value. */
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
    ...(unscaled.beyond !== undefined && { itemStyle: { color: colour, opacity: 0.4 } }),
    label: {
      show: series.length === 1,
      position: "right",
      color: MUTED,
      fontSize: x.length > 22 ? 10 : 11,
      formatter: ({ dataIndex }) => labelText(unscaled.values[dataIndex] ?? 0),
    },
  };
}
