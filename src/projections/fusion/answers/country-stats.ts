/**
 * A country's trade by year next to that of all 27: `country-stats`. The figures of a non-reporter come from its
 * partners.
 */
import { z } from "zod";
import { literal } from "../../../datasets/duckdb.ts";
import { completenessOf, isComparable, namedPartners } from "../../../domain/trade/coverage.ts";
import { basis, dataset, hs, partner, readYears, years } from "../../../domain/trade/inputs.ts";
import { isReporter, partnerName, reporterCodes } from "../../../domain/trade/reporters.ts";
import { flows, sixDecimals, yearOf } from "../../../domain/trade/units.ts";
import {
  formula,
  meta,
  metaOf,
  monthsOf,
  onDataset,
  type TradeData,
  yearsOrAll,
} from "../../trade/answers/question.ts";
import { SUMS } from "../../trade/answers/series.ts";
import { partnersIn, totalsIn } from "../../trade/answers/tables.ts";

export const countryStatsInput = z.object({
  country: partner.describe(
    "Any country by its 2-letter code; the 27 report the figures of a country outside",
  ),
  years: years.optional(),
  hs: hs.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const amount = z.number().nullable();

export const views = ["reported", "through_partners"] as const;

/** A year of the country, in EUR. */
export const countryYear = z.object({
  year: z.int(),
  imports_eur: z.int().nullable().describe("Imports in EUR; null = not delivered"),
  exports_eur: z.int().nullable(),
  balance_eur: z.int().nullable().describe("exports_eur − imports_eur; null if one of them is null"),
  imports_growth: amount.describe(
    "Growth of the imports on the year before, 0.1 = 10 %; null: either year is incomplete, or the code changed",
  ),
  exports_growth: amount,
  imports_share: amount.describe(
    "Share of the 27's imports, 0 to 1; for a country outside, of the 27's exports; null: the dataset has only some partners",
  ),
  exports_share: amount.describe(
    "Share of the 27's exports, 0 to 1; for a country outside, of the 27's imports; null: the dataset has only some partners",
  ),
  complete: z
    .boolean()
    .describe("true: all twelve months are complete; for a country outside the 27, from each of the 27"),
});

export const countryStatsOutput = z.object({
  data: z.array(countryYear),
  meta: meta.extend({
    count: z.int(),
    country: z.string(),
    name: z.string(),
    view: z
      .enum(views)
      .describe(
        "reported: the country's own figures; through_partners: the 27's figures on their trade with it, its other trade is missing",
      ),
    formula,
  }),
});

type YearRow = {
  year: number;
  imports_eur: number | null;
  exports_eur: number | null;
  eu_imports: number | null;
  eu_exports: number | null;
};

/** A country's trade as a question for the trade datasets. */
export const statsQuestion = ({ country, hs, years, basis, dataset }: z.output<typeof countryStatsInput>) =>
  ({
    hs,
    basis,
    compares: true,
    dataset,
    // A dataset with few partners does not show zero for the others.
    partner: isReporter(country) ? undefined : country,
    reporters: reporterCodes,
    years: years === undefined ? undefined : readYears(years),
    fields: { reporter: "dataset", years: "years", partner: "country" },
  }) as const;

/** Yearly imports, exports, balance, growth and share of what the 27 trade. */
export async function countryStats(
  trade: TradeData,
  input: z.output<typeof countryStatsInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof countryStatsOutput>> {
  const { country } = input;
  const reports = isReporter(country);
  const question = statsQuestion(input);
  const { years: requestedYears } = question;
  return onDataset(trade, question, async (lease, { hs }) => {
    const span = yearsOrAll(lease, requestedYears);
    const slice = { hs, years: span };
    const of = (flow: string, condition = "true") =>
      `sum(value_eur) filter (flow = ${literal(flow)} and ${condition})::bigint`;
    const own = `reporter = ${literal(country)}`;
    const all = `select period // 100 as year, ${of("IMPORT")} as eu_imports, ${of("EXPORT")} as eu_exports,
        ${of("IMPORT", own)} as imports_eur, ${of("EXPORT", own)} as exports_eur from ${totalsIn(lease, slice)} group by 1`;
    // The 27's exports to a country are its imports from them.
    const seen = `select period // 100 as year, ${of("EXPORT")} as imports_eur, ${of("IMPORT")} as exports_eur
        from ${partnersIn(lease, slice)} where partner = ${literal(country)} group by 1`;
    const found = await lease.query<YearRow>(
      reports
        ? all
        : `select year, eu_exports as eu_imports, eu_imports as eu_exports, seen.imports_eur, seen.exports_eur
           from (${all}) left join (${seen}) seen using (year)`,
      undefined,
      signal,
    );
    const known = completenessOf(lease.manifest.coverage, hs, question.partner);
    // A share of the trade with chosen partners would look like one of all.
    const isWhole = namedPartners(lease.manifest.coverage) === undefined;
    const members = reports ? [country] : reporterCodes;
    const data: z.infer<typeof countryYear>[] = [];
    for (let year = span.from; year <= span.to; year++) {
      const sums = found.find((one) => one.year === year);
      const months = monthsOf(lease, { from: year, to: year });
      const isKnown = (period: number) =>
        members.every((code) => flows.every((flow) => known(code, flow, period)));
      const none = months.some((period) => yearOf(period) === year && isKnown(period)) ? 0 : null;
      const [imports_eur, exports_eur] = [sums?.imports_eur ?? none, sums?.exports_eur ?? none];
      if (imports_eur === null && exports_eur === null) continue;
      const complete = months.length === 12 && months.every(isKnown);
      const before = data.at(-1);
      const isSame = isComparable(lease.manifest.coverage, hs, year - 1, year);
      const growth = (now: number | null, then: number | null | undefined) =>
        complete && isSame && before?.complete && before.year === year - 1 && now !== null && then
          ? sixDecimals(now / then - 1)
          : null;
      const share = (value: number | null, whole: number | null | undefined) =>
        isWhole && value !== null && whole ? sixDecimals(value / whole) : null;
      data.push({
        year,
        imports_eur,
        exports_eur,
        balance_eur: imports_eur === null || exports_eur === null ? null : exports_eur - imports_eur,
        imports_growth: growth(imports_eur, before?.imports_eur),
        exports_growth: growth(exports_eur, before?.exports_eur),
        imports_share: share(imports_eur, sums?.eu_imports),
        exports_share: share(exports_eur, sums?.eu_exports),
        complete,
      });
    }
    return {
      data,
      meta: {
        ...metaOf(lease, { hs, partner: question.partner, reporters: members, years: span }),
        count: data.length,
        country,
        name: partnerName(country),
        view: reports ? "reported" : "through_partners",
        formula: `balance = exports − imports; growth = year / year before − 1, between complete years; share = value / sum of the 27${reports ? "" : "; its imports are the 27's exports to it, and its exports their imports from it"}; ${SUMS}`,
      },
    };
  });
}
