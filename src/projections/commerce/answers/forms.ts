import { z } from "zod";
import type { Chart, Series } from "../../../core/model/chart.ts";
import { type ForecastAnswer, forecastOutput } from "./forecast.ts";

type Product = ForecastAnswer["data"][number];

const { product_id, slug, base_unit, method, synthetic, history, forecast } =
  forecastOutput.shape.data.element.shape;
const { month, mean, lo80, hi80, lo95, hi95, kg } = forecast.element.shape;
const { constrained } = history.element.shape;

/** One row per product and month: past orders, then the forecast. */
export const forecastTable = {
  row: z.object({
    product_id,
    slug,
    month,
    kind: z.enum(["history", "forecast"]),
    quantity: mean.describe("Ordered (history) or expected (forecast), in base units"),
    base_unit,
    lo80,
    hi80,
    lo95,
    hi95,
    kg: kg.nullable(),
    constrained,
    method: method.nullable(),
    synthetic,
  }),
  rows: ({ data }: ForecastAnswer) =>
    data.flatMap(({ product_id, slug, base_unit, method, synthetic, history, forecast }) => [
      ...history.map(({ month, quantity, constrained }) => ({
        product_id,
        slug,
        month,
        kind: "history" as const,
        quantity,
        base_unit,
        lo80: null,
        hi80: null,
        lo95: null,
        hi95: null,
        kg: null,
        constrained,
        method: null,
        synthetic,
      })),
      ...forecast.map(({ month, mean, lo80, hi80, lo95, hi95, kg }) => ({
        product_id,
        slug,
        month,
        kind: "forecast" as const,
        quantity: mean,
        base_unit,
        lo80,
        hi80,
        lo95,
        hi95,
        kg,
        constrained: null,
        method,
        synthetic,
      })),
    ]),
};

/**
 * One product in its base unit, with both intervals as bands. Several products as indices of their own mean month,
 * because bags and pallets share no scale.
 */
export function forecastChart({ data, meta }: ForecastAnswer): Chart {
  const [single, ...others] = data;
  const drawn = data.filter(({ history }) => history.length > 0);
  const x = [
    ...new Set(drawn.flatMap((one) => [...one.history, ...one.forecast].map(({ month }) => month))),
  ].sort();
  const isOne = single !== undefined && others.length === 0;
  const missing = data.filter(({ history }) => history.length === 0).map(({ slug }) => slug);
  const about = {
    kind: "line" as const,
    x,
    meaning: {
      provisional: "forecast",
      marked: "without stock on more than 10 days, so demand was likely more",
    },
  };
  if (isOne)
    return {
      ...about,
      title: `Demand of ${single.name} a month`,
      series: drawn.map((one) => seriesOf(one, x, 1)),
      unit: `${single.base_unit}s`,
      notes: [...bandNote(single), ...testNote(single)],
    };
  return {
    ...about,
    title: `Demand of ${data.length} products a month`,
    series: drawn.map((one) => {
      const { band: _, band_within: __, ...line } = seriesOf(one, x, meanMonth(one) / 100);
      return line;
    }),
    unit: "mean month = 100",
    notes: [
      `Each product as an index of its own mean month over the ${meta.months_history} months drawn; name one product to see its intervals.`,
      ...(missing.length > 0 ? [`No month known: ${missing.join(", ")}`] : []),
    ],
  };
}

/** Never 0, which gives no index. */
const meanMonth = ({ history }: Product) =>
  history.reduce((sum, { quantity }) => sum + quantity, 0) / history.length || 1;

/** The bands begin at the last known month. */
function seriesOf({ slug, history, forecast }: Product, x: readonly string[], unit: number): Series {
  const record = new Map(history.map((one) => [one.month, one]));
  const expected = new Map(forecast.map((one) => [one.month, one]));
  const last = history.at(-1)!;
  const bandOf = (low: "lo80" | "lo95", high: "hi80" | "hi95") =>
    x.map((month) => {
      if (month === last.month) return { low: last.quantity / unit, high: last.quantity / unit };
      const one = expected.get(month);
      if (!one || one[low] === null || one[high] === null) return null;
      return { low: one[low] / unit, high: one[high] / unit };
    });
  return {
    name: slug,
    values: x.map((month) => {
      const value = record.get(month)?.quantity ?? expected.get(month)?.mean;
      return value === undefined ? null : value / unit;
    }),
    provisional: x.map((month) => expected.has(month)),
    marked: x.map((month) => record.get(month)?.constrained === true),
    band: bandOf("lo95", "hi95"),
    band_within: bandOf("lo80", "hi80"),
  };
}

const bandNote = ({ forecast }: Product): string[] =>
  forecast.some(({ lo80 }) => lo80 !== null)
    ? ["Dark band: 80 of 100 months should lie within; pale band: 95 of 100."]
    : [];

function testNote({ tests, coverage }: Product): string[] {
  if (tests === null) return [];
  const { mae, origins, against } = tests;
  const within = coverage.n === 0 ? "" : `; ${coverage["80"]} and ${coverage["95"]} % lay within the bands`;
  return [
    `As of ${origins} earlier months it was off by ${mae} on average (a twelve-month mean by ${against.mae})${within}.`,
  ];
}
