/**
 * Possible substitutes for a source with most of a product's imports: those that already grew while it fell. A rule
 * of our own.
 */
import { median, NORMAL_MAD } from "../trade/robust.ts";

/** A source in two years, EUR; `unit_value` is the later EUR per tonne, null where no mass is known. */
export type Source = { country: string; before: number; after: number; unit_value: number | null };

/** The largest source must have had at least this share of the earlier imports. */
export const LEAST_TOP_SHARE = 0.5;

export type Substitute = {
  country: string;
  growth_eur: number;
  /** Share of all later imports, 0 to 1. */
  share: number;
  /** |ln unit value − ln the top source's| in robust deviations of all sources; null where masses are missing. */
  price_distance: number | null;
  /** Share × growth: its gain, weighted by its present share, in EUR. */
  score: number;
};

export type Substitution = { top: Source; top_share_before: number; substitutes: Substitute[] };

/** Undefined where no source had half of the imports, or that one did not fall; substitutes are ordered by score. */
export function substitution(sources: readonly Source[]): Substitution | undefined {
  const before = sources.reduce((sum, source) => sum + source.before, 0);
  const after = sources.reduce((sum, source) => sum + source.after, 0);
  const [top] = sources.toSorted((a, b) => b.before - a.before || (a.country < b.country ? -1 : 1));
  if (!top || before <= 0 || after <= 0) return undefined;
  const top_share_before = top.before / before;
  if (top_share_before < LEAST_TOP_SHARE || top.after >= top.before) return undefined;
  const logs = sources.flatMap(({ unit_value }) =>
    unit_value && unit_value > 0 ? Math.log(unit_value) : [],
  );
  const centre = median(logs);
  const deviation =
    centre === undefined ? 0 : NORMAL_MAD * median(logs.map((one) => Math.abs(one - centre)))!;
  const distance = (one: number | null) =>
    one && one > 0 && top.unit_value && top.unit_value > 0 && deviation > 0
      ? Math.abs(Math.log(one / top.unit_value)) / deviation
      : null;
  const substitutes = sources
    .filter((source) => source !== top && source.after > source.before)
    .map((source) => {
      const [growth_eur, share] = [source.after - source.before, source.after / after];
      const price_distance = distance(source.unit_value);
      return { country: source.country, growth_eur, share, price_distance, score: share * growth_eur };
    })
    .sort((a, b) => b.score - a.score || (a.country < b.country ? -1 : 1));
  return { top, top_share_before, substitutes };
}
