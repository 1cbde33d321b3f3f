/** Marks events on days of a chart: signs along its bottom, one row per kind, or lines across it. */
import type { LegendComponentOption, ScatterSeriesOption } from "echarts";
import type { Chart, Marks } from "../../core/model/chart.ts";
import { WARNING } from "./look.ts";

const SIGNS: Record<Marks["shape"], { symbol: string; rotate: number; colour: string }> = {
  up: { symbol: "triangle", rotate: 0, colour: "#009e73" },
  round: { symbol: "circle", rotate: 0, colour: "#e69f00" },
  down: { symbol: "triangle", rotate: 180, colour: WARNING },
  line: { symbol: "path://M0,0L2,0L2,10L0,10Z", rotate: 0, colour: "#e69f00" },
};
const SIZE = 9;
const ROW = 13;

const distinctMarks = ({ marks = [] }: Pick<Chart, "marks">) => marks.filter(({ at }) => at.includes(true));

export const legendOfMarks = (chart: Pick<Chart, "marks">) =>
  distinctMarks(chart).map(({ name, shape }) => ({
    name,
    icon: SIGNS[shape].symbol,
    itemStyle: { color: SIGNS[shape].colour },
    symbolRotate: SIGNS[shape].rotate,
  })) satisfies NonNullable<LegendComponentOption["data"]>;

const lineAcross = (at: readonly boolean[], colour: string): ScatterSeriesOption => ({
  type: "scatter",
  data: [],
  itemStyle: { color: colour },
  markLine: {
    silent: true,
    symbol: "none",
    label: { show: false },
    lineStyle: { color: colour, type: "dashed", width: 1.5 },
    data: at.flatMap((is, place) => (is ? [{ xAxis: place }] : [])),
  },
});

/** Signs above the axis, one row per kind. */
export const drawnMarks = (chart: Chart): ScatterSeriesOption[] =>
  distinctMarks(chart).map(({ name, shape, at }, row) => {
    const { symbol, rotate, colour } = SIGNS[shape];
    if (shape === "line") return { ...lineAcross(at, colour), name };
    return {
      type: "scatter",
      name,
      symbol,
      symbolRotate: rotate,
      symbolSize: SIZE,
      symbolOffset: [0, -ROW * row - SIZE],
      itemStyle: { color: colour, borderColor: "#ffffff", borderWidth: 1 },
      data: at.map((is) => (is ? (chart.zones?.[0]?.from ?? 0) : "-")),
      z: 5,
      silent: true,
    };
  });
