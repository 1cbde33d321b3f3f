/** The type of a trade file's layout: how it is recognized, what its rows must satisfy, and what they mean. */

/** A condition on every row of a file. */
export type Check = {
  column: string;
  /** A SQL condition over the raw text, true for a good row; null counts as bad. */
  good: string;
  /** The fault, for the found text. */
  message: (found: string) => string;
};

/** Why valid rows are left out. */
export const leftOutReasons = {
  total_product: "TOTAL rows",
  other_reporter: "of other reporters",
  other_flow: "re-exports, re-imports and other special flows",
  breakdown: "breakdowns by customs procedure, transport or second partner",
  other_partner: "with WORLD and areas that are not a country",
} as const;
export type LeftOut = Record<keyof typeof leftOutReasons, number>;

/** The column after a trailing comma, which the header lacks. */
export const OPEN_END = "behind the end";

export type Layout = {
  name: string;
  /** The dataset of files with this layout. Each has a single source, so that no sum mixes two. */
  dataset: string;
  source: string;
  columns: readonly string[];
  /** Cells may be in double quotes and contain commas. */
  quoted?: boolean;
  /** The encoding of lines that are not UTF-8; without it, such a line is refused. */
  encoding?: "windows-1252";
  /** Lines may end with a comma that the header lacks. Its checks cover the last column and OPEN_END. */
  open_end?: boolean;
  /** The amounts' currency, if not euros; `stage.rates` then has the monthly rates. */
  currency?: "USD";
  /** Only checked columns are stored, so a row's meaning rests on them alone. */
  checks: readonly Check[];
  /** A row's cell and amounts, as SQL over a good row's raw text. A null amount: another row of the cell states it. */
  cell: {
    reporter: string;
    flow: string;
    period: string;
    partner: string;
    product: string;
    value_eur: string;
    quantity_kg: string;
    /** The statistical procedure's digit, if the source separates procedures. */
    procedure?: string;
    /** A supplementary quantity and its unit; the unit is null if the source does not name it. */
    unit?: string;
    quantity_su?: string;
  };
  /** Columns that distinguish rows of one cell, which are added up; rows equal in these too are duplicates. */
  variant_columns: readonly string[];
  /** SQL conditions of good rows to leave out; a row counts under the first match. */
  left_out: Partial<Record<keyof LeftOut, string>>;
  /**
   * A file's complete part: its months, with every product and partner; its products, with every partner (one level
   * of codes); its partners, over all products and reporters; or only each reporter's trade with the partners in
   * its rows.
   */
  speaks_for: "months" | "products" | "partners" | "pairs";
};
