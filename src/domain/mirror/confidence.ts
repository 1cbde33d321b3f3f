/** The reliability of a reconstructed figure: a product of three shares, each from 0 to 1. */
import { sixDecimals } from "../trade/units.ts";

/** The least number of mirror ratios, by pair and month, for a reliability. */
export const LEAST_RATIOS = 30;

/**
 * The agreement of the two ends of a flow: the weighted median of |ln(imports ÷ exports)|, and the number of ratios.
 */
export type MirrorRatios = { count: number; median_abs_ln: number | null };

/** 1 − median |ln mirror ratio|, at least 0; null with too few ratios. */
export const reliabilityOf = ({ count, median_abs_ln }: MirrorRatios): number | null =>
  count < LEAST_RATIOS || median_abs_ln === null ? null : sixDecimals(Math.max(0, 1 - median_abs_ln));

export type Evidence = {
  /** The number of partners that reported the month, and of all partners. */
  reported: number;
  partners: number;
  reliability: number | null;
  value_eur: number;
  /** EUR of the rows that state a mass above 0. */
  weighed_eur: number;
};

/** The factors of a confidence and their product. */
export type Confidence = {
  /** null: the reliability is unknown. */
  confidence: number | null;
  coverage: number;
  reliability: number | null;
  /** Share of the value with a stated mass; null without any value, which then lowers nothing. */
  mass_quality: number | null;
};

/** coverage × reliability × mass quality. */
export function confidenceOf(evidence: Evidence): Confidence {
  const { reported, partners, reliability, value_eur, weighed_eur } = evidence;
  const coverage = reported / partners;
  const mass = value_eur > 0 ? weighed_eur / value_eur : null;
  return {
    confidence: reliability === null ? null : sixDecimals(coverage * reliability * (mass ?? 1)),
    coverage: sixDecimals(coverage),
    reliability,
    mass_quality: mass === null ? null : sixDecimals(mass),
  };
}
