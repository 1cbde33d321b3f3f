import type { z } from "zod";
import type { Chart } from "../../domain/chart.ts";
import { monthsBetween, monthText } from "../../domain/trade/units.ts";
import { flowWord, productTitle } from "../trade/forms/names.ts";
import type { reconstructOutput } from "./reconstruct.ts";

/** The months from the first to the last; one that nobody reported in full is a gap. */
export function reconstructChart({ data, meta }: z.infer<typeof reconstructOutput>): Chart {
  const rows = new Map(data.map((row) => [row.year * 100 + row.month, row]));
  const known = [...rows.keys()].sort((a, b) => a - b);
  const months = known.length > 0 ? monthsBetween(known[0]!, known.at(-1)!) : [];
  return {
    kind: "line",
    title: `${meta.target.name}, reconstructed: ${flowWord(meta.direction)} of ${productTitle(meta.product)}`,
    x: months.map(monthText),
    series: [
      {
        name: flowWord(meta.direction),
        values: months.map((month) => rows.get(month)?.value_eur ?? null),
        provisional: months.map((month) => rows.get(month)?.complete === false),
      },
    ],
    unit: "EUR",
    notes: [meta.scope],
  };
}
