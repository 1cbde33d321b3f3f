import { z } from "zod";
import { refuseWith } from "../../../core/model/refusal.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { comparableYears, completenessOf } from "../../../domain/trade/coverage.ts";
import {
  basis,
  dataset,
  hs,
  partner,
  procedure,
  readYears,
  reporter,
  years,
} from "../../../domain/trade/inputs.ts";
import type { NameOf } from "../../../domain/trade/product-names.ts";
import { isReporter, partnerName, type ReporterCode, reporterCode } from "../../../domain/trade/reporters.ts";
import { type Flow, type Period, type Years, yearOf } from "../../../domain/trade/units.ts";
import { balanceOf, balanceYear, direction, directionOf, WATCHED } from "./corridor-directions.ts";
import { monthsOfPair, type Pair, productsOfPair } from "./corridor-rows.ts";
import { hasPartner, refuseWithoutPartner } from "./partner-rows.ts";
import {
  aboutNames,
  formula,
  meta,
  metaOf,
  monthsOf,
  namesOf,
  onDatasets,
  type TradeData,
  yearOrLast,
  yearsOrAll,
} from "./question.ts";

export const corridorInput = z.object({
  reporter: reporter.describe(
    "The reporting country of the two, by the ISO code of one of the 27; Greece is GR",
  ),
  partner,
  years: years.optional(),
  hs: hs.optional(),
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

/** Figures of two databases are never added up. */
const section = z.object({
  about: meta,
  years: z.object({ from: z.int(), to: z.int() }),
  directions: z.array(direction).length(2).describe("The reporter's exports, then its imports"),
  balance: z.array(balanceYear).describe("The reporter's balance with the partner by year"),
});

export const corridorOutput = z.object({
  data: z.object({
    reporter: z.object({ code: reporterCode, name: z.string() }).describe("The reporter's code and name"),
    partner: z.object({ code: z.string(), name: z.string() }).describe("The partner's code and name"),
    databases: z
      .array(section)
      .describe("The databases that have the pair, each by itself; the default one first"),
  }),
  meta: meta.extend({
    count: z.int().describe("Number of databases"),
    product: z.string().nullable(),
    formula,
  }),
});

const FORMULA =
  `mirror gap = importer's figure − exporter's figure over the months that both have delivered; ` +
  `price = 1000·Σvalue / Σkg over rows with kg > 0; seasonality as trade/seasonality, alerts as trade/alerts, over the last ${WATCHED} months`;

export async function corridor(
  trade: TradeData,
  input: z.output<typeof corridorInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof corridorOutput>> {
  if (input.partner === input.reporter) {
    const message = "partner is the reporter itself; name two different countries";
    refuseWith("partner", message);
  }
  const pair: Pair = {
    reporter: input.reporter,
    partner: input.partner,
    other: isReporter(input.partner) ? input.partner : undefined,
  };
  const query = {
    hs: input.hs,
    partner: input.partner,
    dataset: input.dataset,
    basis: input.basis,
    procedure: input.procedure,
    reporters: [input.reporter],
    years: input.years === undefined ? undefined : readYears(input.years),
  };
  return onDatasets(trade, query, async (leases, question) => {
    const withPair = await Promise.all(leases.map((lease) => hasPartner(lease, question, signal)));
    const knowing = leases.filter((_, at) => withPair[at]);
    if (knowing.length === 0) refuseWithoutPartner(leases[0]!, question, "partner");
    const sections = await Promise.all(
      knowing.map((lease) => sectionOf(lease, namesOf(trade), pair, question, signal)),
    );
    // A database can cover the question and still have no row of the pair.
    const databases = sections.filter(({ balance }, at) => at === 0 || balance.some(hasTrade));
    return {
      data: {
        reporter: { code: pair.reporter, name: partnerName(pair.reporter) },
        partner: { code: pair.partner, name: partnerName(pair.partner) },
        databases,
      },
      meta: {
        ...databases[0]!.about,
        count: databases.length,
        product: question.hs ?? null,
        ...aboutNames(trade),
        formula: FORMULA,
      },
    };
  });
}

const hasTrade = ({ exports_eur, imports_eur }: z.infer<typeof balanceYear>) =>
  Boolean(exports_eur || imports_eur);

type CorridorQuery = {
  hs: string | undefined;
  partner: string;
  reporters: ReporterCode[];
  years: Years | undefined;
};

async function sectionOf(
  lease: Lease,
  nameOf: NameOf,
  pair: Pair,
  question: CorridorQuery,
  signal: AbortSignal | undefined,
): Promise<z.infer<typeof section>> {
  const { hs } = question;
  const years = yearsOrAll(lease, question.years);
  const products_year = yearOrLast(lease, question);
  const [months, products] = await Promise.all([
    monthsOfPair(lease, pair, { hs, years }, signal),
    productsOfPair(lease, pair, { hs, year: products_year }, signal),
  ]);
  const { coverage } = lease.manifest;
  const isCompleteHere = completenessOf(coverage, hs, pair.partner);
  const isCompleteThere = completenessOf(coverage, hs, pair.reporter);
  const eurByMonth = new Map(
    months.map((row) => [`${row.reporter} ${row.flow} ${row.period}`, row.value_eur]),
  );
  const values = (reporter: ReporterCode, flow: Flow) => {
    const isComplete = reporter === pair.reporter ? isCompleteHere : isCompleteThere;
    return monthsOf(lease, years).map((period) => ({
      period,
      value: isComplete(reporter, flow, period)
        ? (eurByMonth.get(`${reporter} ${flow} ${period}`) ?? 0)
        : null,
    }));
  };
  const isComparable = comparableYears(coverage, hs, years);
  const figures = {
    pair,
    values,
    months,
    products,
    products_year,
    nameOf,
    isComparable: (period: Period) => isComparable(yearOf(period)),
  };
  const reporters = pair.other === undefined ? [pair.reporter] : [pair.reporter, pair.other];
  return {
    about: metaOf(lease, { hs, partner: pair.partner, reporters, years }),
    years,
    directions: [directionOf(figures, "EXPORT"), directionOf(figures, "IMPORT")],
    balance: balanceOf(figures),
  };
}
