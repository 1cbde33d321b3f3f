/** The market of one product: `market-intel`. `absent` names each missing part with the reason. */
import { z } from "zod";
import { literal } from "../../../datasets/duckdb.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { compoundGrowth } from "../../../domain/fusion/growth.ts";
import { mirrorOf } from "../../../domain/mirror/reconstruct.ts";
import { classes } from "../../../domain/trade/concentration.ts";
import { completenessOf } from "../../../domain/trade/coverage.ts";
import {
  basis,
  dataset,
  flow,
  hs,
  partner,
  readYears,
  requiredHs,
  years,
} from "../../../domain/trade/inputs.ts";
import { isReporter, reporterCodes } from "../../../domain/trade/reporters.ts";
import { type Flow, flows, sixDecimals, type Years } from "../../../domain/trade/units.ts";
import { crossingWith } from "../../trade/answers/one-year.ts";
import {
  aboutNames,
  formula,
  meta,
  metaOf,
  monthsOf,
  namesOf,
  onDataset,
  type TradeData,
  yearsOrAll,
} from "../../trade/answers/question.ts";
import { profile, profileOf, SEASON_FORMULA } from "../../trade/answers/seasonality.ts";
import { SUMS } from "../../trade/answers/series.ts";
import { inFlow, inReporters, partnersIn, totalsIn } from "../../trade/answers/tables.ts";
import { views } from "./country-stats.ts";
import {
  alertsOf,
  announced,
  announcedOn,
  atConstantPrices,
  atPricesOf,
  LEAD_FORMULA,
  leadLag,
  leadsOf,
  openAlert,
} from "./market-additions.ts";
import {
  advantage,
  advantageOf,
  concentratedOf,
  dependencyOf,
  dependent,
  expectation,
  expectationOf,
  MARKET_FORMULA,
  type Market,
  type PartnerYear,
  priced,
  pricedOf,
  substituted,
  substitutionOf,
} from "./market-methods.ts";
import { supplier, suppliersOf } from "./market-suppliers.ts";
import { planted, plantedIn } from "./planted.ts";

/** Methods need the years before, even if they were not requested. */
const YEARS_BEFORE = 2;

export const marketInput = z.object({
  hs: requiredHs,
  reporter: partner
    .optional()
    .describe(
      "One country by its 2-letter code; omitted = the 27 together; the 27 report the figures of a country outside",
    ),
  flow: flow.default("IMPORT").describe("IMPORT or EXPORT"),
  years: years.optional(),
  beside: z
    .array(hs)
    .min(1, "beside names at least one product")
    .max(7, "beside names at most 7 products")
    .refine((codes) => new Set(codes).size === codes.length, "beside names a product twice")
    .optional()
    .describe("Other products, comma-separated, to test for leads and lags"),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const number = z.number().nullable();

export const marketOutput = z.object({
  data: z.object({
    size: z
      .array(
        z.object({
          year: z.int(),
          value_eur: z.int(),
          quantity_kg: number.describe("Reported mass in kg; null = none"),
          complete: z.boolean(),
        }),
      )
      .describe("Size of the market by year"),
    growth: z
      .object({ from: z.int(), to: z.int(), rate: z.number().describe("Compound growth a year, 0.1 = 10 %") })
      .nullable(),
    price_and_quantity: priced.nullable(),
    real: atConstantPrices.nullable().describe("Trade deflated by consumer prices; null: `absent` says why"),
    partners: z
      .array(supplier)
      .describe("The ten largest partners; for the 27 together also the ten largest outside the EU"),
    concentration: z
      .object({
        hhi: z.number(),
        classification: z.enum(classes),
        cr3: z.number(),
        partners: z.int(),
        listed_share: number.describe("Trade with listed partners / all trade, 0 to 1; null: no trade"),
      })
      .nullable(),
    season: profile,
    advantage: advantage.nullable(),
    dependency: dependent.nullable(),
    substitution: substituted.nullable(),
    gravity: expectation.nullable(),
    leads: z
      .array(leadLag)
      .nullable()
      .describe(
        "Leads and lags between the product and `beside`; empty = none found; null: no `beside`, or `absent` says why",
      ),
    alerts: z.array(openAlert).describe("Alerts of the last six months, most certain first"),
    policies: z
      .array(announced)
      .nullable()
      .describe("Policies that begin in the twelve months after the data end; null: `absent` says why"),
    absent: z
      .array(z.object({ of: z.string(), why: z.string() }))
      .describe("The missing parts, with reasons"),
  }),
  meta: meta.extend({
    reporter: z.string().nullable().describe("null = the 27 together"),
    view: z
      .enum(views)
      .describe(
        "reported: the reporter's own figures; through_partners: those of the 27, whose exports to the country are its imports",
      ),
    product: z.string(),
    name: z.string().nullable(),
    flow: z.enum(flows),
    year: z.int().describe("The last complete requested year, else the last"),
    years: z.object({ from: z.int(), to: z.int() }),
    planted,
    formula,
  }),
});

export type MarketSubject = Pick<z.output<typeof marketInput>, "hs" | "reporter" | "flow"> &
  Partial<Pick<z.output<typeof marketInput>, "years" | "basis" | "dataset">>;

/** A market as a question for the trade datasets. */
export function marketQuestion({ hs, reporter: country, flow, years, basis, dataset }: MarketSubject) {
  const reporter = country !== undefined && isReporter(country) ? country : undefined;
  // A country outside the 27 is seen through them: they report the other flow.
  const through = reporter === undefined ? country : undefined;
  const requested = years === undefined ? undefined : readYears(years);
  return {
    hs,
    basis,
    compares: true,
    dataset,
    partner: through,
    reporters: reporter === undefined ? reporterCodes : [reporter],
    flow: through === undefined ? flow : mirrorOf(flow),
    years: requested,
    crossing: crossingWith(YEARS_BEFORE, requested),
    fields: { years: "years", partner: "reporter" },
  } as const;
}

/** Size, growth, price and quantity, partners, season, advantage, dependency, substitution and expected trade of a product. */
export async function market(
  trade: TradeData,
  reference: ReferenceStore,
  input: z.output<typeof marketInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof marketOutput>> {
  const { reporter: country, flow } = input;
  const question = marketQuestion(input);
  const { reporters, partner: through, flow: reported, years: requestedYears } = question;
  const reporter = country !== undefined && isReporter(country) ? country : undefined;
  return onDataset(trade, question, async (lease, { hs: product }) => {
    const span = yearsOrAll(lease, requestedYears);
    const looked = { from: span.from - YEARS_BEFORE, to: span.to };
    const months = await monthsIn(lease, { hs: product, reporters, through, years: looked }, signal);
    const all = sizeOf(months, flow, looked);
    const size = all.filter((one) => one.year >= span.from);
    const year = (size.findLast(({ complete }) => complete) ?? size.at(-1))?.year ?? span.to;
    const found: Market = {
      lease,
      hs: product,
      reporter,
      reporters,
      flow,
      year,
      isComplete: (of) => all.some((one) => one.year === of && one.complete),
      exportsIn: (of) => sum(months.filter((one) => one.flow === "EXPORT" && yearIs(one.period, of))),
      importsIn: (of) => sum(months.filter((one) => one.flow === "IMPORT" && yearIs(one.period, of))),
      partners: await partnersOf(lease, { hs: product, reporters, through, flow: reported, year }, signal),
    };
    const { absent, or } = notes();
    const ofWholeTrade = <T>(found: () => T) => (through === undefined ? found() : ONLY_THE_EU);
    if (through !== undefined) or("alerts", ONLY_THE_EU);
    const total = size.find((one) => one.year === year)?.value_eur ?? 0;
    return {
      data: {
        size,
        growth: or("growth", growthOf(size)),
        price_and_quantity: or("price_and_quantity", pricedOf(found)),
        real: or(
          "real",
          atPricesOf(
            found,
            months.filter((one) => one.flow === flow),
            size.filter(({ complete }) => complete).map((one) => one.year),
            reference,
          ),
        ),
        partners: suppliersOf(found, total),
        concentration: or("concentration", concentratedOf(found)),
        season: profileOf(
          flow,
          months
            .filter((one) => one.flow === flow && one.period > span.from * 100)
            .map(({ period, known, value }) => ({ period, value: known ? value : null })),
        ),
        advantage: or("advantage", await ofWholeTrade(() => advantageOf(found, signal))),
        dependency: or(
          "dependency",
          ofWholeTrade(() => dependencyOf(found)),
        ),
        substitution: or("substitution", substitutionOf(found)),
        gravity: or("gravity", await ofWholeTrade(() => expectationOf(found, signal))),
        leads:
          input.beside === undefined
            ? null
            : or(
                "leads",
                await ofWholeTrade(() =>
                  leadsOf(lease, { products: [product, ...(input.beside ?? [])], reporters, flow }, signal),
                ),
              ),
        alerts: through === undefined ? await alertsOf(trade, { ...found, basis: input.basis }, signal) : [],
        policies: or(
          "policies",
          ofWholeTrade(() => announcedOn(found, reference)),
        ),
        absent: [
          ...absent,
          { of: "news", why: "this answer has no news: fusion/news quotes news on a country" },
        ],
      },
      meta: {
        ...metaOf(lease, { ...question, hs: product, years: span }),
        reporter: country ?? null,
        view: through === undefined ? "reported" : "through_partners",
        product,
        name: namesOf(trade)(product),
        flow,
        year,
        years: span,
        ...aboutNames(trade),
        planted: plantedIn(lease.manifest, { hs: product, country, flow }),
        formula: `${MARKET_FORMULA}; real: Σ 100 · month's value / HICP of the month; ${LEAD_FORMULA}; season: ${SEASON_FORMULA}; ${SUMS}`,
      },
    };
  });
}

/** Sentences about missing figures. */
function notes() {
  const absent: { of: string; why: string }[] = [];
  const or = <T extends object>(of: string, result: T | string): T | null => {
    if (typeof result !== "string") return result;
    absent.push({ of, why: result });
    return null;
  };
  return { absent, or };
}

type Month = { period: number; flow: Flow; value: number; quantity_kg: number | null; known: boolean };
/** `through`: a country outside the 27, whose trade is theirs with it. */
type MarketQuery = {
  hs: string;
  reporters: Market["reporters"];
  through: string | undefined;
  years: Years;
};

const ONLY_THE_EU = "only the country's trade with the EU is known, from the statistics of the 27";

const yearIs = (period: number, year: number) => Math.floor(period / 100) === year;
const sum = (months: Month[]) => months.reduce((total, { value }) => total + value, 0);

/** Every month of both flows; a month is known when each reporter delivered it. */
async function monthsIn(
  lease: Lease,
  { hs, reporters, through, years }: MarketQuery,
  signal?: AbortSignal,
): Promise<Month[]> {
  const rowsOf =
    through === undefined
      ? `${totalsIn(lease, { hs, years })} where ${inReporters(reporters)}`
      : `${partnersIn(lease, { hs, years })} where partner = ${literal(through)}`;
  const found = await lease.query<{ period: number; flow: Flow; value: number; quantity_kg: number | null }>(
    `select period, flow, sum(value_eur)::bigint as value, sum(quantity_kg)::double as quantity_kg
     from ${rowsOf} group by 1, 2`,
    undefined,
    signal,
  );
  const known = completenessOf(lease.manifest.coverage, hs, through);
  const rows = new Map(found.map((row) => [`${row.flow} ${row.period}`, row]));
  return monthsOf(lease, years).flatMap((period) =>
    flows.map((flow) => {
      const reported = through === undefined ? flow : mirrorOf(flow);
      const { value = 0, quantity_kg = null } = rows.get(`${reported} ${period}`) ?? {};
      return {
        period,
        flow,
        value,
        quantity_kg,
        known: reporters.every((code) => known(code, reported, period)),
      };
    }),
  );
}

function sizeOf(months: Month[], flow: Flow, { from, to }: Years) {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at).flatMap((year) => {
    const of = months.filter((one) => one.flow === flow && yearIs(one.period, year));
    const masses = of.flatMap(({ quantity_kg }) => quantity_kg ?? []);
    if (of.every(({ known, value }) => !known && value === 0)) return [];
    return {
      year,
      value_eur: sum(of),
      quantity_kg: masses.length === 0 ? null : sixDecimals(masses.reduce((total, mass) => total + mass, 0)),
      complete: of.length === 12 && of.every(({ known }) => known),
    };
  });
}

function growthOf(size: ReturnType<typeof sizeOf>) {
  const complete = size.filter((one) => one.complete);
  const [first, last] = [complete[0], complete.at(-1)];
  if (!first || !last || first === last) return "growth needs two complete years";
  const rate = compoundGrowth(first.value_eur, last.value_eur, last.year - first.year);
  if (rate === undefined) return `there was no trade in ${first.year} to grow from`;
  return { from: first.year, to: last.year, rate: sixDecimals(rate) };
}

/** The partners' amounts of the year and of the two before; through the 27, they are the partners. */
const partnersOf = (
  lease: Lease,
  { hs, reporters, through, flow, year }: Omit<MarketQuery, "years"> & { flow: Flow; year: number },
  signal?: AbortSignal,
): Promise<PartnerYear[]> =>
  lease.query<PartnerYear>(
    `select period // 100 as year, ${through === undefined ? "partner" : "reporter as partner"}, sum(value_eur)::double as value_eur,
       coalesce(sum(value_eur) filter (quantity_kg > 0), 0)::double as weighed_eur, sum(quantity_kg)::double as quantity_kg
     from ${partnersIn(lease, { hs, years: { from: year - 2, to: year } })}
     where ${through === undefined ? inReporters(reporters) : `partner = ${literal(through)}`} and ${inFlow(flow)}
     group by all order by 3 desc, 2`,
    undefined,
    signal,
  );
