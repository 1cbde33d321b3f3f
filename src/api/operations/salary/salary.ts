import type { Data } from "../../../datasets/reading.ts";
import type { ReferenceTable } from "../../../datasets/reference/table.ts";
import {
  compare,
  compareInput,
  compareOutput,
  countries,
  countriesInput,
  countriesOutput,
  countriesTables,
} from "../../../projections/salary/answers/compare.ts";
import {
  aiRisk,
  aiRiskInput,
  aiRiskOutput,
  exposureTables,
} from "../../../projections/salary/answers/exposure.ts";
import {
  compareChart,
  countriesChart,
  exposureChart,
  lvWagesChart,
  sectorsChart,
} from "../../../projections/salary/answers/forms.ts";
import { hourlyTables } from "../../../projections/salary/answers/hourly.ts";
import {
  lvWagesInput,
  lvWagesOutput,
  lvWagesTables,
  wagesInLatvia,
} from "../../../projections/salary/answers/lv-wages.ts";
import {
  overview,
  overviewInput,
  overviewOutput,
  overviewTables,
} from "../../../projections/salary/answers/overview.ts";
import {
  sectors,
  sectorsInput,
  sectorsOutput,
  sectorTables,
} from "../../../projections/salary/answers/sectors.ts";
import { json, key, operation, pay } from "../../declare/index.ts";

/** The vintage of an answer names the current state of each of its tables. */
const over =
  (tables: readonly ReferenceTable<object>[]) =>
  ({ reference }: Data) =>
    reference.vintages(tables);

const overviewOperation = operation({
  name: "salary_overview",
  route: "GET /v1/agent/salary/overview",
  summary: "Available salary and AI-exposure data, with headline figures",
  description: `Tables, countries by group, activities and occupations.`,
  access: [key("read"), pay("0.01")],
  input: overviewInput,
  output: json(overviewOutput),
  example: { format: "summary" },
  vintage: over(overviewTables),
  covers: "handle",
  handle: async ({ input, data }) => overview(data.reference, input),
});

const countriesOperation = operation({
  name: "salary_countries",
  route: "GET /v1/agent/salary/countries",
  summary: "The countries of the EU27, EFTA and the candidates, with their data",
  description: `Available data, and the latest hourly labour cost and earnings.`,
  access: [key("read"), pay("0.01")],
  input: countriesInput,
  output: json(countriesOutput, { table: "data", chart: countriesChart }),
  example: { group: "EFTA" },
  vintage: over(countriesTables),
  covers: "handle",
  handle: async ({ input, data }) => countries(data.reference, input),
});

const sectorsOperation = operation({
  name: "salary_sectors",
  route: "GET /v1/agent/salary/sectors",
  summary: "The NACE sections in English or Latvian, with labour costs, Latvian wages and AI exposure",
  description: `Labour costs and earnings of the EU27, the average gross wage in Latvia, and the employment-weighted exposure to AI.`,
  access: [key("read"), pay("0.01")],
  input: sectorsInput,
  output: json(sectorsOutput, { table: "data", chart: sectorsChart }),
  example: { lang: "lv" },
  vintage: over(sectorTables),
  covers: "handle",
  handle: async ({ input, data }) => sectors(data.reference, input),
});

const aiRiskOperation = operation({
  name: "salary_ai_risk",
  route: "GET /v1/agent/salary/ai-risk",
  summary: "Exposure of occupations and activities to generative AI, 0 to 1",
  description: `ISCO-08 unit groups as published, their major groups, all occupations, and NACE sections weighted by
employment. \`basis\` explains each score.`,
  access: [key("read"), pay("0.01")],
  input: aiRiskInput,
  output: json(aiRiskOutput, { table: "data", chart: exposureChart }),
  example: { type: "NACE" },
  vintage: over(exposureTables),
  covers: "handle",
  handle: async ({ input, data }) => aiRisk(data.reference, input),
});

const lvWagesOperation = operation({
  name: "salary_lv_wages",
  route: "GET /v1/agent/salary/lv-wages",
  summary: "Average gross monthly wages in Latvia by activity, and their growth before and after inflation",
  description: `By year and quarter, in EUR. Real growth is null where Latvia's inflation is missing.`,
  access: [key("read"), pay("0.01")],
  input: lvWagesInput,
  output: json(lvWagesOutput, { table: "data", chart: lvWagesChart }),
  example: { year: 2024, nace: "C" },
  vintage: over(lvWagesTables),
  covers: "handle",
  handle: async ({ input, data }) => wagesInLatvia(data.reference, input),
});

const compareOperation = operation({
  name: "salary_compare",
  route: "GET /v1/agent/salary/compare",
  summary: "Hourly labour costs and earnings in up to ten countries, compared",
  description: `For one activity and one year, each country with its ratio to the EU27, in nominal EUR.`,
  access: [key("read"), pay("0.01")],
  input: compareInput,
  output: json(compareOutput, { table: "data", chart: compareChart }),
  example: { countries: ["LV", "EE", "LT", "DE"], nace: "C" },
  vintage: over(hourlyTables),
  covers: "handle",
  handle: async ({ input, data }) => compare(data.reference, input),
});

export const salaryOperations = [
  overviewOperation,
  countriesOperation,
  sectorsOperation,
  aiRiskOperation,
  lvWagesOperation,
  compareOperation,
];
