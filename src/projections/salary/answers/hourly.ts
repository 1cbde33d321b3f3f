/** The cost and earnings of an hour of work in an area and activity, from labour cost and earnings statistics. */
import { z } from "zod";
import { type LabourCost, labourCosts } from "../../../datasets/reference/labour-costs.ts";
import { type SesEarnings, sesEarnings } from "../../../datasets/reference/ses-earnings.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage } from "../../../datasets/reference/table.ts";

export const hourlyTables = [labourCosts, sesEarnings];

const FLAGS = "p provisional, e estimated, b break in series, u unreliable";

/** Two statistics together, each of its own year; unknown is null, never zero. */
export const hourly = z.object({
  labour_cost_eur_per_hour: z
    .number()
    .nullable()
    .describe("Wages and all other costs of employers, EUR an hour; null: not known"),
  wages_eur_per_hour: z
    .number()
    .nullable()
    .describe("Wages and salaries alone, EUR an hour; null: not known"),
  labour_cost_year: z.int().nullable(),
  labour_cost_flag: z
    .string()
    .nullable()
    .describe(`Eurostat's flag of the labour cost: ${FLAGS}; empty: none; null: no cost`),
  earnings_eur_per_hour: z
    .number()
    .nullable()
    .describe("Mean gross earnings of both sexes, EUR an hour; null: not known"),
  earnings_women_eur_per_hour: z.number().nullable(),
  earnings_men_eur_per_hour: z.number().nullable(),
  earnings_year: z.int().nullable().describe("Year of the earnings survey; null: none"),
});
export type Hourly = z.infer<typeof hourly>;

const costsBy = perVintage((rows: readonly LabourCost[]) =>
  byYear(rows, ({ geo, nace }) => `${geo} ${nace}`),
);

const earningsBy = perVintage((rows: readonly SesEarnings[]) =>
  byYear(
    rows.filter(({ isco }) => isco === "TOTAL"),
    ({ geo, nace }) => `${geo} ${nace}`,
  ),
);

function byYear<Row extends { year: number }>(rows: readonly Row[], key: (row: Row) => string) {
  const index = new Map<string, Map<number, Row[]>>();
  for (const row of rows) {
    const years = index.get(key(row)) ?? new Map<number, Row[]>();
    years.set(row.year, [...(years.get(row.year) ?? []), row]);
    index.set(key(row), years);
  }
  return index;
}

const costsOf = (reference: ReferenceStore, geo: string, nace: string) => {
  const costs = reference.find(labourCosts);
  return costs && costsBy(costs).get(`${geo} ${nace}`);
};

/** The years with a known total cost of an hour. */
export const costYears = (reference: ReferenceStore, geo: string, nace: string): number[] =>
  [...(costsOf(reference, geo, nace) ?? [])]
    .filter(([, rows]) => rows.some(({ part }) => part === "total"))
    .map(([year]) => year);

/** Costs of the year requested, else of the last; earnings of the last survey. */
export function hourlyOf(
  reference: ReferenceStore,
  geo: string,
  nace: string,
  requestedYear?: number,
): Hourly {
  const years = costYears(reference, geo, nace);
  const year = requestedYear ?? (years.length > 0 ? Math.max(...years) : undefined);
  const rows = (year !== undefined && costsOf(reference, geo, nace)?.get(year)) || [];
  const total = rows.find(({ part }) => part === "total");
  const earnings = reference.find(sesEarnings);
  const surveys = [...((earnings && earningsBy(earnings).get(`${geo} ${nace}`)) ?? [])];
  const last = surveys.reduce<(typeof surveys)[number] | undefined>(
    (best, survey) => (!best || survey[0] > best[0] ? survey : best),
    undefined,
  );
  const earned = (sex: SesEarnings["sex"]) => last?.[1].find((row) => row.sex === sex)?.eur_per_hour ?? null;
  return {
    labour_cost_eur_per_hour: total?.eur_per_hour ?? null,
    wages_eur_per_hour: rows.find(({ part }) => part === "wages")?.eur_per_hour ?? null,
    labour_cost_year: rows[0]?.year ?? null,
    labour_cost_flag: total?.flag ?? null,
    earnings_eur_per_hour: earned("T"),
    earnings_women_eur_per_hour: earned("F"),
    earnings_men_eur_per_hour: earned("M"),
    earnings_year: last?.[0] ?? null,
  };
}
