/** The one shape of reference data: small tables that are read whole, such as rates, wages and nomenclatures. */
import type { z } from "zod";

/** A file as it was given, unpacked, without a byte order mark. */
export type TextFile = { name: string; text: string };

/** A form in which somebody publishes the table. */
export type ReferenceLayout<Row> = {
  name: string;
  /** Whether a file with this first line is one. */
  matches(header: string): boolean;
  /** Its rows; refused with `refuseLines`, naming line and column. */
  read(file: TextFile): Row[];
};

export type ReferenceTable<Row extends object> = {
  /** The dataset's name; its invented stand-in is `sandbox-<name>`. */
  name: string;
  source: string;
  /** A strict object; its members are written in the order declared here. */
  row: z.ZodType<Row>;
  /** Unique among rows, which are sorted by it. */
  key(row: Row): string;
  /** The last day, month or year that the rows tell of; null where they are about no time. */
  as_of(rows: readonly Row[]): string | null;
  /** A release with less than this share of the rows of the last one is refused: a list that was cut short hides names. */
  least_share?: number;
  layouts: ReferenceLayout<Row>[];
  /** Invented rows, the same each time. */
  sandbox(): Row[];
};

/** One immutable state of a table. */
export type Reference<Row extends object> = {
  dataset: string;
  /** SHA-256 of its text. */
  vintage: string;
  source: string;
  synthetic: boolean;
  as_of: string | null;
  rows: readonly Row[];
};

export const sandboxOf = (table: { name: string }) => `sandbox-${table.name}`;

/** An index over the rows, made once for each vintage. */
export function perVintage<Row extends object, Index>(
  make: (rows: readonly Row[]) => Index,
): (reference: Reference<Row>) => Index {
  const made = new WeakMap<readonly Row[], { index: Index }>();
  return ({ rows }) => {
    const kept = made.get(rows) ?? { index: make(rows) };
    made.set(rows, kept);
    return kept.index;
  };
}
