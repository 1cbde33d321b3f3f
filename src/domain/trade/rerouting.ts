/** A direct flow that collapses while flows with third countries surge may be a detour. */

/** Sums of the twelve months before and after, EUR. */
export type Change = { country: string; before_eur: number; after_eur: number };

export const rerouteBounds = {
  /** The least lost share of the direct flow. */
  collapse: 0.5,
  /** The least factor of a third country's growth. */
  surge: 1.5,
  /** The least growth of a third country, EUR. */
  excess_eur: 10_000_000,
};

export type Surge = Change & {
  /** after / before; null if there was nothing before. */
  ratio: number | null;
  excess_eur: number;
};

export type Rerouting = {
  direct: Change;
  /** before − after of the direct flow, EUR. */
  drop_eur: number;
  /** drop / before, 0 to 1. */
  collapse: number;
  /** Third countries that surged, by excess. */
  surges: Surge[];
  /** Σ excess / drop; 1 = the surges equal the loss. */
  offset: number;
};

/** undefined = no collapse, or no third country surged. */
export function rerouting(direct: Change, others: readonly Change[]): Rerouting | undefined {
  const drop_eur = direct.before_eur - direct.after_eur;
  const collapse = direct.before_eur > 0 ? drop_eur / direct.before_eur : 0;
  if (collapse < rerouteBounds.collapse) return undefined;
  const surges = others
    .map((change) => ({
      ...change,
      ratio: change.before_eur > 0 ? change.after_eur / change.before_eur : null,
      excess_eur: change.after_eur - change.before_eur,
    }))
    .filter(
      ({ ratio, excess_eur }) =>
        excess_eur >= rerouteBounds.excess_eur && (ratio === null || ratio >= rerouteBounds.surge),
    )
    .sort((a, b) => b.excess_eur - a.excess_eur || (a.country < b.country ? -1 : 1));
  if (surges.length === 0) return undefined;
  const excess = surges.reduce((sum, { excess_eur }) => sum + excess_eur, 0);
  return { direct, drop_eur, collapse, surges, offset: excess / drop_eur };
}
