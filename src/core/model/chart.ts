/** A chart as plain data, independent of any renderer. */

export type Series = {
  name: string;
  /** null leaves a gap, and is never drawn as zero. */
  values: (number | null)[];
  provisional?: boolean[];
  marked?: boolean[];
  as_line?: true;
  beyond?: string;
  on_right?: true;
  /** The uncertainty of each value, drawn around a line. */
  band?: ({ low: number; high: number } | null)[];
  band_within?: ({ low: number; high: number } | null)[];
};

/** `at` has one value for each of the chart's `x`. `down` marks bad events; `line` marks a border between two times. */
export type Marks = { name: string; shape: "up" | "round" | "down" | "line"; at: boolean[] };

/**
 * `ranking`: a bar for each name in `x`, the first on top. `radar`: a spoke for each, from 0 to 1, and one series. Source and
 * vintage come from `meta`.
 */
export type Chart = {
  kind: "line" | "bar" | "ranking" | "radar";
  title: string;
  x: string[];
  series: Series[];
  /** Values in "EUR" and "kg" are scaled to millions; other units are not scaled. */
  unit: string;
  unit_right?: string;
  base?: number;
  meaning?: { provisional?: string; marked?: string };
  marks?: Marks[];
  zones?: { from: number; name: string }[];
  zones_end?: number;
  empty?: string;
  notes: string[];
};

/** Widths of a picture in pixels. A picture below `NARROW` stacks its parts. */
export const [LEAST_WIDTH, USUAL_WIDTH, MOST_WIDTH] = [320, 900, 1_600];
export const NARROW = 600;

export type Provenance = {
  dataset: string;
  vintage: string;
  synthetic: boolean;
  source: string;
  log_state?: string;
  coverage?: { products: { complete: boolean; count: number } };
  incomplete?: readonly object[];
};
