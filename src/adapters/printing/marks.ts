/** Marks events on days of a chart: signs along its bottom, one row per kind. */
import type { LegendComponentOption, ScatterSeriesOption } from "echarts";
import type { Chart, Marks } from "../../core/model/chart.ts";
import { WARNING } from "./look.ts";

const SIGNS: Record<Marks["shape"], { symbol: string; rotate: number; colour: string }> = {
  up: { symbol: "triangle", rotate: 0, colour: "#009e73" },
  round: { symbol: "circle", rotate: 0, colour: "#e69f00" },
  down: { symbol: "triangle", rotate: 180, colour: WARNING },
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

/** Signs above the axis, one row per kind. */
export const drawnMarks = (chart: Chart): ScatterSeriesOption[] =>
  distinctMarks(chart).map(({ name, shape, at }, row) => {
    const { symbol, rotate, colour } = SIGNS[shape];
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
