import { stringify } from "csv-stringify/sync";
import type { Sheet } from "../../core/model/sheet.ts";

/**
 * A sheet as CSV (RFC 4180) in UTF-8 with a header. null is empty, an empty text "". A text that begins like a formula is given an
 * apostrophe in front, so that a spreadsheet takes it for text; numbers are as JSON writes them.
 */
export const csvOf = ({ columns, rows }: Sheet): Buffer =>
  Buffer.from(
    stringify(rows, {
      columns: columns.map(({ name }) => name),
      header: true,
      record_delimiter: "windows",
      escape_formulas: true,
      cast: { boolean: String },
      quoted_match: /^$/,
    }),
  );
