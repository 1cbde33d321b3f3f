import { z } from "zod";
import { macroOutput } from "./context.ts";

const indicator = macroOutput.shape.data.element;
const month = indicator.shape.history.element;

/** A month of an indicator a row, each with the table that it is from. */
export const macroTable = {
  row: z.object({
    indicator: indicator.shape.indicator,
    name: indicator.shape.name,
    unit: indicator.shape.unit,
    ...month.shape,
    source: indicator.shape.source,
    dataset: indicator.shape.dataset,
    vintage: indicator.shape.vintage,
    synthetic: indicator.shape.synthetic,
  }),
  rows: ({ data }: z.infer<typeof macroOutput>) =>
    data.flatMap(({ history, indicator, name, unit, source, dataset, vintage, synthetic }) =>
      history.map((of) => ({ indicator, name, unit, ...of, source, dataset, vintage, synthetic })),
    ),
};
