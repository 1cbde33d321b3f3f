import { z } from "zod";
import { refuse } from "../../../core/model/refusal.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { completenessOf, flowsOf } from "../../../domain/trade/coverage.ts";
import {
  basis,
  dataset,
  flow,
  procedure,
  reporter,
  requiredHs,
  years,
} from "../../../domain/trade/inputs.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import type { ReporterCode } from "../../../domain/trade/reporters.ts";
import { LEAST_MONTHS, seasonality } from "../../../domain/trade/seasonality.ts";
import { type Flow, flows, type Period, sixDecimals, type Years } from "../../../domain/trade/units.ts";
import { aboutProduct, productMeta, productQuestion } from "./one-product.ts";
import { monthsOf, onDataset, type TradeData, yearsOrAll } from "./question.ts";
import { monthsIn, type SeriesRow } from "./series.ts";

export const seasonInput = z.object({
  reporter,
  hs: requiredHs,
  years: years.optional(),
  flow: flow.optional(),
  procedure: procedure.optional(),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const extreme = z
  .object({ month: z.int().describe("The calendar month, 1 to 12"), factor: z.number() })
  .nullable()
  .describe("The month with this factor; null: there is no profile");

export const profile = z.object({
  flow: z.enum(flows),
  profile: z
    .array(z.number())
    .length(12)
    .nullable()
    .describe("Twelve factors, January first, 1.0 = average; null = too little data, see note"),
  peak: extreme,
  trough: extreme,
  amplitude: z.number().nullable().describe("Peak factor − trough factor; null: there is no profile"),
  months_used: z.int().describe("Number of complete months in the requested years"),
  note: z.string().nullable().describe("Why the profile is null; null: there is a profile"),
});

export const seasonOutput = z.object({
  data: z.array(profile).describe("One profile per flow"),
  meta: productMeta.extend({ count: z.int() }),
});

export const SEASON_FORMULA = `classical decomposition: each month's value / its centred 2×12 moving average, averaged by calendar month, scaled to mean 1; at least ${LEAST_MONTHS} complete months`;

export async function season(
  trade: TradeData,
  input: z.output<typeof seasonInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof seasonOutput>> {
  return onDataset(trade, { ...productQuestion(input), compares: true }, async (lease, question) => {
    const span = yearsOrAll(lease, question.years);
    const data = await profilesOf(lease, { ...question, reporter: input.reporter, years: span }, signal);
    const about = aboutProduct(lease, question, span);
    return { data, meta: { ...about, count: data.length, formula: SEASON_FORMULA } };
  });
}

export async function profilesOf(
  lease: Lease,
  query: { hs?: string | undefined; reporter: ReporterCode; flow?: Flow | undefined; years: Years },
  signal: AbortSignal | undefined,
): Promise<z.infer<typeof profile>[]> {
  const monthRows = await monthsIn(lease, undefined, { ...query, reporters: [query.reporter] }, signal);
  const values = knownValues(lease, query, monthRows);
  const profiles = flowsOf(query.flow).map((flow) => profileOf(flow, values(flow)));
  if (profiles.every(({ profile }) => profile === null)) refuseWithoutSeason(profiles[0]!);
  return profiles;
}

/** A call without a profile is not charged. */
function refuseWithoutSeason({ note }: z.infer<typeof profile>): never {
  const message = `${note}: name more years, or omit years for all`;
  return refuse(tradeProblems["outside-coverage"], message, { errors: [{ path: "years", message }] });
}

export type MonthValue = { period: Period; value: number | null };

/** Monthly values of a flow: 0 = no trade, null = incomplete. */
function knownValues(
  lease: Lease,
  query: { hs?: string | undefined; reporter: ReporterCode; years: Years },
  monthRows: SeriesRow[],
): (flow: Flow) => MonthValue[] {
  const isComplete = completenessOf(lease.manifest.coverage, query.hs);
  const rows = new Map(monthRows.map((row) => [row.period, row]));
  return (flow) =>
    monthsOf(lease, query.years).map((period) => {
      const row = rows.get(period);
      const value = (flow === "IMPORT" ? row?.imports_eur : row?.exports_eur) ?? 0;
      return { period, value: isComplete(query.reporter, flow, period) ? value : null };
    });
}

export function profileOf(flow: Flow, months: MonthValue[]): z.infer<typeof profile> {
  const result = seasonality(months.map(({ period, value }) => ({ month: period % 100, value })));
  const months_used = months.filter(({ value }) => value !== null).length;
  if (!result.enough)
    return {
      flow,
      profile: null,
      peak: null,
      trough: null,
      amplitude: null,
      months_used,
      note: result.reason,
    };
  const factors = result.profile.map(sixDecimals);
  const at = (factor: number) => ({ month: factors.indexOf(factor) + 1, factor });
  const [peak, trough] = [at(Math.max(...factors)), at(Math.min(...factors))];
  const amplitude = sixDecimals(peak.factor - trough.factor);
  return { flow, profile: factors, peak, trough, amplitude, months_used, note: null };
}
