/** Queries of `country`: partners, products, advantage and dependency by chapter. */
import { z } from "zod";
import { literal } from "../../../datasets/duckdb.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { comparativeAdvantage, symmetricAdvantage } from "../../../domain/fusion/comparative-advantage.ts";
import { dependency, type YearOfImports } from "../../../domain/fusion/dependency.ts";
import { completenessOf } from "../../../domain/trade/coverage.ts";
import { isReporter, partnerName, reporterCodes } from "../../../domain/trade/reporters.ts";
import { flows, sixDecimals } from "../../../domain/trade/units.ts";
import { monthsOf, namesOf, type TradeData } from "../../trade/answers/question.ts";
import { inFlow, inReporters, partnersIn, totalsIn } from "../../trade/answers/tables.ts";
import { LEAST_LISTED } from "./market-methods.ts";

const MOST_RANKED = 10;
/** The least share of a country's exports for a chapter's advantage to be listed. */
const LEAST_SHARE = 0.01;

/** A country in a year of a dataset. */
export type CountryQuery = { trade: TradeData; lease: Lease; country: string; year: number };

const line = z.object({
  rank: z.int(),
  code: z.string(),
  name: z.string().nullable(),
  value_eur: z.int(),
  share: z.number().nullable().describe("Share of the trade in this direction, 0 to 1; null: there is none"),
});
type Line = z.infer<typeof line>;

export const sides = z.object({
  imports: z.array(line).describe(`The largest of the country's imports, at most ${MOST_RANKED}`),
  exports: z.array(line).describe(`The largest of the country's exports, at most ${MOST_RANKED}`),
});

export const dependentProduct = z.object({
  product: z.string(),
  name: z.string().nullable(),
  imports_eur: z.int(),
  concentration: z
    .number()
    .nullable()
    .describe("Σ share² over sources outside the EU, 0 to 1; null: no such imports"),
  extra_share: z
    .number()
    .nullable()
    .describe("Imports from outside the EU / all imports, 0 to 1; null: no imports"),
});

type Sum = { code: string; flow: "IMPORT" | "EXPORT"; value: number };

/** Where a country reports nothing, its imports are the 27's exports to it. */
const asItSees = (reports: boolean, flow: Sum["flow"]) =>
  reports ? flow : flow === "IMPORT" ? "EXPORT" : "IMPORT";

async function ranked(
  { lease, country }: CountryQuery,
  from: string,
  code: string,
  nameOf: (code: string) => string | null,
  signal?: AbortSignal,
): Promise<z.infer<typeof sides>> {
  const reports = isReporter(country);
  const own = reports ? inReporters([country]) : `partner = ${literal(country)}`;
  const rows = await lease.query<Sum>(
    `select ${code} as code, flow, sum(value_eur)::double as value from ${from} where ${own} group by 1, 2
     order by value desc, code`,
    undefined,
    signal,
  );
  const side = (flow: Sum["flow"]): Line[] => {
    const all = rows.filter((row) => row.flow === asItSees(reports, flow));
    const total = all.reduce((sum, { value }) => sum + value, 0);
    return all.slice(0, MOST_RANKED).map(({ code, value }, at) => ({
      rank: at + 1,
      code,
      name: nameOf(code),
      value_eur: value,
      share: total > 0 ? sixDecimals(value / total) : null,
    }));
  };
  return { imports: side("IMPORT"), exports: side("EXPORT") };
}

/** The partners of a reporter, or those of the 27 that trade with the country. */
export const partnersOfCountry = (of: CountryQuery, signal?: AbortSignal) =>
  ranked(
    of,
    partnersIn(of.lease, { years: { from: of.year, to: of.year } }),
    isReporter(of.country) ? "partner" : "reporter",
    partnerName,
    signal,
  );

export function productsOfCountry(of: CountryQuery, signal?: AbortSignal) {
  const slice = { years: { from: of.year, to: of.year } };
  const from = isReporter(of.country) ? totalsIn(of.lease, slice) : partnersIn(of.lease, slice);
  return ranked(of, from, "hs2", namesOf(of.trade), signal);
}

/** Chapters by revealed comparative advantage, or the reason why there is none. */
export async function advantagesOf({ trade, lease, country, year }: CountryQuery, signal?: AbortSignal) {
  const { coverage } = lease.manifest;
  if (!isReporter(country))
    return "the data have only its exports to the 27, so the shares of all its exports are unknown";
  if (!coverage.products.national)
    return "the dataset lacks some products, so the share of all exports is unknown";
  const years = { from: year, to: year };
  const known = completenessOf(coverage, undefined);
  const months = monthsOf(lease, years);
  if (months.length < 12 || reporterCodes.some((code) => months.some((one) => !known(code, "EXPORT", one))))
    return `not all of the 27 have delivered their exports of ${year} in full`;
  const rows = await lease.query<{ hs2: string; own: number; all: number }>(
    `select hs2, coalesce(sum(value_eur) filter (reporter = ${literal(country)}), 0)::double as own,
       sum(value_eur)::double as "all" from ${totalsIn(lease, { years })} where ${inFlow("EXPORT")} group by 1`,
    undefined,
    signal,
  );
  const sum = (of: "own" | "all") => rows.reduce((total, row) => total + row[of], 0);
  const [own, all] = [sum("own"), sum("all")];
  return rows
    .flatMap((row) => {
      const rca =
        row.own < LEAST_SHARE * own
          ? undefined
          : comparativeAdvantage({ product: row.own, all: own, group_product: row.all, group_all: all });
      if (rca === undefined) return [];
      return {
        product: row.hs2,
        name: namesOf(trade)(row.hs2),
        exports_eur: row.own,
        rca: sixDecimals(rca),
        symmetric: sixDecimals(symmetricAdvantage(rca)),
      };
    })
    .sort((a, b) => b.rca - a.rca || (a.product < b.product ? -1 : 1))
    .slice(0, MOST_RANKED);
}

/**
 * Chapters whose imports depend on few sources outside, by the last complete years, or the reason why that is
 * unknown.
 */
export async function dependenciesOf(
  { trade, lease, country }: CountryQuery,
  complete: number[],
  signal?: AbortSignal,
) {
  if (!isReporter(country)) return "the data have only its imports from the 27";
  const last = complete.slice(-3);
  if (last.length < 2) return "fewer than two years are complete";
  const years = { from: last[0]!, to: last.at(-1)! };
  const [sources, totals] = await Promise.all([
    lease.query<{ hs2: string; year: number; partner: string; value: number }>(
      `select hs2, period // 100 as year, partner, sum(value_eur)::double as value
       from ${partnersIn(lease, { years })} where ${inReporters([country])} and ${inFlow("IMPORT")} group by 1, 2, 3`,
      undefined,
      signal,
    ),
    lease.query<{ hs2: string; year: number; imports: number; exports: number }>(
      `select hs2, period // 100 as year, ${flows
        .map(
          (flow) => `coalesce(sum(value_eur) filter (flow = '${flow}'), 0)::double as ${flow.toLowerCase()}s`,
        )
        .join(", ")}
       from ${totalsIn(lease, { years })} where ${inReporters([country])} group by 1, 2`,
      undefined,
      signal,
    ),
  ]);
  const chapters = new Map<
    string,
    Map<number, YearOfImports & { sources: { country: string; value: number }[] }>
  >();
  for (const { hs2, year, imports, exports } of totals) {
    if (!last.includes(year)) continue;
    const of = chapters.get(hs2) ?? new Map();
    chapters.set(hs2, of.set(year, { year, imports, exports, sources: [] }));
  }
  const listed = new Map<YearOfImports, number>();
  for (const { hs2, year, partner, value } of sources) {
    const of = chapters.get(hs2)?.get(year);
    if (!of) continue;
    listed.set(of, (listed.get(of) ?? 0) + value);
    if (!isReporter(partner)) of.sources.push({ country: partner, value });
  }
  return [...chapters]
    .filter(([, of]) => [...of.values()].every((one) => (listed.get(one) ?? 0) >= LEAST_LISTED * one.imports))
    .flatMap(([product, of]) => {
      const judged = dependency([...of.values()]);
      const newest = judged?.years.at(-1);
      if (!judged?.dependent || !newest) return [];
      return {
        product,
        name: namesOf(trade)(product),
        imports_eur: of.get(newest.year)!.imports,
        concentration: newest.concentration === null ? null : sixDecimals(newest.concentration),
        extra_share: newest.extra_share === null ? null : sixDecimals(newest.extra_share),
      };
    })
    .sort((a, b) => b.imports_eur - a.imports_eur || (a.product < b.product ? -1 : 1))
    .slice(0, MOST_RANKED);
}
