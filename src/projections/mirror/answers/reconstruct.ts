/** A country's trade with the EU27 as its partners report it: `mirror/reconstruct` and `sovereign/mirror`. */

import type { z } from "zod";
import { refuse, refuseWith } from "../../../core/model/refusal.ts";
import { literal } from "../../../datasets/duckdb.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { confidenceOf, LEAST_RATIOS, reliabilityOf } from "../../../domain/mirror/confidence.ts";
import {
  type CoveredMonth,
  coveredMonths,
  type MirrorQuery,
  mirrorOf,
  partnersOf,
  reconstructed,
} from "../../../domain/mirror/reconstruct.ts";
import { reportersOfEu } from "../../../domain/trade/coverage.ts";
import { readMonth } from "../../../domain/trade/inputs.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { partnerName, type ReporterCode } from "../../../domain/trade/reporters.ts";
import { type Flow, monthText, type Period, yearOf } from "../../../domain/trade/units.ts";
import { aboutReference } from "../../reference/meta.ts";
import { hasPartner, refuseWithoutPartner } from "../../trade/answers/partner-rows.ts";
import { lacksCode } from "../../trade/answers/product-codes.ts";
import {
  chooseDataset,
  metaOf,
  onDataset,
  type TradeData,
  type Question as TradeQuestion,
  yearsOrAll,
} from "../../trade/answers/question.ts";
import { finestIn } from "../../trade/answers/tables.ts";
import type { countryMonth, MirrorInput, reconstructOutput } from "./answer.ts";
import type { Dollars } from "./dollars.ts";
import { mirrorRatios, type Ratios } from "./ratios.ts";

type Question = MirrorQuery & TradeQuestion & { flow: Flow };

/** The question for the trade datasets: every reporting member of the 27 counts, so none is named. */
function questionOf(input: MirrorInput): Question {
  const { target_country: target, direction, dataset } = input;
  const period = input.month === undefined ? undefined : readMonth(input.month);
  const year = input.year ?? (period === undefined ? undefined : yearOf(period));
  if (period !== undefined && yearOf(period) !== year) {
    const message = `month ${input.month} is not in year ${year}; omit year or change one`;
    refuseWith("month", message);
  }
  const years = year === undefined ? undefined : { from: year, to: year };
  return {
    target,
    direction,
    hs: input.hs,
    years,
    period,
    dataset,
    basis: input.basis,
    partner: target,
    flow: mirrorOf(direction),
    reporters: reportersOfEu(input.hs, partnersOf(target)),
    fields: {
      reporter: "hs",
      flow: "direction",
      partner: "target_country",
      years: period === undefined ? "year" : "month",
    },
  };
}

/** The number of country-months in an answer from the open datasets. Refuses as the question itself would. */
export function countryMonths(trade: TradeData, input: MirrorInput): number {
  const question = questionOf(input);
  const { manifest, query } = chooseDataset(trade, question);
  return coveredMonths(manifest.coverage, query).length;
}

const FORMULAS = {
  IMPORT: "imports = Σ exports of the EU27 to the target × (1 + τ)",
  EXPORT: "exports = Σ imports of the EU27 from the target ÷ (1 + τ)",
} as const;

/** The requested months; `dollarsOf` finds the exchange rates that match the figures in being real or synthetic. */
export async function reconstruct(
  trade: TradeData,
  dollarsOf: (synthetic: boolean) => Dollars | undefined,
  input: MirrorInput,
  signal?: AbortSignal,
): Promise<z.infer<typeof reconstructOutput>> {
  return onDataset(trade, questionOf(input), async (lease, question) => {
    const { target, direction, hs } = question;
    const months = coveredMonths(lease.manifest.coverage, question);
    if (months.length === 0) refuseUncovered(lease, question);
    const subject = { hs, partner: target };
    if (!(await hasPartner(lease, subject, signal))) refuseWithoutPartner(lease, subject, "target_country");
    const years = yearsOrAll(lease, question.years);
    const [rows, ratios] = await Promise.all([
      lease.query<PartnerRow>(partnersSql(lease, question), undefined, signal),
      mirrorRatios(lease, hs, signal),
    ]);
    const dollars = dollarsOf(lease.manifest.synthetic);
    const sums = sumsOf(rows, months);
    const data = months.map((month) =>
      monthOf(month, {
        input: { ...input, hs },
        sums: sums.get(month.period)!,
        ratios,
        rate: dollars?.usd_per_eur.get(month.period),
      }),
    );
    const partners = partnersOf(target);
    return {
      data,
      meta: {
        ...metaOf(lease, { hs, partner: target, reporters: partners, flow: question.flow, years }),
        count: data.length,
        target: { code: target, name: partnerName(target) },
        direction,
        product: hs,
        scope: scopeOf(target, direction),
        formula: `${FORMULAS[direction]}, over the members that reported the month in full, not scaled up for the others; confidence = coverage × reliability × mass quality; value_usd at the ECB's monthly mean rate`,
        parameters: { cif_fob: input.cif_fob, partners: partners.length },
        reliability: {
          value: reliabilityOf(ratios),
          median_abs_ln_ratio: ratios.median_abs_ln,
          pair_months: ratios.count,
          product: ratios.hs,
          from: monthText(ratios.from),
          to: monthText(ratios.to),
        },
        rates: dollars === undefined ? null : aboutReference(dollars.reference),
        notes: notesOf(data, ratios, dollars),
      },
    };
  });
}

type PartnerRow = {
  reporter: ReporterCode;
  period: Period;
  value_eur: number;
  quantity_kg: number | null;
  weighed_eur: number;
};

function partnersSql(lease: Lease, { hs, years, period, target, flow }: Question): string {
  // Returned goods have their own country as partner: its figures for itself are not a mirror.
  const isAsked = `partner = ${literal(target)} and reporter <> partner and flow = ${literal(flow)} and ${period === undefined ? "true" : `period = ${period}`}`;
  return `select reporter, period, sum(value_eur)::bigint as value_eur, sum(quantity_kg)::double as quantity_kg,
      coalesce(sum(value_eur) filter (quantity_kg > 0), 0)::bigint as weighed_eur
    from ${finestIn(lease, { hs, years: yearsOrAll(lease, years) }, isAsked)} group by all`;
}

function refuseUncovered({ manifest }: Lease, { target, direction, hs, years, period }: Question): never {
  const { months } = manifest.coverage;
  const covered = coveredMonths(manifest.coverage, { target, direction, hs });
  const [first, last] = [covered.at(0), covered.at(-1)];
  const range = first && last ? `${monthText(first.period)} to ${monthText(last.period)}` : "no month";
  const lacking = years && lacksCode(manifest.coverage, hs, years);
  const has = `for ${hs}, ${manifest.dataset} has ${range} reported in full, of ${monthText(months.from)} to ${monthText(months.to)}`;
  const message = lacking === undefined ? has : `${lacking}; ${has}`;
  const path = period === undefined ? "year" : "month";
  return refuse(tradeProblems["outside-coverage"], message, { errors: [{ path, message }] });
}

/** The sums of partners that reported a month in full, and the excluded ones of the others. */
type PartnerSums = {
  reported_eur: number;
  quantity_kg: number | null;
  weighed_eur: number;
  excluded_eur: number;
};

function sumsOf(rows: readonly PartnerRow[], months: readonly CoveredMonth[]): Map<Period, PartnerSums> {
  const nothing = (): PartnerSums => ({
    reported_eur: 0,
    quantity_kg: null,
    weighed_eur: 0,
    excluded_eur: 0,
  });
  const sums = new Map(months.map(({ period }) => [period, nothing()]));
  const reported = new Map(months.map(({ period, reported }) => [period, new Set(reported)]));
  for (const { reporter, period, value_eur, quantity_kg, weighed_eur } of rows) {
    const sum = sums.get(period);
    if (!sum) continue;
    if (!reported.get(period)!.has(reporter)) {
      sum.excluded_eur += value_eur;
      continue;
    }
    sum.reported_eur += value_eur;
    sum.weighed_eur += weighed_eur;
    if (quantity_kg !== null) sum.quantity_kg = (sum.quantity_kg ?? 0) + quantity_kg;
  }
  return sums;
}

type Facts = { input: MirrorInput; sums: PartnerSums; ratios: Ratios; rate: number | undefined };

function monthOf(month: CoveredMonth, { input, sums, ratios, rate }: Facts): z.infer<typeof countryMonth> {
  const { period, reported, not_reported } = month;
  const { reported_eur, weighed_eur, quantity_kg, excluded_eur } = sums;
  const value_eur = reconstructed(input.direction, reported_eur, input.cif_fob);
  return {
    hs: input.hs,
    year: yearOf(period),
    month: period % 100,
    value_eur,
    value_usd: rate === undefined ? null : Math.round(value_eur * rate),
    quantity_kg: quantity_kg === null ? null : Math.round(quantity_kg * 1000) / 1000,
    ...confidenceOf({
      reported: reported.length,
      partners: reported.length + not_reported.length,
      reliability: reliabilityOf(ratios),
      value_eur: reported_eur,
      weighed_eur,
    }),
    complete: not_reported.length === 0,
    reporters: reported.length,
    not_reported,
    reported_eur,
    excluded_eur,
    without_mass_eur: reported_eur - weighed_eur,
  };
}

const scopeOf = (target: string, direction: Flow): string =>
  `${partnerName(target)}'s ${direction === "IMPORT" ? "imports from" : "exports to"} the EU27 alone, not its trade with the world.`;

function notesOf(
  data: z.infer<typeof countryMonth>[],
  ratios: Ratios,
  dollars: Dollars | undefined,
): string[] {
  const hs = data[0]!.hs;
  const few = reliabilityOf(ratios) === null;
  const most = Math.max(...data.map(({ reporters }) => reporters));
  const partners = most + data.find(({ reporters }) => reporters === most)!.not_reported.length;
  const notes = [
    most < partners &&
      `No month has more than ${most} of the ${partners} partners: the figures are a part of the trade with the EU27.`,
    few &&
      `Only ${ratios.count} pair-months could be compared, fewer than ${LEAST_RATIOS}: reliability and confidence are unknown.`,
    !few &&
      ratios.hs !== hs &&
      `Too few pair-months of ${hs} could be compared: reliability is that of chapter ${ratios.hs}.`,
    !dollars &&
      "value_usd is null: real and synthetic figures are never combined, and no exchange rates of the kind of the figures are loaded.",
    dollars &&
      data.some(({ value_usd }) => value_usd === null) &&
      "value_usd is null in months that the exchange rates cover only in part.",
  ];
  return notes.filter((note) => typeof note === "string");
}
