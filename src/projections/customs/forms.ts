/** Rows and pictures of the customs answers. */
import { z } from "zod";
import type { Chart } from "../../domain/chart.ts";
import { flowLines, yearBars } from "../trade/forms/lines.ts";
import { flowWord } from "../trade/forms/names.ts";
import { seasonBars } from "../trade/forms/prices.ts";
import { ranking } from "../trade/forms/rankings.ts";
import { classification, type classificationsOutput } from "./classifications.ts";
import type { countryOutput } from "./country-analysis.ts";
import type { seasonalOutput } from "./seasonal.ts";
import { tariffOutput } from "./tariff-lookup.ts";
import type { commoditiesOutput } from "./top-commodities.ts";
import type { trendsOutput } from "./trends.ts";

/** A code a row; what contains it as codes, the chapter first. */
export const classificationsTable = {
  row: classification.extend({ parents: z.array(z.string()) }),
  rows: ({ data }: z.infer<typeof classificationsOutput>) =>
    data.map((row) => ({ ...row, parents: row.parents.map(({ code }) => code) })),
};

const goods = tariffOutput.shape.data.shape.goods.element;

/** A duty a row, with the goods code that it stands on. */
export const tariffTable = {
  row: goods.omit({ duties: true }).extend(goods.shape.duties.element.shape),
  rows: ({ data }: z.infer<typeof tariffOutput>) =>
    data.goods.flatMap(({ duties, ...of }) => duties.map((duty) => ({ ...of, ...duty }))),
};

export const trendsChart = ({ data, meta }: z.infer<typeof trendsOutput>): Chart => ({
  kind: "line",
  title: `Latvia: monthly ${flowWord(meta.direction)}`,
  x: data.months.map(({ period }) => period),
  series: flowLines(data.months),
  unit: "EUR",
  notes: [],
});

/** By value or by weight, as it was ranked. */
export function commoditiesChart({ data, meta }: z.infer<typeof commoditiesOutput>): Chart {
  const rows = data.map((row) => ({ ...row, name: `${row.product} ${row.name ?? ""}`.trim() }));
  const title = `Latvia: largest CN8 codes, ${flowWord(meta.direction)} ${meta.year}`;
  if (meta.sort === "value") return ranking(title, rows);
  const ranked = rows.filter(({ rank }) => rank !== null);
  return {
    kind: "ranking",
    title: `${title}, by weight`,
    x: ranked.map(({ name }) => name),
    series: [{ name: "mass", values: ranked.map(({ quantity_kg }) => quantity_kg) }],
    unit: "kg",
    notes: [],
  };
}

export const countryChart = ({ data }: z.infer<typeof countryOutput>): Chart =>
  yearBars(`Latvia's trade with ${data.country.name}`, data.years);

export const seasonalChart = ({ data, meta }: z.infer<typeof seasonalOutput>): Chart =>
  seasonBars(
    `Latvia: the usual year, ${flowWord(meta.direction)} of ${meta.code} ${meta.name ?? ""}`.trim(),
    data,
  );
