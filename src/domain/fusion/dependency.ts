/**
 * Dependency of imports on few sources outside the EU without exports to match: the three indicators of the European
 * Commission's "Strategic dependencies and capacities" (SWD(2021) 352), each year by itself.
 */

/** One product in one year, in EUR; `sources` are the countries outside the EU. */
export type YearOfImports = {
  year: number;
  imports: number;
  exports: number;
  sources: readonly { country: string; value: number }[];
};

export const dependencyBounds = {
  /** The least sum of squared shares of the sources outside the EU, exclusive. */
  concentration: 0.4,
  /** The least share of all imports from outside, exclusive. */
  extra_share: 0.5,
  /** Years of the last three in which all three indicators must be exceeded. */
  years: 2,
};

export type DependencyYear = {
  year: number;
  /** Σ share² over sources outside the EU, 0 to 1; null without imports from outside. */
  concentration: number | null;
  /** Imports from outside over all imports, 0 to 1; null without imports. */
  extra_share: number | null;
  /** Imports over exports; null without exports. */
  imports_to_exports: number | null;
  dependent: boolean;
};

/** The years judged, and whether two of the last three are dependent; undefined with fewer than two known years. */
export function dependency(
  years: readonly YearOfImports[],
): { years: DependencyYear[]; dependent: boolean } | undefined {
  const last = years.toSorted((a, b) => a.year - b.year).slice(-3);
  if (last.length < dependencyBounds.years) return undefined;
  const judged = last.map(judgedYear);
  return {
    years: judged,
    dependent: judged.filter(({ dependent }) => dependent).length >= dependencyBounds.years,
  };
}

function judgedYear({ year, imports, exports, sources }: YearOfImports): DependencyYear {
  const outside = sources.reduce((sum, { value }) => sum + value, 0);
  const concentration =
    outside > 0 ? sources.reduce((sum, { value }) => sum + (value / outside) ** 2, 0) : null;
  const extra_share = imports > 0 ? outside / imports : null;
  const dependent =
    (concentration ?? 0) > dependencyBounds.concentration &&
    (extra_share ?? 0) > dependencyBounds.extra_share &&
    imports > exports;
  return {
    year,
    concentration,
    extra_share,
    imports_to_exports: exports > 0 ? imports / exports : null,
    dependent,
  };
}
