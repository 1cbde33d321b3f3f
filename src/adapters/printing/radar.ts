/**
 * A radar chart with one spoke per name, next to a table. Drawn by hand, because a missing value must not be a
 * zero.
 */
import type { EChartsOption } from "echarts";
import type { Chart } from "../../core/model/chart.ts";
import { COLOURS, FONT, GRID, INK, MUTED } from "./look.ts";
import { textWidth } from "./text.ts";

const CENTRE = { x: 285, y: 275 };
const RADIUS = 158;
const RINGS = [0.25, 0.5, 0.75, 1];
const TABLE = { x: 560, y: 122, width: 290, row: 44 };

type Part = Extract<NonNullable<EChartsOption["graphic"]>, readonly unknown[]>[number];

const place = (at: number, of: number, share: number): [number, number] => {
  const angle = (2 * Math.PI * at) / of - Math.PI / 2;
  return [CENTRE.x + share * RADIUS * Math.cos(angle), CENTRE.y + share * RADIUS * Math.sin(angle)];
};

const polygon = (points: [number, number][], style: object): Part => ({
  type: "polygon",
  shape: { points },
  style,
  silent: true,
});

const text = (words: string, x: number, y: number, style: object = {}): Part => ({
  type: "text",
  x,
  y,
  style: {
    text: words,
    fontSize: 12,
    fontFamily: `${FONT}, Verdana, sans-serif`,
    fill: INK,
    verticalAlign: "middle",
    ...style,
  },
  silent: true,
});

/** Values are from 0 to 1. */
export function radarOf({ x: names, series }: Chart): Part[] {
  const values = series[0]?.values ?? [];
  const [colour] = COLOURS;
  const ring = (share: number) => names.map((_, at) => place(at, names.length, share));
  const known = names.flatMap((_, at) => (values[at] == null ? [] : [at]));
  const corners = known.map((at) => place(at, names.length, values[at]!));
  return [
    ...RINGS.toReversed().map((share, at) =>
      polygon(ring(share), { fill: at % 2 === 0 ? "#f6f7f9" : "#ffffff", stroke: GRID, lineWidth: 1 }),
    ),
    ...names.map((_, at): Part => {
      const [x2, y2] = place(at, names.length, 1);
      const isKnown = values[at] != null;
      return {
        type: "line",
        shape: { x1: CENTRE.x, y1: CENTRE.y, x2, y2 },
        style: { stroke: isKnown ? "#cbd0d8" : GRID, lineDash: isKnown ? [] : [3, 3] },
        silent: true,
      };
    }),
    ...RINGS.map((share) =>
      text(share.toFixed(2), CENTRE.x + 4, CENTRE.y - share * RADIUS + 7, { fontSize: 9, fill: MUTED }),
    ),
    polygon(corners, { fill: colour, opacity: 0.18 }),
    polygon(corners, { fill: "none", stroke: colour, lineWidth: 2.5, lineJoin: "round" }),
    ...corners.map(
      ([cx, cy]): Part => ({
        type: "circle",
        shape: { cx, cy, r: 4 },
        style: { fill: "#ffffff", stroke: colour, lineWidth: 2 },
        silent: true,
      }),
    ),
    ...names.map((name, at) => named(name, values[at] ?? null, at, names.length)),
    ...names.flatMap((name, at) => rowOf(name, values[at] ?? null, at)),
  ];
}

/** A name at the end of its spoke: at the side, above or below. */
function named(name: string, value: number | null, at: number, of: number): Part {
  const [x, y] = place(at, of, 1.1);
  const side = Math.abs(x - CENTRE.x) < 20 ? 0.5 : x > CENTRE.x ? 0 : 1;
  const left = x - side * textWidth(name, 12) * 0.9;
  return text(name, left, y, { fill: value === null ? MUTED : INK });
}

/** A table row: name, figure and bar. */
function rowOf(name: string, value: number | null, at: number): Part[] {
  const y = TABLE.y + at * TABLE.row;
  const { x, width } = TABLE;
  const bar = (share: number, fill: string): Part => ({
    type: "rect",
    shape: { x, y: y + 13, width: Math.max(share * width, 3), height: 5, r: 2.5 },
    style: { fill },
    silent: true,
  });
  const figure = value === null ? "not measured" : value.toFixed(3);
  return [
    text(name, x, y, { fontSize: 13, fill: value === null ? MUTED : INK }),
    text(figure, x + width, y, {
      align: "right",
      fontSize: value === null ? 12 : 13,
      fontWeight: value === null ? "normal" : "bold",
      fill: value === null ? MUTED : INK,
    }),
    bar(1, "#eef0f3"),
    ...(value === null || value === 0 ? [] : [bar(value, COLOURS[0]!)]),
  ];
}
