/** Customs answers in other forms than JSON: pictures, and rows of those that are not a plain list. */
import { z } from "zod";
import type { Chart } from "../../../core/model/chart.ts";
import { basisNotes, flowLines, undeliveredNotes, yearBars } from "../../trade/answers/forms/lines.ts";
import { flowWord, productTitle } from "../../trade/answers/forms/names.ts";
import { seasonBars } from "../../trade/answers/forms/prices.ts";
import { ranking } from "../../trade/answers/forms/rankings.ts";
import { classification, type classificationsOutput } from "./classifications.ts";
import type { countryOutput } from "./country-analysis.ts";
import type { seasonalOutput } from "./seasonal.ts";
import { tariffOutput } from "./tariff-lookup.ts";
import type { commoditiesOutput } from "./top-commodities.ts";
import type { trendsOutput } from "./trends.ts";

const titled = (code: string, name: string | null) => (name === null ? code : `${code} ${name}`);

export const trendsChart = ({ data, meta }: z.infer<typeof trendsOutput>): Chart => ({
  kind: "line",
  title: `Latvia: monthly ${flowWord(meta.direction)}, ${productTitle(meta.hs)}`,
  x: data.months.map(({ period }) => period),
  series: flowLines(data.months),
  unit: "EUR",
  notes: undeliveredNotes(data.months),
});

/** Bars of the ranked amount. */
export function commoditiesChart({ data, meta }: z.infer<typeof commoditiesOutput>): Chart {
  const chart = ranking(
    `Latvia: CN8 codes by ${meta.sort}, ${flowWord(meta.direction)} ${meta.year}`,
    data.map((row) => ({ ...row, name: titled(row.product, row.name) })),
  );
  if (meta.sort === "value") return chart;
  const masses = data.filter(({ rank }) => rank !== null).map(({ quantity_kg }) => quantity_kg);
  return { ...chart, series: [{ name: "known mass", values: masses }], unit: "kg", notes: [] };
}

export const countryChart = ({ data }: z.infer<typeof countryOutput>): Chart =>
  yearBars(`Trade of Latvia with ${data.country.name}`, data.years);

export const seasonalChart = ({ data, meta }: z.infer<typeof seasonalOutput>): Chart =>
  seasonBars("Latvia", titled(meta.code, meta.name), data, basisNotes(meta.codes, meta.code));

/** One row per code, with the codes and names of its parents. */
export const classificationsTable = {
  row: classification.omit({ parents: true }).extend({ parents: z.string() }),
  rows: ({ data }: z.infer<typeof classificationsOutput>) =>
    data.map(({ parents, ...row }) => ({
      ...row,
      parents: parents.map(({ code, name }) => titled(code, name)).join(" > "),
    })),
};

const goods = tariffOutput.shape.data.shape.goods.element;

/** One row per duty, with its goods code. */
export const tariffTable = {
  row: goods.omit({ duties: true }).extend(goods.shape.duties.element.shape),
  rows: ({ data }: z.infer<typeof tariffOutput>) =>
    data.goods.flatMap(({ duties, ...of }) => duties.map((duty) => ({ ...of, ...duty }))),
};
