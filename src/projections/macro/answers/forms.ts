/** The macroeconomic context as rows and as a picture. */
import { z } from "zod";
import type { Chart } from "../../../domain/chart.ts";
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

/**
 * The months of one indicator as they are; of several, whose units differ, each as an index of its first month. An indicator that
 * is unknown or not above zero in that month has no index.
 */
export function macroChart({ data }: Answer): Chart {
  const months = [...new Set(data.flatMap(({ history }) => history.map(({ month }) => month)))].sort();
  const single = data.length === 1 ? data[0] : undefined;
  const baseOf = ({ history }: Answer["data"][number]) => (single ? 100 : (history[0]?.value ?? 0));
  const drawn = data.filter((line) => baseOf(line) > 0);
  const missing = data.filter((line) => !drawn.includes(line)).map(({ name }) => name);
  return {
    kind: "line",
    title: single?.name ?? "Macroeconomic context, first month = 100",
    x: months,
    series: drawn.map((line) => {
      const by = new Map(line.history.map(({ month, value }) => [month, value]));
      const values = months.map((month) => by.get(month) ?? null);
      return {
        name: line.indicator,
        values: values.map((value) => (value === null ? null : (value / baseOf(line)) * 100)),
      };
    }),
    unit: single?.unit ?? "first month = 100",
    notes: missing.length > 0 ? [`Not drawn: ${missing.join(", ")}`] : [],
  };
}
