/** The macroeconomic context as rows and as a picture. */
import { z } from "zod";
import type { Chart } from "../../../core/model/chart.ts";
import { macroOutput } from "./context.ts";

type Answer = z.infer<typeof macroOutput>;

const { indicator, unit, dataset, vintage, synthetic } = macroOutput.shape.data.element.shape;

/** An indicator and month a row, each with the table it is from. */
export const macroTable = {
  row: z.object({
    indicator,
    month: z.string(),
    value: z.number().nullable(),
    unit,
    dataset,
    vintage,
    synthetic,
  }),
  rows: ({ data }: Answer) =>
    data.flatMap(({ indicator, unit, dataset, vintage, synthetic, history }) =>
      history.map(({ month, value }) => ({ indicator, month, value, unit, dataset, vintage, synthetic })),
    ),
};

/** A rate in percent is drawn unchanged; prices and exchange rates of different units as an index. */
const isRate = ({ unit }: Answer["data"][number]) => unit.startsWith("percent");

/**
 * One indicator's months are drawn unchanged. With several, rates are drawn in percent on an axis of their own, and
 * each of the others as an index of its first month, over the months that all have. An indicator without such a
 * month, or not above zero in the first, is named and not drawn.
 */
export function macroChart({ data }: Answer): Chart {
  const [single, ...others] = data;
  if (single && others.length === 0) return lineOf(single);
  const known = data.map((line) => ({ line, months: monthsOf(line) }));
  const drawn = known.filter(({ months }) => months.length > 0);
  const first =
    drawn
      .map(({ months }) => months[0]!)
      .sort()
      .at(-1) ?? "";
  const last = drawn.map(({ months }) => months.at(-1)!).sort()[0] ?? "";
  const months = [...new Set(drawn.flatMap((one) => one.months))]
    .filter((month) => month >= first && month <= last)
    .sort();
  const baseOf = (line: Answer["data"][number]) =>
    months.map((month) => valueIn(line, month)).find((value) => value !== null) ?? 0;
  const isDrawn = (line: Answer["data"][number]) => months.length > 0 && (isRate(line) || baseOf(line) > 0);
  const missing = data.filter((line) => !isDrawn(line)).map(({ name }) => name);
  const rates = data.filter((line) => isDrawn(line) && isRate(line));
  const indexed = data.filter((line) => isDrawn(line) && !isRate(line));
  const index = (value: number | null, base: number) => (value === null ? null : (value / base) * 100);
  const isBoth = rates.length > 0 && indexed.length > 0;
  return {
    kind: "line",
    title: "Macroeconomic context",
    x: months,
    series: [
      ...indexed.map((line) => ({
        name: isBoth ? `${line.indicator} (left)` : line.indicator,
        values: months.map((month) => index(valueIn(line, month), baseOf(line))),
      })),
      ...rates.map((line) => ({
        name: isBoth ? `${line.indicator}, % (right)` : line.indicator,
        values: months.map((month) => valueIn(line, month)),
        ...(isBoth && { on_right: true as const }),
      })),
    ],
    unit: indexed.length > 0 ? "first month = 100" : "percent",
    ...(isBoth && { unit_right: "percent" }),
    notes: missing.length > 0 ? [`Not drawn: ${missing.join(", ")}`] : [],
  };
}

const monthsOf = ({ history }: Answer["data"][number]) =>
  history.filter(({ value }) => value !== null).map(({ month }) => month);

const valueIn = ({ history }: Answer["data"][number], text: string) =>
  history.find(({ month }) => month === text)?.value ?? null;

const lineOf = ({ name, unit, indicator, history }: Answer["data"][number]): Chart => ({
  kind: "line",
  title: name,
  x: history.map(({ month }) => month),
  series: [{ name: indicator, values: history.map(({ value }) => value) }],
  unit,
  notes: [],
});
