/** A country's profile: `country`, its trade, partners, products, dependencies, wages, exposure to AI and prices. */
import { z } from "zod";
import { refuse, refuseWith } from "../../../core/model/refusal.ts";
import { hicp } from "../../../datasets/reference/hicp.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import type { ReferenceTable } from "../../../datasets/reference/table.ts";
import { WHOLE_ECONOMY } from "../../../domain/salary/sectors.ts";
import { dataset, partner, year } from "../../../domain/trade/inputs.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { isReporter } from "../../../domain/trade/reporters.ts";
import { yearOf } from "../../../domain/trade/units.ts";
import { macroContext, macroOutput, macroTables } from "../../macro/answers/context.ts";
import { aboutReference, referenceMeta } from "../../reference/meta.ts";
import { exposureOfAll, exposureTables } from "../../salary/answers/exposure.ts";
import { hourly, hourlyOf, hourlyTables } from "../../salary/answers/hourly.ts";
import {
  aboutNames,
  chooseDataset,
  formula,
  meta,
  metaOf,
  onDataset,
  type TradeData,
} from "../../trade/answers/question.ts";
import { SUMS } from "../../trade/answers/series.ts";
import {
  advantagesOf,
  dependenciesOf,
  dependentProduct,
  partnersOfCountry,
  productsOfCountry,
  sides,
} from "./country-methods.ts";
import { countryStats, type countryStatsOutput, countryYear, statsQuestion, views } from "./country-stats.ts";
import { planted, plantedIn } from "./planted.ts";

/** Years listed, up to the one requested. */
const YEARS_LISTED = 5;

/** The economy section includes consumer prices. */
export const countryTables: readonly ReferenceTable<object>[] = [
  ...hourlyTables,
  ...exposureTables,
  ...macroTables,
];

export const countryInput = z.object({
  country: partner.describe(
    "Any country by its 2-letter code; the 27 report the figures of a country outside",
  ),
  year: year.optional().describe("Calendar year; omitted = the last complete one"),
  dataset: dataset.optional(),
});

const number = z.number().nullable();

export const countryOutput = z.object({
  data: z.object({
    trade: z
      .array(countryYear)
      .describe(`The country's trade in up to ${YEARS_LISTED} years, up to \`meta.year\``),
    partners: sides.describe("The largest partners; for a country outside the 27, only the 27"),
    products: sides.describe("The largest HS chapters"),
    advantage: z
      .array(
        z.object({
          product: z.string(),
          name: z.string().nullable(),
          exports_eur: z.int(),
          rca: z
            .number()
            .describe("Chapter's share of the country's exports / its share of the 27's exports"),
          symmetric: z.number().describe("(rca − 1)/(rca + 1), −1 to 1"),
        }),
      )
      .nullable()
      .describe("Chapters with at least 1 % of the exports, highest rca first; null: `absent` says why"),
    dependency: z
      .array(dependentProduct)
      .nullable()
      .describe(
        "Chapters whose imports depend on few sources outside the EU, largest first; null: `absent` says why",
      ),
    wages: hourly.nullable().describe("Cost and pay of an hour of work; null: `absent` says why"),
    ai_exposure: z
      .object({ score: number, covered: number, of: z.literal("EU27").describe("Area of the score") })
      .nullable()
      .describe("Exposure to AI in the EU27, 0 to 1, weighted by employment; null: `absent` says why"),
    inflation: z
      .object({ month: z.string(), yoy_pct: z.number() })
      .nullable()
      .describe("Consumer prices (HICP), percent on the year before; null: `absent` says why"),
    macro: z
      .array(
        macroOutput.shape.data.element.pick({
          indicator: true,
          name: true,
          unit: true,
          value: true,
          as_of: true,
          synthetic: true,
        }),
      )
      .describe("Newest figures of the euro area and of oil"),
    absent: z
      .array(z.object({ of: z.string(), why: z.string() }))
      .describe("The missing parts, with reasons"),
  }),
  meta: meta.extend({
    country: z.string(),
    name: z.string(),
    year: z.int(),
    view: z.enum(views).describe("through_partners: only the country's trade with the 27 is covered"),
    tables: z.array(referenceMeta).describe("Reference tables used, each with its vintage"),
    planted,
    formula,
  }),
});

type CountryAnswer = z.infer<typeof countryOutput>;

/** A profile of a country in a year; all trade figures are of one dataset, which must not change meanwhile. */
export async function country(
  trade: TradeData,
  reference: ReferenceStore,
  input: z.output<typeof countryInput>,
  signal?: AbortSignal,
): Promise<CountryAnswer> {
  const { country: code } = input;
  refuseYearOutside(trade, input);
  const stats = await countryStats(trade, { country: code, dataset: input.dataset }, signal);
  const year = yearShown(stats, input.year);
  const years = stats.data.filter((one) => one.year <= year && one.year > year - YEARS_LISTED);
  refuseWithoutTrade(stats, year, input.year);
  const absent: CountryAnswer["data"]["absent"] = [];
  const or = <T>(of: string, found: T | string): T | null => {
    if (typeof found !== "string") return found;
    absent.push({ of, why: found });
    return null;
  };
  const question = {
    dataset: stats.meta.dataset,
    partner: isReporter(code) ? undefined : code,
    reporters: [],
    years: { from: year, to: year },
    fields: { years: "year", partner: "country" },
  } as const;
  return onDataset(trade, question, async (lease) => {
    const about = { trade, lease, country: code, year };
    const complete = stats.data.flatMap((one) => (one.complete && one.year <= year ? one.year : []));
    const [partners, products, advantage, dependency] = await Promise.all([
      partnersOfCountry(about, signal),
      productsOfCountry(about, signal),
      advantagesOf(about, signal),
      dependenciesOf(about, complete, signal),
    ]);
    return {
      data: {
        trade: years,
        partners,
        products,
        advantage: or("advantage", advantage),
        dependency: or("dependency", dependency),
        ...economyOf(reference, code, or),
        absent,
      },
      meta: {
        ...metaOf(lease, { ...question, reporters: isReporter(code) ? [code] : [] }),
        ...aboutNames(trade),
        country: code,
        name: stats.meta.name,
        year,
        view: stats.meta.view,
        tables: countryTables.flatMap((table) => {
          const found = reference.find(table);
          return found ? [aboutReference(found)] : [];
        }),
        planted: plantedIn(lease.manifest, { country: code }),
        formula: `${stats.meta.formula}; advantage: R = (xᵢⱼ/Xᵢ)/(x_EUⱼ/X_EU) of exports, among the 27 (Balassa 1965); dependency: Σ share² > 0.4 of sources outside the EU, more than half of imports from there, imports > exports, in 2 of the last 3 complete years (SWD(2021) 352); ${SUMS}`,
      },
    };
  });
}

function refuseYearOutside(
  trade: TradeData,
  { country, dataset, year }: z.output<typeof countryInput>,
): void {
  if (year === undefined) return;
  const { months } = chooseDataset(trade, statsQuestion({ country, dataset })).manifest.coverage;
  const [first, last] = [yearOf(months.from), yearOf(months.to)];
  if (year < first || year > last) refuseWith("year", `year is from ${first} to ${last} for this country`);
}

/** Nothing is charged for a profile of zeros. */
function refuseWithoutTrade(
  { data, meta: { name } }: z.infer<typeof countryStatsOutput>,
  year: number,
  requested: number | undefined,
): void {
  const isNone = (one: z.infer<typeof countryYear>) => !one.imports_eur && !one.exports_eur;
  if (data.every(isNone)) refuseNoTrade("country", `the data have no trade of ${name}`);
  if (requested !== undefined && data.every((one) => one.year !== year || isNone(one)))
    refuseNoTrade("year", `the data have no trade of ${name} in ${year}`);
}

const refuseNoTrade = (path: string, message: string): never =>
  refuse(tradeProblems["outside-coverage"], message, { errors: [{ path, message }] });

/** The requested year, else the last complete one, else the last. */
const yearShown = ({ data }: z.infer<typeof countryStatsOutput>, requested: number | undefined): number =>
  requested ?? (data.findLast(({ complete }) => complete) ?? data.at(-1)!).year;

type ValueOrNull = <T>(of: string, found: T | string) => T | null;

/** The country's figures from reference tables, and the economy around it. */
function economyOf(reference: ReferenceStore, code: string, or: ValueOrNull) {
  const wages = hourlyOf(reference, code, WHOLE_ECONOMY);
  const isPaid = wages.labour_cost_year !== null || wages.earnings_year !== null;
  const { score, covered } = exposureOfAll(reference);
  const prices = (reference.find(hicp)?.rows ?? []).filter((row) => row.geo === code && row.yoy_pct !== null);
  const last = prices.reduce<(typeof prices)[number] | undefined>(
    (newest, row) => (newest && newest.month >= row.month ? newest : row),
    undefined,
  );
  const economy: readonly ReferenceTable<object>[] = macroTables;
  const isMacro = economy.some((table) => reference.find(table));
  const macro = isMacro
    ? macroContext(reference, { indicators: ["ecb_mro", "eur_usd", "hicp_yoy", "brent_usd"] }).data
    : [];
  if (!isMacro) or("macro", "no table of indicators is loaded");
  return {
    wages: or("wages", isPaid ? wages : "no table of labour costs or earnings has the country"),
    ai_exposure: or(
      "ai_exposure",
      score === null
        ? "no table of exposure and employment is loaded"
        : { score, covered, of: "EU27" as const },
    ),
    inflation: or(
      "inflation",
      last ? { month: last.month, yoy_pct: last.yoy_pct! } : "no table of consumer prices has the country",
    ),
    macro: macro.map(({ indicator, name, unit, value, as_of, synthetic }) => ({
      indicator,
      name,
      unit,
      value,
      as_of,
      synthetic,
    })),
  };
}
