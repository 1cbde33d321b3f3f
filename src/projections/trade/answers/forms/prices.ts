import type { z } from "zod";
import type { Chart } from "../../../../core/model/chart.ts";
import { partnerName } from "../../../../domain/trade/reporters.ts";
import type { Flow } from "../../../../domain/trade/units.ts";
import type { pricesOutput } from "../prices.ts";
import type { seasonOutput } from "../seasonality.ts";
import { basisNotes, codeMarks, joinedWords, withoutSteps } from "./lines.ts";
import { flowWord, productTitle } from "./names.ts";

const flowsText = (flows: Flow[]) => flowWord(flows.length === 1 ? flows[0] : null);

/** A line for each flow, outliers ringed. */
export function pricesChart({ data, meta }: z.infer<typeof pricesOutput>): Chart {
  const flows = data.summary.map(({ flow }) => flow);
  const of = (requested: string | undefined) => data.series.filter(({ flow }) => flow === requested);
  const x = of(flows[0]).map(({ period }) => period);
  return {
    kind: "line",
    title: `${partnerName(meta.reporter)}: price per tonne, ${flowsText(flows)} of ${productTitle(meta.product)}${joinedWords(meta.codes)}`,
    x,
    series: withoutSteps(
      flows.map((flow) => ({
        name: flowWord(flow),
        values: of(flow).map(({ price_eur_per_tonne }) => price_eur_per_tonne),
        provisional: of(flow).map(({ complete }) => !complete),
        marked: of(flow).map(({ outlier }) => outlier),
      })),
      x,
      meta.codes,
    ),
    unit: "EUR per tonne",
    marks: codeMarks(meta.codes, x),
    notes: basisNotes(meta.codes, meta.product),
  };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export const seasonChart = ({ data, meta }: z.infer<typeof seasonOutput>): Chart =>
  seasonBars(
    partnerName(meta.reporter),
    productTitle(meta.product),
    data,
    basisNotes(meta.codes, meta.product),
  );

/** Twelve bars for each flow, above and below the average month. */
export const seasonBars = (
  country: string,
  product: string,
  data: z.infer<typeof seasonOutput>["data"],
  about: readonly string[],
): Chart => ({
  kind: "bar",
  title: `${country}: the usual year, ${flowsText(data.map(({ flow }) => flow))} of ${product}`,
  x: MONTHS,
  series: data.map(({ flow, profile }) => ({
    name: flowWord(flow),
    values: MONTHS.map((_, at) => profile?.[at] ?? null),
  })),
  unit: "1 = an average month",
  base: 1,
  notes: [
    ...about,
    ...data.flatMap(({ flow, note }) => (note === null ? [] : [`${flowWord(flow)}: ${note}`])),
  ],
});
