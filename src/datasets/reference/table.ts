/** The common type of reference data: small tables that are read whole, such as rates, wages and nomenclatures. */
import type { z } from "zod";

/** An unpacked file without a byte order mark. */
export type TextFile = { name: string; text: string };

/** A published format of the table. */
export type ReferenceLayout<Row> = {
  name: string;
  /** Detects the format by the first line. */
  matches(header: string): boolean;
  /** Refuses with `refuseLines`, naming line and column. */
  read(file: TextFile): Row[];
};

export type ReferenceTable<Row extends object> = {
  /** The dataset's name; its synthetic version is `sandbox-<name>`. */
  name: string;
  source: string;
  /** A strict object; its members are written in this order. */
  row: z.ZodType<Row>;
  /** Unique among rows; their sort order. */
  key(row: Row): string;
  /** The last day, month or year in the rows; null for timeless rows. */
  as_of(rows: readonly Row[]): string | null;
  /** A release with a smaller share of the last one's rows is refused, because a truncated list hides names. */
  least_share?: number;
  layouts: ReferenceLayout<Row>[];
  /** Synthetic rows, the same each time. */
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

/** An index over the rows, built once per vintage. */
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
