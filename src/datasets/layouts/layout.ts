/** The one shape of a trade file's layout: what tells it, what its rows must satisfy, and what they say. */

/** What every row of a file must satisfy. */
export type Check = {
  column: string;
  /** A SQL condition over the raw text that is true for a good row; null counts as bad. */
  good: string;
  /** What is wrong, for the text that was found. */
  message: (found: string) => string;
};

/** Why rows that were understood are left out. */
export const leftOutReasons = {
  total_product: "TOTAL rows",
  other_reporter: "of other reporters",
  other_flow: "re-exports, re-imports and other special flows",
  breakdown: "breakdowns by customs procedure, transport or second partner",
  other_partner: "with WORLD and areas that are no country",
  supplementary: "supplementary quantities",
} as const;
export type LeftOut = Record<keyof typeof leftOutReasons, number>;

/** The column of what stands behind a comma at the end of a line, which the header does not have. */
export const OPEN_END = "behind the end";

export type Layout = {
  name: string;
  /** The dataset that files of this layout feed: one source each, so that two sources never meet in one sum. */
  dataset: string;
  source: string;
  columns: readonly string[];
  /** Cells may stand in double quotes, with commas in them. */
  quoted?: boolean;
  /** Of the file's bytes, where it is not UTF-8. */
  encoding?: "latin-1";
  /** Lines may end with a comma that the header does not have. Its checks look at the last column and at OPEN_END. */
  open_end?: boolean;
  /** What the amounts are in, where it is not euros; `stage.rates` then has the months' rates. */
  currency?: "USD";
  /** Only columns that are checked are kept, so a row's meaning rests on them alone. */
  checks: readonly Check[];
  /** A row's cell and amounts as SQL over the raw text of a good row. A null amount: another row of the cell states it. */
  cell: {
    reporter: string;
    flow: string;
    period: string;
    partner: string;
    product: string;
    value_eur: string;
    quantity_kg: string;
  };
  /** Columns that tell rows of one cell apart, to be added up; rows equal in them, too, are duplicates. */
  variant_columns: readonly string[];
  /** SQL conditions of good rows that are left out; a row counts under the first that holds. */
  left_out: Partial<Record<keyof LeftOut, string>>;
  /**
   * What a file is the whole truth of: its months, with every product and partner; its products, with every partner
   * (one level of codes); its partners, in all products together, for all reporters; or only each reporter's trade
   * with each partner that it has rows of.
   */
  speaks_for: "months" | "products" | "partners" | "pairs";
};
