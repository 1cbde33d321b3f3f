/**
 * Where imports come from outside the EU, from few sources, and are not made up for by exports: the three indicators of the
 * European Commission's "Strategic dependencies and capacities" (SWD(2021) 352), each year by itself.
 */

/** One product in one year, in EUR; `sources` are the countries outside the EU. */
export type YearOfImports = {
  year: number;
  imports: number;
  exports: number;
  sources: readonly { country: string; value: number }[];
};

export const dependencyBounds = {
  /** The sum of squared shares of the sources outside the EU must be greater. */
  concentration: 0.4,
  /** So must the part of all imports that comes from outside. */
  extra_share: 0.5,
  /** Years of the last three in which all three indicators must hold. */
  years: 2,
};

export type DependencyYear = {
  year: number;
  /** Σ share² over sources outside the EU, 0 to 1; null where nothing came from outside. */
  concentration: number | null;
  /** Imports from outside over all imports, 0 to 1; null where there were none. */
  extra_share: number | null;
  /** Imports over exports; null where nothing was exported. */
  imports_to_exports: number | null;
  dependent: boolean;
};

/** The years judged, and whether two of the last three are dependent; undefined where fewer than two years are known. */
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
