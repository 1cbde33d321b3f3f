/** Pictures of the salary answers. */
import type { z } from "zod";
import type { Chart } from "../../domain/chart.ts";
import type { compareOutput, countriesOutput } from "./compare.ts";
import type { aiRiskOutput } from "./exposure.ts";
import type { lvWagesOutput } from "./lv-wages.ts";
import type { sectorsOutput } from "./sectors.ts";

type Bar = { name: string; value: number | null };

/** The largest first; what is not known stands last, without a bar. */
function ranked(title: string, unit: string, bars: Bar[]): Chart {
  const sorted = bars.toSorted((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity));
  return {
    kind: "ranking",
    title,
    x: sorted.map(({ name }) => name),
    series: [{ name: unit, values: sorted.map(({ value }) => value) }],
    unit,
    notes: [],
  };
}

const COST = "EUR an hour";
const costs = (rows: { name: string; labour_cost_eur_per_hour: number | null }[]): Bar[] =>
  rows.map(({ name, labour_cost_eur_per_hour: value }) => ({ name, value }));

export const countriesChart = ({ data }: z.infer<typeof countriesOutput>): Chart =>
  ranked("Labour cost of an hour by country, last year known", COST, costs(data));

export const compareChart = ({ data, meta }: z.infer<typeof compareOutput>): Chart =>
  ranked(`Labour cost of an hour: ${meta.nace.name}, ${meta.year ?? "no year"}`, COST, costs(data));

export const sectorsChart = ({ data }: z.infer<typeof sectorsOutput>): Chart =>
  ranked("EU27: labour cost of an hour by activity", COST, costs(data));

/** Of whatever was asked for the occupations or activities that are most exposed. */
export const aiRiskChart = ({ data }: z.infer<typeof aiRiskOutput>): Chart =>
  ranked(
    "Exposure to generative AI",
    "score, 0 to 1",
    data.map(({ code, name, score }) => ({ name: `${code} ${name}`, value: score })),
  );

/** A line an activity over the quarters, or over the years where there are no quarters. */
export function lvWagesChart({ data }: z.infer<typeof lvWagesOutput>): Chart {
  const quarters = data.filter(({ quarter }) => quarter !== null);
  const rows = quarters.length > 0 ? quarters : data;
  const x = [...new Set(rows.map(({ period }) => period))].sort();
  const activities = new Map(rows.map(({ nace, name }) => [nace, name]));
  return {
    kind: "line",
    title:
      activities.size === 1
        ? `Average gross monthly wage in Latvia: ${[...activities.values()][0]}`
        : "Average gross monthly wage in Latvia",
    x,
    series: [...activities].map(([asked, name]) => ({
      name: `${asked} ${name}`,
      values: x.map(
        (period) =>
          rows.find((row) => row.nace === asked && row.period === period)?.gross_eur_per_month ?? null,
      ),
    })),
    unit: "EUR a month",
    notes: [],
  };
}
