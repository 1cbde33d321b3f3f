/** Charts of salary answers. */
import type { z } from "zod";
import type { Chart } from "../../../core/model/chart.ts";
import { sectorName } from "../../../domain/salary/sectors.ts";
import type { compareOutput, countriesOutput } from "./compare.ts";
import type { aiRiskOutput } from "./exposure.ts";
import type { lvWagesOutput } from "./lv-wages.ts";
import type { sectorsOutput } from "./sectors.ts";

type Bar = { name: string; value: number | null };

/** Known values, the largest first; the text lists the unknown ones. */
function ranking(title: string, unit: string, bars: Bar[], series: string): Chart {
  const known = bars.filter(({ value }) => value !== null).sort((a, b) => b.value! - a.value!);
  const unknown = bars.filter(({ value }) => value === null).map(({ name }) => name);
  return {
    kind: "ranking",
    title,
    x: known.map(({ name }) => name),
    series: [{ name: series, values: known.map(({ value }) => value) }],
    unit,
    notes: unknown.length > 0 ? [`Not known: ${unknown.join("; ")}`] : [],
  };
}

const HOURLY = "EUR an hour";

export const countriesChart = ({ data }: z.infer<typeof countriesOutput>): Chart =>
  ranking(
    "Labour cost of an hour in each country's last year",
    HOURLY,
    data.map(({ name, labour_cost_eur_per_hour: value }) => ({ name, value })),
    "labour cost",
  );

/** The countries that were named, and the Union among them. */
export const compareChart = ({ data, meta }: z.infer<typeof compareOutput>): Chart =>
  ranking(
    `Labour cost of an hour, ${meta.nace.name}, ${meta.year ?? "no year known"}`,
    HOURLY,
    [
      ...data.map(({ name, labour_cost_eur_per_hour: value }) => ({ name, value })),
      { name: "EU27", value: meta.eu27.labour_cost_eur_per_hour },
    ],
    "labour cost",
  );

export const sectorsChart = ({ data }: z.infer<typeof sectorsOutput>): Chart =>
  ranking(
    "Labour cost of an hour in the EU27 by activity",
    HOURLY,
    data.map(({ name, labour_cost_eur_per_hour: value }) => ({ name, value })),
    "labour cost",
  );

/** Activities on request, else the major groups of occupations. */
export function exposureChart({ data }: z.infer<typeof aiRiskOutput>): Chart {
  const level = data.some((row) => row.level === "section") ? "section" : "major";
  return ranking(
    `Exposure to generative AI of ${level === "section" ? "activities" : "occupations"}`,
    "0 to 1",
    data.filter((row) => row.level === level).map(({ name, score: value }) => ({ name, value })),
    "score",
  );
}

/** One line per activity, by quarter if there are quarters, else by year. */
export function lvWagesChart({ data }: z.infer<typeof lvWagesOutput>): Chart {
  const quarterly = data.some(({ quarter }) => quarter !== null);
  const rows = data.filter(({ quarter }) => (quarter !== null) === quarterly);
  const periods = [...new Set(rows.map(({ period }) => period))].sort();
  const wages = new Map(rows.map((row) => [`${row.nace} ${row.period}`, row.gross_eur_per_month]));
  return {
    kind: "line",
    title: "Average gross monthly wages in Latvia",
    x: periods,
    series: [...new Set(rows.map(({ nace }) => nace))].map((nace) => ({
      name: sectorName(nace)!,
      values: periods.map((period) => wages.get(`${nace} ${period}`) ?? null),
    })),
    unit: "EUR a month",
    notes: [],
  };
}
