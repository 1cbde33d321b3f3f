/** A chart as plain data: what is drawn, before anybody knows how. Whoever answers figures says with one what they look like. */

/** One line, or one bar at each place of the x axis; `values` has as many members as the chart's `x`. */
export type Series = {
  name: string;
  /** null leaves a gap, and is never drawn as zero. */
  values: (number | null)[];
  /** Which values may still change: drawn dashed, or lighter. */
  provisional?: boolean[];
  /** Which values stand out: drawn with a ring. */
  marked?: boolean[];
  /** A line among bars. */
  as_line?: true;
  /** Drawn lighter, in the colour of the series of this name: what goes beyond it. */
  beyond?: string;
  /** On the axis at the right, which has a unit of its own. */
  on_right?: true;
  /** How far each value may be off: drawn as a band around a line. */
  band?: ({ low: number; high: number } | null)[];
  /** A narrower one within it, drawn darker. */
  band_within?: ({ low: number; high: number } | null)[];
};

/** Days, months or years on which something happened: `at` has as many members as the chart's `x`. `down` is for what is bad. */
export type Marks = { name: string; shape: "up" | "round" | "down"; at: boolean[] };

/**
 * `line` and `bar` go along `x` (days, months, years) from left to right; `ranking` has a horizontal bar for each name in `x`,
 * the first on top; `radar` has a spoke for each, from 0 to 1, and one series. Source, vintage and whether the figures are synthetic are
 * drawn from the answer's `meta`.
 */
export type Chart = {
  kind: "line" | "bar" | "ranking" | "radar";
  title: string;
  x: string[];
  series: Series[];
  /** Of all values: "EUR" and "kg" are scaled to millions and the like, any other is written as it is. */
  unit: string;
  /** Of the values of series that are `on_right`, which are written as they are. */
  unit_right?: string;
  /** Where bars begin, when it is not at 0: 1 for factors. */
  base?: number;
  /** What is provisional and what stands out, where that can be said more exactly: "forecast". */
  meaning?: { provisional?: string; marked?: string };
  /** Drawn along the bottom of lines. */
  marks?: Marks[];
  /** What stretches of the axis are called, each from a value to that of the next, the lowest first; the axis begins and ends with one. */
  zones?: { from: number; name: string }[];
  /** Where the last of them ends. */
  zones_end?: number;
  /** Said where there is nothing to draw. */
  empty?: string;
  /** Sentences for below the figures. */
  notes: string[];
};

/** What every figure of an answer rests on; vintages of several tables are joined by "+". */
export type Provenance = {
  dataset: string;
  vintage: string;
  synthetic: boolean;
  source: string;
  /** What the figures are as of, told in place of the vintage where they rest on the log: "position 1042". */
  log_state?: string;
  /** Of trade: whether all products asked for are in the figures, and how many codes are. */
  coverage?: { products: { complete: boolean; count: number } };
};
