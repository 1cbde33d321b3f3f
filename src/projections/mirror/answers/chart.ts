/** The picture of a reconstruction: its months, those that somebody has yet to report lighter. */
import type { z } from "zod";
import type { Chart } from "../../../domain/chart.ts";
import { monthText } from "../../../domain/trade/units.ts";
import type { reconstructOutput } from "./answer.ts";

export function reconstructChart({ data, meta }: z.infer<typeof reconstructOutput>): Chart {
  const { target, direction, product, scope, notes, parameters } = meta;
  const flow = direction === "IMPORT" ? "imports from" : "exports to";
  return {
    kind: "bar",
    title: `${target.name}: ${flow} the EU27 of ${product}, reconstructed`,
    x: data.map(({ year, month }) => monthText(year * 100 + month)),
    series: [
      {
        name: flow,
        values: data.map(({ value_eur }) => value_eur),
        provisional: data.map(({ complete }) => !complete),
      },
    ],
    unit: "EUR",
    notes: [scope, `Freight and insurance: ${parameters.cif_fob * 100} %.`, ...notes],
  };
}
