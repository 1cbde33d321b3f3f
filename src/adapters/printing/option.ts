/** Translates a chart into ECharts options: layout, colours and texts. */
import type { EChartsOption } from "echarts";
import type { Chart, Provenance } from "../../core/model/chart.ts";
import { cutProvisional } from "./cut.ts";
import { directNames, directWidth } from "./direct-labels.ts";
import { headOf, MOST_VINTAGES, vintagesOf } from "./head.ts";
import { COLOURS, FONT, GRID, INK, MARGIN, MUTED, type Size, USUAL } from "./look.ts";
import { drawnMarks, legendOfMarks } from "./marks.ts";
import { radarOf } from "./radar.ts";
import { drawnSeries, paleName, shownSeries, zonesInView } from "./series.ts";
import {
  axisUnit,
  clipped,
  dayText,
  numberText,
  readable,
  type Scale,
  scaleOf,
  textWidth,
  wrapped,
} from "./text.ts";

const LEGEND_ROW = 26;
const MOST_NOTES = 4;
const NOTE_LETTERS = 128;
const NOTE_ROW = 15;
const MOST_DATES = { wide: 9, narrow: 4 };
/** In characters. */
const LEGEND_NAME = 24;
const RANKED_NAME = { wide: 42, narrow: 20 };
const MOST_RANKED = { wide: 30, narrow: 15 };
const UNIT_ROW = 18;

/** Without a provenance it is a document's chart, and the document names the sources. */
export function optionOf(
  given: Chart,
  provenance: Provenance | undefined,
  size: Size = USUAL,
): EChartsOption {
  const chart = cutProvisional(readable(fitting(given, size)));
  const scale = scaleOf(chart);
  const notes = notesOf(chart, provenance ? vintagesOf(provenance.vintage) : [], size);
  const direct = directNames(chart, size);
  const legend = legendOf(chart, size, direct.length > 0);
  const head = headOf(chart.title, provenance && readable(provenance), size);
  const marks = legendOfMarks(chart);
  const isEmpty = chart.series.every(({ values }) => values.every((value) => value === null));
  const top = head.bottom + legend.rows * LEGEND_ROW + (chart.kind === "ranking" ? 4 : 22);
  return {
    animation: false,
    backgroundColor: "#ffffff",
    textStyle: { fontFamily: `${FONT}, Verdana, sans-serif`, color: INK },
    color: [...COLOURS],
    title: [
      ...head.titles,
      ...notes.map((note, at) => ({
        text: note,
        left: MARGIN - 5,
        top: size.height - 12 - (notes.length - at) * NOTE_ROW,
        padding: [0, 5],
        textStyle: { fontSize: 11, fontWeight: "normal" as const, color: MUTED },
      })),
      ...(isEmpty ? [nothing(chart.empty)] : []),
    ],
    ...(chart.kind === "radar" && { graphic: isEmpty ? [] : radarOf(chart, { size, top: head.bottom }) }),
    legend: {
      show: legend.rows > 0,
      data: [...legend.names, ...marks],
      left: MARGIN - 5,
      top: head.bottom,
      width: size.width - 2 * MARGIN,
      icon: "roundRect",
      itemWidth: 14,
      itemHeight: chart.kind === "line" && marks.length === 0 ? 4 : 10,
      itemGap: 16,
      selectedMode: false,
      formatter: (name) => clipped(name, LEGEND_NAME),
      textStyle: { fontSize: 12, color: INK },
    },
    grid: {
      left: MARGIN,
      right: chart.kind === "ranking" ? (size.is_narrow ? 56 : 84) : MARGIN + 6 + directWidth(direct),
      top,
      bottom: 20 + notes.length * NOTE_ROW + (hasUnitBelow(chart, size) ? UNIT_ROW : 0),
      outerBoundsMode: "same",
      outerBoundsContain: "axisLabel",
    },
    ...(chart.kind !== "radar" && {
      ...axesOf(chart, scale, { isEmpty, size }),
      series: [...drawnSeries(chart, scale, direct), ...drawnMarks(chart)],
    }),
  };
}

/** The unit of a narrow ranking is below its axis, because the space behind the axis is too short for it. */
const hasUnitBelow = ({ kind }: Chart, { is_narrow }: Size) => kind === "ranking" && is_narrow;

/** Rankings end where the space ends, and say so. */
function fitting(chart: Chart, { is_narrow }: Size): Chart {
  const most = is_narrow ? MOST_RANKED.narrow : MOST_RANKED.wide;
  if (chart.kind !== "ranking" || chart.x.length <= most) return chart;
  return {
    ...chart,
    x: chart.x.slice(0, most),
    series: chart.series.map((one) => ({ ...one, values: one.values.slice(0, most) })),
    notes: [...chart.notes, `The first ${most} of ${chart.x.length} are drawn.`],
  };
}

const nothing = (text = "There are no figures to draw") => ({
  text,
  left: "center",
  top: "middle",
  textStyle: { fontSize: 15, fontWeight: "normal" as const, color: MUTED },
});

/** Series with a label at their end are not in the legend. */
function legendOf(chart: Chart, { width }: Size, isDirect: boolean): { names: string[]; rows: number } {
  if (chart.kind === "radar") return { names: [], rows: 0 };
  const { coloured, pale } = shownSeries(chart);
  const marks = legendOfMarks(chart).map(({ name }) => name);
  const names = isDirect
    ? []
    : [...coloured.map(({ name }) => name), ...(pale.length > 0 ? [paleName(pale)] : [])];
  const least = isDirect ? 1 : 2;
  if (names.length + marks.length < least) return { names: [], rows: 0 };
  let rows = 1;
  let used = 0;
  for (const name of [...names, ...marks]) {
    const entry = textWidth(clipped(name, LEGEND_NAME), 12) + 36;
    if (used > 0 && used + entry > width - 2 * MARGIN) {
      rows++;
      used = 0;
    }
    used += entry;
  }
  return { names, rows };
}

function notesOf(chart: Chart, vintages: string[], { width, is_narrow }: Size): string[] {
  const { coloured, pale } = shownSeries(chart);
  const isOpen = chart.series.some(({ provisional }) => provisional?.includes(true));
  const isMarked = chart.series.some(({ marked }) => marked?.includes(true));
  const notes = [
    ...(pale.length > 0
      ? [
          `In colour the ${coloured.length} largest. Pale: ${pale
            .map(({ name }) => name)
            .sort()
            .join(", ")}`,
        ]
      : []),
    ...(isOpen
      ? [
          `${chart.kind === "line" ? "Dashed" : "Lighter"}: ${chart.meaning?.provisional ?? "provisional or not complete"}.`,
        ]
      : []),
    ...(isMarked ? [`Ring: ${chart.meaning?.marked ?? "stands out"}.`] : []),
    ...(isFarFromZero(chart) ? ["The axis does not begin at zero."] : []),
    ...(vintages.length > MOST_VINTAGES ? [`Vintages: ${vintages.join(", ")}`] : []),
    ...chart.notes,
  ].slice(0, MOST_NOTES);
  if (!is_narrow) return notes.map((note) => clipped(note, NOTE_LETTERS));
  return notes.flatMap((note) => wrapped(note, { most: width - 2 * MARGIN, size: 11, lines: 3 })).slice(0, 8);
}

function axesOf(
  chart: Chart,
  scale: Scale,
  { isEmpty, size }: { isEmpty: boolean; size: Size },
): Pick<EChartsOption, "xAxis" | "yAxis"> {
  const screen = size.is_narrow ? "narrow" : "wide";
  const base = chart.base ?? 0;
  const isKnown = (at: number) => chart.series.some(({ values }) => values[at] !== null);
  const names = {
    type: "category" as const,
    data: chart.x,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: MUTED } },
  };
  const figures = {
    type: "value" as const,
    name: isEmpty ? "" : axisUnit(chart.unit, scale),
    nameTextStyle: { color: MUTED, fontSize: 12, align: "left" as const },
    scale: isFarFromZero(chart),
    axisLabel: {
      show: !isEmpty,
      color: MUTED,
      fontSize: 12,
      formatter: (value: number) => numberText(value + base),
    },
    splitLine: { lineStyle: { color: GRID } },
  };
  if (chart.kind !== "ranking") {
    const ofDays = chart.x.every((x) => /^\d{4}-\d{2}-\d{2}$/.test(x));
    const ofMonths = chart.x.length > 24 && chart.x.every((x) => /^\d{4}-\d{2}$/.test(x));
    const axisLabel = {
      color: MUTED,
      fontSize: 12,
      hideOverlap: true,
      ...(ofMonths && {
        interval: (at: number) => chart.x[at]!.endsWith("-01"),
        formatter: (month: string) => month.slice(0, 4),
      }),
      ...(ofDays && {
        // The last day is labelled, and earlier days at even intervals.
        interval: (at: number) =>
          (chart.x.length - 1 - at) % Math.ceil(chart.x.length / MOST_DATES[screen]) === 0,
        formatter: dayText,
      }),
    };
    return {
      xAxis: {
        ...names,
        boundaryGap: chart.kind === "bar",
        axisLabel,
        axisLine: { ...names.axisLine, onZero: true },
      },
      yAxis: [{ ...figures, ...zonedAxis(chart), nameGap: 10 }, ...rightAxis(chart, figures)],
    };
  }
  return {
    xAxis: {
      ...figures,
      ...(hasUnitBelow(chart, size)
        ? { nameLocation: "middle" as const, nameGap: 24, nameTextStyle: { color: MUTED, fontSize: 12 } }
        : { nameLocation: "end" as const, nameGap: 8 }),
      axisLabel: { ...figures.axisLabel, hideOverlap: true },
    },
    yAxis: {
      ...names,
      inverse: true,
      axisLabel: {
        color: INK,
        fontSize: chart.x.length > 22 ? 10 : 12,
        interval: 0,
        formatter: (name: string, at: number) =>
          isKnown(at)
            ? clipped(name, RANKED_NAME[screen])
            : `${clipped(name, RANKED_NAME[screen] - 12)} (no figure)`,
      },
    },
  };
}

function zonedAxis(chart: Chart) {
  const { zones, end } = zonesInView(chart);
  return zones[0] ? { min: zones[0].from, max: end, scale: false } : {};
}

/** The axis for series in another unit than the chart's. */
function rightAxis({ series, unit_right }: Chart, figures: object) {
  const isNeeded = series.some(({ on_right }) => on_right);
  if (!isNeeded || unit_right === undefined) return [];
  return [
    {
      ...figures,
      type: "value" as const,
      name: unit_right,
      nameGap: 10,
      nameTextStyle: { color: MUTED, fontSize: 12, align: "right" as const },
      position: "right" as const,
      scale: false,
      alignTicks: true,
      splitLine: { show: false },
    },
  ];
}

/** True if lines would all run along the top of an axis that starts at zero. */
function isFarFromZero({ kind, series, zones, marks }: Chart): boolean {
  // Marks stand on the axis at zero.
  if (zones || marks?.some(({ at }) => at.includes(true))) return false;
  const values = series
    .filter(({ on_right }) => !on_right)
    .flatMap(({ values, band = [] }) => [...values, ...band.map((one) => one?.low ?? null)])
    .filter((value) => value !== null);
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return kind === "line" && least < most && least > 0.6 * most;
}
