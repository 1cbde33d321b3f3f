/**
 * Mirror statistics: a country's trade in its partners' own figures. Importers count goods with freight and insurance
 * (CIF), exporters without (FOB), so a factor converts the figures of one side to the other (United Nations,
 * International Merchandise Trade Statistics: Concepts and Definitions 2010, chapter IV on valuation, VI on
 * partners).
 */
import { type Coverage, completenessOf } from "../trade/coverage.ts";
import { type ReporterCode, reporterCodes } from "../trade/reporters.ts";
import { type Flow, monthsBetween, type Period, type Years, yearOf } from "../trade/units.ts";

/** τ, the CIF value over the FOB value less one: what freight and insurance add. */
export const CIF_FOB = 0.1;

/** The partners' flow for the target's `direction`: its imports are their exports. */
export const mirrorOf = (direction: Flow): Flow => (direction === "IMPORT" ? "EXPORT" : "IMPORT");

/** Whole EUR of the target's trade from what its partners report: exports × (1+τ) are its imports, imports ÷ (1+τ) its exports. */
export const reconstructed = (direction: Flow, reported_eur: number, cif_fob: number): number =>
  Math.round(direction === "IMPORT" ? reported_eur * (1 + cif_fob) : reported_eur / (1 + cif_fob));

/** The members of the 27 whose figures are summed: all but the target itself. */
export const partnersOf = (target: string): readonly ReporterCode[] =>
  reporterCodes.filter((code) => code !== target);

/** The partners that reported a month in full, and those that did not. */
export type CoveredMonth = { period: Period; reported: ReporterCode[]; not_reported: ReporterCode[] };

export type MirrorQuery = {
  target: string;
  direction: Flow;
  hs: string;
  years?: Years | undefined;
  period?: Period | undefined;
};

/** The requested months that at least one partner reported in full. */
export function coveredMonths(coverage: Coverage, query: MirrorQuery): CoveredMonth[] {
  const { from, to } = coverage.months;
  const known = completenessOf(coverage, query.hs, query.target);
  const flow = mirrorOf(query.direction);
  const partners = partnersOf(query.target);
  return monthsBetween(from, to)
    .filter((period) => query.period === undefined || period === query.period)
    .filter(
      (period) => !query.years || (yearOf(period) >= query.years.from && yearOf(period) <= query.years.to),
    )
    .map((period) => ({
      period,
      reported: partners.filter((code) => known(code, flow, period)),
      not_reported: partners.filter((code) => !known(code, flow, period)),
    }))
    .filter(({ reported }) => reported.length > 0);
}
