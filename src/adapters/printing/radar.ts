/**
 * A radar chart with one spoke per name, next to a table. Drawn by hand, because a missing value must not be a
 * zero.
 */
import type { EChartsOption } from "echarts";
import type { Chart } from "../../core/model/chart.ts";
import { COLOURS, FONT, GRID, INK, MARGIN, MUTED, type Size } from "./look.ts";
import { textWidth } from "./text.ts";

const RINGS = [0.25, 0.5, 0.75, 1];
/** Fewer corners than this away from the centre are not a shape. */
const LEAST_CORNERS = 5;

type Frame = { size: Size; top: number };
type Disc = { x: number; y: number; radius: number };
type Table = { x: number; y: number; width: number; row: number };

type Part = Extract<NonNullable<EChartsOption["graphic"]>, readonly unknown[]>[number];

const place = ({ x, y, radius }: Disc, at: number, of: number, share: number): [number, number] => {
  const angle = (2 * Math.PI * at) / of - Math.PI / 2;
  return [x + share * radius * Math.cos(angle), y + share * radius * Math.sin(angle)];
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

/** Values are from 0 to 1. A shape of few corners says nothing, so then, and on a phone, the table has the whole width. */
export function radarOf({ x: names, series }: Chart, { size, top }: Frame): Part[] {
  const values = series[0]?.values ?? [];
  const { width, height, is_narrow } = size;
  const corners = values.filter((value) => value !== null && value > 0).length;
  const rows = (table: Table) => names.flatMap((name, at) => rowOf(name, values[at] ?? null, at, table));
  const y = top + 24;
  if (is_narrow || corners < LEAST_CORNERS)
    return rows({
      ...{ x: MARGIN, y, width: width - 2 * MARGIN },
      row: Math.min(52, (height - y - 60) / names.length),
    });
  const scale = width / 900;
  const disc = { x: 285 * scale, y: 275 * scale, radius: 158 * scale };
  return [
    ...shapeOf(names, values, disc),
    ...rows({ x: 560 * scale, y: 122 * scale, width: 290 * scale, row: 44 * scale }),
  ];
}

function shapeOf(names: readonly string[], values: readonly (number | null)[], disc: Disc): Part[] {
  const [colour] = COLOURS;
  const ring = (share: number) => names.map((_, at) => place(disc, at, names.length, share));
  const known = names.flatMap((_, at) => (values[at] == null ? [] : [at]));
  const corners = known.map((at) => place(disc, at, names.length, values[at]!));
  return [
    ...RINGS.toReversed().map((share, at) =>
      polygon(ring(share), { fill: at % 2 === 0 ? "#f6f7f9" : "#ffffff", stroke: GRID, lineWidth: 1 }),
    ),
    ...names.map((_, at): Part => {
      const [x2, y2] = place(disc, at, names.length, 1);
      const isKnown = values[at] != null;
      return {
        type: "line",
        shape: { x1: disc.x, y1: disc.y, x2, y2 },
        style: { stroke: isKnown ? "#cbd0d8" : GRID, lineDash: isKnown ? [] : [3, 3] },
        silent: true,
      };
    }),
    ...RINGS.map((share) =>
      text(share.toFixed(2), disc.x + 4, disc.y - share * disc.radius + 7, { fontSize: 9, fill: MUTED }),
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
    ...names.map((name, at) => named(disc, { name, value: values[at] ?? null, at, of: names.length })),
  ];
}

/** A name at the end of its spoke: at the side, above or below. */
function named(
  disc: Disc,
  { name, value, at, of }: { name: string; value: number | null; at: number; of: number },
): Part {
  const [x, y] = place(disc, at, of, 1.1);
  const side = Math.abs(x - disc.x) < 20 ? 0.5 : x > disc.x ? 0 : 1;
  const left = x - side * textWidth(name, 12) * 0.9;
  return text(name, left, y, { fill: value === null ? MUTED : INK });
}

/** A table row: name, figure and bar. */
function rowOf(name: string, value: number | null, at: number, table: Table): Part[] {
  const y = table.y + at * table.row;
  const { x, width } = table;
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
