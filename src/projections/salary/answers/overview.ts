/** An overview of salary data: tables, areas, years, activities, occupations, and the headline figures. */
import { z } from "zod";
import { iloExposure } from "../../../datasets/reference/ilo-exposure.ts";
import { iscoNaceEmployment } from "../../../datasets/reference/isco-nace-employment.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import type { ReferenceTable } from "../../../datasets/reference/table.ts";
import { codesOf, countryGroups, EU27 } from "../../../domain/salary/countries.ts";
import { sectionCodes, WHOLE_ECONOMY } from "../../../domain/salary/sectors.ts";
import { someOf } from "../../reference/meta.ts";
import { countriesTables } from "./compare.ts";
import { exposureFormula, exposureOfAll, exposureTables, missingExposureReason } from "./exposure.ts";
import { hourlyOf } from "./hourly.ts";
import { latestWage } from "./lv-wages.ts";
import { meta, metaOf } from "./tables.ts";

export const overviewTables: ReferenceTable<object>[] = [...countriesTables, ...exposureTables];

export const overviewInput = z.object({
  format: z
    .enum(["json", "summary"], "format is json or summary")
    .default("json")
    .describe("json = all fields; summary = a paragraph of text with the headline figures"),
});

const figure = z
  .object({
    value: z.number().nullable(),
    unit: z.string(),
    as_of: z.string().nullable().describe("Year or quarter of the value; null: no value"),
  })
  .meta({ id: "SalaryFigure" });

const headline = z.object({
  eu27_labour_cost: figure,
  lv_labour_cost: figure,
  lv_gross_wage: figure,
  ai_exposure: figure.describe("Exposure to AI of all occupations, 0 to 1, weighted by employment"),
});

export const overviewOutput = z.object({
  data: z.union([
    z.object({
      tables: z.array(
        z.object({
          table: z.string(),
          dataset: z.string(),
          synthetic: z.boolean(),
          rows: z.int(),
          years: z.object({ from: z.int(), to: z.int() }).nullable(),
        }),
      ),
      countries: z
        .array(
          z.object({
            group: z.enum(countryGroups),
            count: z.int().describe("Number of countries in the group"),
            with_figures: z.int().describe("Countries with a labour cost or earnings for the whole economy"),
          }),
        )
        .describe("Countries by group"),
      sectors: z.int().describe("Number of NACE sections"),
      occupations: z.int().describe("Number of ISCO-08 unit groups with a score"),
      headline,
    }),
    z.object({ text: z.string(), headline }),
  ]),
  meta,
});

const FORMULA = `Figures as published; a country's figure is for ${WHOLE_ECONOMY}. `;

/** The overview, or a paragraph about it. Refuses as unavailable where no table is loaded. */
export function overview(
  reference: ReferenceStore,
  input: z.output<typeof overviewInput>,
): z.infer<typeof overviewOutput> {
  someOf(reference, overviewTables);
  const about = metaOf(reference, overviewTables, FORMULA + exposureFormula, [
    missingExposureReason(reference),
  ]);
  const figures = headlineOf(reference);
  if (input.format === "summary")
    return { data: { text: paragraph(reference, figures), headline: figures }, meta: about };
  return {
    data: {
      tables: overviewTables.flatMap((table) => {
        const found = reference.find(table);
        if (!found) return [];
        const { dataset, synthetic, rows } = found;
        return { table: table.name, dataset, synthetic, rows: rows.length, years: yearsOf(rows) };
      }),
      countries: countryGroups.map((group) => ({
        group,
        count: codesOf(group).length,
        with_figures: withFigures(reference, group),
      })),
      sectors: sectionCodes.length,
      occupations: occupationsOf(reference),
      headline: figures,
    },
    meta: about,
  };
}

const withFigures = (reference: ReferenceStore, group?: (typeof countryGroups)[number]) =>
  codesOf(group)
    .map((code) => hourlyOf(reference, code, WHOLE_ECONOMY))
    .filter(({ labour_cost_year, earnings_year }) => labour_cost_year !== null || earnings_year !== null)
    .length;

const occupationsOf = (reference: ReferenceStore) => reference.find(iloExposure)?.rows.length ?? 0;

/** The first and last year of rows that are about years; null for others. */
function yearsOf(rows: readonly object[]): { from: number; to: number } | null {
  const years = (rows as readonly { year?: number; month?: string; period?: string }[])
    .map(({ year, month = "", period = month }) => year ?? Number(period.slice(0, 4)))
    .filter((year) => year > 0);
  return years.length === 0 ? null : { from: Math.min(...years), to: Math.max(...years) };
}

function headlineOf(reference: ReferenceStore): z.infer<typeof headline> {
  const cost = (geo: string) => {
    const { labour_cost_eur_per_hour: value, labour_cost_year: year } = hourlyOf(
      reference,
      geo,
      WHOLE_ECONOMY,
    );
    return { value, unit: "EUR an hour", as_of: year === null ? null : String(year) };
  };
  const wage = latestWage(reference, "TOTAL");
  const employment = reference.find(iscoNaceEmployment);
  const exposure = exposureOfAll(reference).score;
  return {
    eu27_labour_cost: cost(EU27),
    lv_labour_cost: cost("LV"),
    lv_gross_wage: {
      value: wage?.gross_eur_per_month ?? null,
      unit: "EUR a month",
      as_of: wage?.period ?? null,
    },
    ai_exposure: {
      value: exposure,
      unit: "0 to 1",
      as_of: exposure === null ? null : (employment?.as_of ?? null),
    },
  };
}

function paragraph(reference: ReferenceStore, figures: z.infer<typeof headline>): string {
  const { eu27_labour_cost, lv_labour_cost, lv_gross_wage, ai_exposure } = figures;
  const said = [
    eu27_labour_cost.value !== null &&
      `An hour of work cost EUR ${eu27_labour_cost.value.toFixed(2)} in the EU27 (${eu27_labour_cost.as_of})`,
    lv_labour_cost.value !== null &&
      `EUR ${lv_labour_cost.value.toFixed(2)} in Latvia (${lv_labour_cost.as_of})`,
    lv_gross_wage.value !== null &&
      `the average gross wage in Latvia was EUR ${lv_gross_wage.value.toFixed(0)} a month (${lv_gross_wage.as_of})`,
    ai_exposure.value !== null &&
      `the employment-weighted exposure of occupations to generative AI is ${ai_exposure.value.toFixed(2)} of 1`,
  ].filter((sentence) => sentence !== false);
  const invented = overviewTables.filter((table) => reference.find(table)?.synthetic).map(({ name }) => name);
  const scope = `Salary data of ${withFigures(reference)} countries in ${sectionCodes.length} activities and ${occupationsOf(reference)} occupations.`;
  const caution = invented.length > 0 ? ` Invented figures of the sandbox: ${invented.join(", ")}.` : "";
  const sentence = said.length > 0 ? ` ${said.join("; ")}.` : "";
  return `${scope}${sentence}${caution}`;
}
