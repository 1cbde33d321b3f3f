import { z } from "zod";
import type { Lease } from "../../../datasets/vintage-store.ts";
import {
  type Concentration,
  classes,
  classify,
  concentrationOf,
  type Guideline,
  guidelines,
} from "../../../domain/trade/concentration.ts";
import { existsIn, flowsOf } from "../../../domain/trade/coverage.ts";
import { basis, dataset, flow, hs, procedure, reporter, year } from "../../../domain/trade/inputs.ts";
import { partnerName, type ReporterCode } from "../../../domain/trade/reporters.ts";
import { type Flow, flows, sixDecimals } from "../../../domain/trade/units.ts";
import { aboutYear, inOneYear, yearMeta } from "./one-year.ts";
import type { TradeData } from "./question.ts";
import { listedByFlow, partnersOf, rollupsOf, totalOf } from "./rolled-up.ts";
import { SUMS } from "./series.ts";
import { inFlow, inReporters, partnersIn, type Slice, totalsIn } from "./tables.ts";

const TOP_PARTNERS = 10;
const NO_CODE = "the code does not exist in this year, so there is no index; meta.codes names its successors";

export const concentrationInput = z.object({
  reporter,
  hs: hs.optional(),
  year: year.optional(),
  flow: flow.optional(),
  guideline: z
    .enum(["2023", "2010"], "guideline is 2023 (1000 and 1800) or 2010 (1500 and 2500)")
    .default("2023")
    .describe("Thresholds of the classes: 2023 = 1000 and 1800, 2010 = 1500 and 2500"),
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const share = z.number().nullable();

/** Figures are null if no partner is listed. */
export const concentrationResult = z.object({
  flow: z.enum(flows),
  hhi: z
    .number()
    .nullable()
    .describe("Herfindahl–Hirschman index of the listed partners, 0 to 10,000; null: none"),
  classification: z.enum(classes).nullable(),
  cr3: share.describe("The three largest partners' share of the listed value, 0 to 1"),
  cr5: share.describe("The five largest partners' share of the listed value, 0 to 1"),
  effective_partners: z
    .number()
    .nullable()
    .describe("10,000 / HHI: the number of equal partners with this index"),
  partners: z.int().describe("Number of listed partners"),
  listed_value_eur: z
    .int()
    .nullable()
    .describe(
      "Value with the listed partners in EUR, the base of shares and HHI; null = the code does not exist in the year",
    ),
  total_value_eur: z
    .int()
    .nullable()
    .describe(
      "Value of all trade in EUR (the source's WORLD rows if any); null = the code does not exist in the year",
    ),
  listed_share: share.describe(
    "listed_value_eur / total_value_eur; far below 1, the index covers only a part; null: no trade",
  ),
  top_partners: z.array(
    z.object({
      rank: z.int(),
      partner: z.string().describe("2-letter code"),
      name: z.string(),
      value_eur: z.int(),
      share: z.number().describe("Share of listed_value_eur, 0 to 1"),
      share_of_total: share.describe("Share of total_value_eur, 0 to 1; null: that is 0"),
    }),
  ),
  note: z.string().nullable().describe("Why the index is null; null: there is an index"),
});

export const concentrationOutput = z.object({
  data: z.array(concentrationResult).describe("One result per flow"),
  meta: yearMeta.extend({
    count: z.int(),
    product: z.string().nullable().describe("The requested code; null = all products"),
    thresholds: z.object({
      moderate: z.number().describe("Least index of the class moderate"),
      high: z.number().describe("Least index of the class high"),
    }),
  }),
});

type Partner = { flow: Flow; partner: string; value_eur: number };
type Total = { flow: Flow; value_eur: number };

export const concentration = (
  trade: TradeData,
  input: z.output<typeof concentrationInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof concentrationOutput>> => {
  const { reporter, flow, guideline } = input;
  return inOneYear(trade, input, async (lease, years, { hs }) => {
    const [partners, totals] = await amounts(lease, { hs, years, reporter, flow }, signal);
    const isCode = existsIn(lease.manifest.coverage, hs, years);
    const data = flowsOf(flow).map((of) => {
      const listed = partners.filter((row) => row.flow === of);
      const total = totals.find((row) => row.flow === of)?.value_eur ?? 0;
      const result = resultOf(of, listed, total, guideline);
      return isCode ? result : { ...result, listed_value_eur: null, total_value_eur: null, note: NO_CODE };
    });
    return {
      data,
      meta: {
        ...aboutYear(lease, { ...input, hs }, years),
        count: data.length,
        product: hs ?? null,
        thresholds: guidelines[guideline],
        formula: `HHI = Σ(100·share)² over listed partners, share = value / listed value; CR3, CR5 = sums of the largest shares; classes by the ${guideline} merger guidelines; ${SUMS}`,
      },
    };
  });
};

async function amounts(
  lease: Lease,
  { reporter, flow, ...slice }: Slice & { reporter: ReporterCode; flow: Flow | undefined },
  signal: AbortSignal | undefined,
): Promise<[Partner[], Total[]]> {
  const rollups = rollupsOf(lease, slice);
  if (rollups) {
    const total = totalOf(rollups, { hs: slice.hs, flow, reporters: [reporter] });
    return [
      listedByFlow(await partnersOf(rollups, reporter, { hs: slice.hs, flow }), flow),
      flowsOf(flow).map((of) => ({ flow: of, value_eur: total.of(of).eur })),
    ];
  }
  const where = `${inReporters([reporter])} and ${inFlow(flow)}`;
  return Promise.all([
    lease.query<Partner>(
      `select flow, partner, sum(value_eur)::bigint as value_eur from ${partnersIn(lease, slice)}
       where ${where} group by all order by value_eur desc, partner`,
      undefined,
      signal,
    ),
    lease.query<Total>(
      `select flow, sum(value_eur)::bigint as value_eur from ${totalsIn(lease, slice)} where ${where} group by flow`,
      undefined,
      signal,
    ),
  ]);
}

function resultOf(
  flow: Flow,
  partners: Partner[],
  total: number,
  guideline: Guideline,
): z.infer<typeof concentrationResult> {
  const values = partners.map(({ value_eur }) => value_eur);
  const listed = values.reduce((sum, value) => sum + value, 0);
  const measures = concentrationOf(values);
  const figure = (of: keyof Concentration) => (measures ? sixDecimals(measures[of]) : null);
  return {
    flow,
    hhi: figure("hhi"),
    classification: measures ? classify(measures.hhi, guideline) : null,
    cr3: figure("cr3"),
    cr5: figure("cr5"),
    effective_partners: figure("effective_number"),
    partners: partners.length,
    listed_value_eur: listed,
    total_value_eur: total,
    listed_share: total > 0 ? sixDecimals(listed / total) : null,
    top_partners: partners.slice(0, TOP_PARTNERS).map(({ partner, value_eur }, at) => ({
      rank: at + 1,
      partner,
      name: partnerName(partner),
      value_eur,
      share: sixDecimals(value_eur / listed),
      share_of_total: total > 0 ? sixDecimals(value_eur / total) : null,
    })),
    note: measures ? null : "no partner with trade is listed in this year, so there is no index",
  };
}
