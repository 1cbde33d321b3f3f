/** Charts and tables of fusion's answers. */
import { z } from "zod";
import type { Chart } from "../../../core/model/chart.ts";
import { basisNotes } from "../../trade/answers/forms/lines.ts";
import type { countryStatsOutput } from "./country-stats.ts";
import type { productOutput } from "./product.ts";
import { hit, type sanctionsOutput } from "./sanctions.ts";

export const countryStatsChart = ({ data, meta }: z.infer<typeof countryStatsOutput>): Chart => ({
  kind: "bar",
  title: `${meta.name}: imports and exports${meta.hs === null ? "" : ` of ${meta.hs}`} by year`,
  x: data.map(({ year }) => String(year)),
  series: [
    {
      name: "imports",
      values: data.map(({ imports_eur }) => imports_eur),
      provisional: data.map(({ complete }) => !complete),
    },
    {
      name: "exports",
      values: data.map(({ exports_eur }) => exports_eur),
      provisional: data.map(({ complete }) => !complete),
    },
  ],
  unit: "EUR",
  notes: [
    ...(meta.view === "through_partners"
      ? ["As the 27 report it; the data have none of the country's other trade."]
      : []),
    ...basisNotes(meta.codes, meta.hs),
  ],
});

export const productChart = ({ data, meta }: z.infer<typeof productOutput>): Chart => ({
  kind: "ranking",
  title: `${meta.product} ${meta.name ?? ""}: trade of the 27 in ${meta.year}`,
  x: data.reporters.map(({ name }) => name),
  series: [
    { name: "imports", values: data.reporters.map(({ imports_eur }) => imports_eur) },
    { name: "exports", values: data.reporters.map(({ exports_eur }) => exports_eur) },
  ],
  unit: "EUR",
  notes: [],
});

const agreed = z.boolean().nullable();

/** One row per hit, without its words. */
export const sanctionsTable = {
  row: hit
    .omit({ words: true, agrees: true })
    .extend({ type_agrees: agreed, country_agrees: agreed, born_agrees: agreed }),
  rows: ({ data }: z.infer<typeof sanctionsOutput>) =>
    data.hits.map(({ words: _, agrees, ...rest }) => ({
      ...rest,
      ...{ type_agrees: agrees.type, country_agrees: agrees.country, born_agrees: agrees.born },
    })),
};
