/** The methods of `market-intel`: each answers its figures, or a sentence with the reason why there are none. */
import { z } from "zod";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { comparativeAdvantage, symmetricAdvantage } from "../../../domain/fusion/comparative-advantage.ts";
import { dependency, dependencyBounds } from "../../../domain/fusion/dependency.ts";
import { distanceKm, shareBorder } from "../../../domain/fusion/distances.ts";
import { gravity, LEAST_CELLS, type Pair } from "../../../domain/fusion/gravity.ts";
import { priceAndQuantity } from "../../../domain/fusion/price-quantity.ts";
import { LEAST_TOP_SHARE, substitution } from "../../../domain/fusion/substitution.ts";
import { classify, concentrationOf } from "../../../domain/trade/concentration.ts";
import { completenessOf } from "../../../domain/trade/coverage.ts";
import {
  isReporter,
  partnerName,
  type ReporterCode,
  reporterCodes,
} from "../../../domain/trade/reporters.ts";
import { pricePerTonne } from "../../../domain/trade/unit-values.ts";
import { type Flow, sixDecimals } from "../../../domain/trade/units.ts";
import { monthsOf } from "../../trade/answers/question.ts";
import { inFlow, partnersIn, totalsIn } from "../../trade/answers/tables.ts";

/** A partner's year: its total value, that of its rows with a mass, and that mass. */
export type PartnerYear = {
  year: number;
  partner: string;
  value_eur: number;
  weighed_eur: number;
  quantity_kg: number | null;
};

/** The data of a market for its methods; `partners` are of `year` and the two years before, of the flow requested. */
export type Market = {
  lease: Lease;
  hs: string;
  reporter: ReporterCode | undefined;
  reporters: readonly ReporterCode[];
  flow: Flow;
  year: number;
  isComplete: (year: number) => boolean;
  importsIn: (year: number) => number;
  exportsIn: (year: number) => number;
  partners: readonly PartnerYear[];
};

const number = z.number().nullable();

export const priced = z.object({
  from: z.int(),
  to: z.int(),
  change_eur: z.number().describe("Change over the listed partners, in EUR: price + quantity + unsplit"),
  price_eur: z.number().describe("Change due to prices, in EUR"),
  quantity_eur: z.number().describe("Change due to quantities, in EUR"),
  unsplit_eur: z.number().describe("Change of new or lost partners and of trade without mass, in EUR"),
  partners: z.int().describe("Number of partners in the split"),
});

export function pricedOf({ partners, year, isComplete }: Market): z.infer<typeof priced> | string {
  if (!isComplete(year) || !isComplete(year - 1)) return `${year - 1} and ${year} are not both complete`;
  const byPartner = new Map<string, Map<number, PartnerYear>>();
  for (const one of partners)
    byPartner.set(one.partner, (byPartner.get(one.partner) ?? new Map()).set(one.year, one));
  const cells = [...byPartner.values()].flatMap((years) => {
    const side = (of: number) => {
      const { value_eur = 0, weighed_eur = 0, quantity_kg = null } = years.get(of) ?? {};
      return [
        { value_eur: weighed_eur, quantity_kg },
        { value_eur: value_eur - weighed_eur, quantity_kg: null },
      ] as const;
    };
    const [before, after] = [side(year - 1), side(year)];
    return [
      { before: before[0], after: after[0] },
      { before: before[1], after: after[1] },
    ];
  });
  const split = priceAndQuantity(cells);
  if (split.cells === 0) return `no partner states a mass in both ${year - 1} and ${year}`;
  return {
    from: year - 1,
    to: year,
    change_eur: Math.round(split.price_eur + split.quantity_eur + split.unsplit_eur),
    price_eur: Math.round(split.price_eur),
    quantity_eur: Math.round(split.quantity_eur),
    unsplit_eur: Math.round(split.unsplit_eur),
    partners: split.cells,
  };
}

export const advantage = z.object({
  rca: z.number().describe("Product's share of the country's exports / its share of the 27's exports"),
  symmetric: z.number().describe("(rca − 1)/(rca + 1), −1 to 1; 0 = as much as the 27"),
});

/** Always of exports, whichever flow is requested: advantage is about sales. */
export async function advantageOf(
  { lease, hs, reporter, year }: Market,
  signal?: AbortSignal,
): Promise<z.infer<typeof advantage> | string> {
  const { coverage } = lease.manifest;
  if (reporter === undefined) return "advantage is computed for one of the 27: name a reporter";
  if (!coverage.products.national)
    return "the dataset lacks some products, so the share of all exports is unknown";
  const years = { from: year, to: year };
  const isOpen = (of: string | undefined) => {
    const known = completenessOf(coverage, of);
    return reporterCodes.some((code) =>
      monthsOf(lease, years).some((period) => !known(code, "EXPORT", period)),
    );
  };
  if (isOpen(hs) || isOpen(undefined))
    return `not all of the 27 have delivered their exports of ${year} in full`;
  const exportsOf = async (of: string | undefined) => {
    const rows = await lease.query<{ reporter: ReporterCode; value: number }>(
      `select reporter, sum(value_eur)::double as value from ${totalsIn(lease, { hs: of, years })}
       where ${inFlow("EXPORT")} group by 1`,
      undefined,
      signal,
    );
    const all = rows.reduce((sum, { value }) => sum + value, 0);
    return { own: rows.find((row) => row.reporter === reporter)?.value ?? 0, all };
  };
  const [product, total] = await Promise.all([exportsOf(hs), exportsOf(undefined)]);
  const rca = comparativeAdvantage({
    product: product.own,
    all: total.own,
    group_product: product.all,
    group_all: total.all,
  });
  if (rca === undefined) return `the 27 did not export the product in ${year}`;
  return { rca: sixDecimals(rca), symmetric: sixDecimals(symmetricAdvantage(rca)) };
}

export const dependent = z.object({
  dependent: z
    .boolean()
    .describe(
      `true: all three indicators exceed their bounds in ${dependencyBounds.years} of the last three years`,
    ),
  years: z
    .array(
      z.object({
        year: z.int(),
        concentration: number.describe("Σ share² over sources outside the EU, 0 to 1; null: no such imports"),
        extra_share: number.describe("Imports from outside the EU / all imports, 0 to 1; null: no imports"),
        imports_to_exports: number.describe("Imports / exports; null = no exports"),
        dependent: z.boolean(),
      }),
    )
    .describe("The indicators by year"),
});

const rounded = (value: number | null) => (value === null ? null : sixDecimals(value));

/** The least part of the trade that partners must be listed for, for a statement on all of them. */
export const LEAST_LISTED = 0.95;

/** The part of a year's trade whose partners are listed; null without trade. */
function listedShare({ partners, flow, importsIn, exportsIn }: Market, year: number): number | null {
  const total = flow === "IMPORT" ? importsIn(year) : exportsIn(year);
  const listed = partners.reduce((sum, one) => (one.year === year ? sum + one.value_eur : sum), 0);
  return total > 0 ? listed / total : null;
}

/** The reason why the listed partners of a year do not stand for all; undefined where they do. */
function unlisted(market: Market, year: number): string | undefined {
  const share = listedShare(market, year);
  if (share === null || share >= LEAST_LISTED) return undefined;
  return `the dataset names the partners of only ${(100 * share).toPrecision(3)} % of the imports of ${year}`;
}

export function dependencyOf(market: Market): z.infer<typeof dependent> | string {
  const { flow, partners, year, isComplete, importsIn, exportsIn } = market;
  if (flow !== "IMPORT") return "dependency is computed for imports: set flow to IMPORT";
  const judged = [year - 2, year - 1, year].filter(isComplete);
  const why = judged.map((of) => unlisted(market, of)).find((one) => one !== undefined);
  if (why !== undefined) return why;
  const found = dependency(
    judged.map((of) => ({
      year: of,
      imports: importsIn(of),
      exports: exportsIn(of),
      sources: partners
        .filter((one) => one.year === of && !isReporter(one.partner))
        .map(({ partner, value_eur }) => ({ country: partner, value: value_eur })),
    })),
  );
  if (!found) return "dependency needs two complete years of the last three";
  const years = found.years.map((one) => ({
    ...one,
    concentration: rounded(one.concentration),
    extra_share: rounded(one.extra_share),
    imports_to_exports: rounded(one.imports_to_exports),
  }));
  return { dependent: found.dependent, years: years };
}

export function concentratedOf(market: Market) {
  const { partners, year } = market;
  const listed_share = rounded(listedShare(market, year));
  const values = partners.filter((one) => one.year === year).map(({ value_eur }) => value_eur);
  const found = concentrationOf(values);
  if (!found) return `no partner with trade is listed in ${year}`;
  return {
    hhi: sixDecimals(found.hhi),
    classification: classify(found.hhi, "2023"),
    cr3: sixDecimals(found.cr3),
    partners: values.length,
    listed_share,
  };
}

const MOST_SUBSTITUTES = 5;

export const substituted = z.object({
  from: z.int(),
  to: z.int(),
  top: z.object({ partner: z.string(), name: z.string(), before_eur: z.int(), after_eur: z.int() }),
  top_share_before: z.number(),
  substitutes: z.array(
    z.object({
      partner: z.string(),
      name: z.string(),
      growth_eur: z.int(),
      share: z.number(),
      price_distance: number.describe(
        "|ln price − ln price of the top source| in robust deviations; null = too few masses",
      ),
      score_eur: z.number().describe("share × growth_eur, in EUR"),
    }),
  ),
});

export function substitutionOf(market: Market): z.infer<typeof substituted> | string {
  const { flow, partners, year, isComplete } = market;
  if (flow !== "IMPORT") return "substitution is computed for imports: set flow to IMPORT";
  if (!isComplete(year) || !isComplete(year - 1)) return `${year - 1} and ${year} are not both complete`;
  const why = unlisted(market, year - 1) ?? unlisted(market, year);
  if (why !== undefined) return why;
  const of = (wantedYear: number, partner: string) =>
    partners.find((one) => one.year === wantedYear && one.partner === partner);
  const found = substitution(
    [...new Set(partners.map(({ partner }) => partner))].map((country) => {
      const after = of(year, country);
      const unit_value = after && pricePerTonne(after.weighed_eur, after.quantity_kg ?? 0);
      return {
        country,
        before: of(year - 1, country)?.value_eur ?? 0,
        after: after?.value_eur ?? 0,
        unit_value: unit_value ?? null,
      };
    }),
  );
  if (!found)
    return `no source had ${100 * LEAST_TOP_SHARE} % of the imports of ${year - 1} and fell in ${year}`;
  const { top, substitutes } = found;
  return {
    from: year - 1,
    to: year,
    top: {
      partner: top.country,
      name: partnerName(top.country),
      before_eur: top.before,
      after_eur: top.after,
    },
    top_share_before: sixDecimals(found.top_share_before),
    substitutes: substitutes.slice(0, MOST_SUBSTITUTES).map((one) => ({
      partner: one.country,
      name: partnerName(one.country),
      growth_eur: one.growth_eur,
      share: sixDecimals(one.share),
      price_distance: rounded(one.price_distance),
      score_eur: sixDecimals(one.score),
    })),
  };
}

/** The most partners compared with their expected trade. */
const MOST_EXPECTED = 10;

export const expectation = z.object({
  distance: z
    .object({ estimate: z.number(), standard_error: z.number() })
    .describe("Elasticity of trade with distance"),
  contiguity: z.object({ estimate: z.number(), standard_error: z.number() }).nullable(),
  cells: z.int().describe("Number of country pairs in the estimate"),
  partners: z
    .array(
      z.object({
        partner: z.string(),
        name: z.string(),
        actual_eur: z.int(),
        expected_eur: z.number(),
        ratio: z
          .number()
          .describe("actual_eur / expected_eur; above 1 = more than size and distance predict"),
      }),
    )
    .describe("Actual and expected trade by partner"),
});

/** For one reporter only: for the 27 together each partner's own effect fits its trade exactly. */
export async function expectationOf(
  { lease, hs, reporter, flow, year }: Market,
  signal?: AbortSignal,
): Promise<z.infer<typeof expectation> | string> {
  if (reporter === undefined) return "expected trade is only for one of the 27: name a reporter";
  const known = completenessOf(lease.manifest.coverage, hs);
  const months = monthsOf(lease, { from: year, to: year });
  const complete = reporterCodes.filter(
    (code) => months.length === 12 && months.every((period) => known(code, flow, period)),
  );
  if (!complete.includes(reporter)) return `${reporter} has not delivered ${year} in full`;
  const rows = await lease.query<{ reporter: string; partner: string; value: number }>(
    `select reporter, partner, sum(value_eur)::double as value from ${partnersIn(lease, { hs, years: { from: year, to: year } })}
     where ${inFlow(flow)} group by 1, 2`,
    undefined,
    signal,
  );
  const values = new Map(rows.map((row) => [`${row.reporter} ${row.partner}`, row.value]));
  const partners = [...new Set(rows.map((row) => row.partner))].sort();
  const pairs = complete.flatMap((from) =>
    partners.flatMap((partner): Pair[] => {
      const distance_km = from === partner ? undefined : distanceKm(from, partner);
      if (distance_km === undefined) return [];
      const value = values.get(`${from} ${partner}`) ?? 0;
      return [{ reporter: from, partner, value, distance_km, contiguous: shareBorder(from, partner) }];
    }),
  );
  const found = gravity(pairs);
  if (!found)
    return `gravity needs ${LEAST_CELLS} pairs of countries that trade the product at differing distances`;
  const estimate = (one: { estimate: number; standard_error: number }) => ({
    estimate: sixDecimals(one.estimate),
    standard_error: sixDecimals(one.standard_error),
  });
  return {
    distance: estimate(found.distance),
    contiguity: found.contiguity && estimate(found.contiguity),
    cells: found.cells,
    partners: pairs
      .flatMap((pair, at) => {
        const expected = found.expected[at];
        if (pair.reporter !== reporter || !expected) return [];
        return {
          partner: pair.partner,
          actual_eur: pair.value,
          expected_eur: Math.round(expected),
          ratio: sixDecimals(pair.value / expected),
        };
      })
      .sort((a, b) => b.actual_eur - a.actual_eur || (a.partner < b.partner ? -1 : 1))
      .slice(0, MOST_EXPECTED)
      .map(({ partner, ...figures }) => ({ partner, name: partnerName(partner), ...figures })),
  };
}

export const MARKET_FORMULA =
  "growth: (last / first)^(1/years) − 1 over complete years; price and quantity: ΔV = Σ q̄Δp + Σ p̄Δq over partners with masses (Bennet 1920); HHI = Σ(100·share)² over listed partners, 2023 guidelines; advantage: R = (xᵢⱼ/Xᵢ)/(x_EUⱼ/X_EU) of exports, among the 27 (Balassa 1965); dependency: Σ share² > 0.4 of sources outside the EU, more than half of imports from there, imports > exports (SWD(2021) 352); substitution: a source of half or more that fell, and those that grew; gravity: PPML, E[x] = exp(β ln dist + γ contig + reporter + partner), capitals' distances (Santos Silva and Tenreyro 2006)";
