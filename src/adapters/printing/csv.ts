import { stringify } from "csv-stringify/sync";
import type { Sheet } from "../../core/model/sheet.ts";

/**
 * A sheet as CSV (RFC 4180) in UTF-8 with a header. null is empty, an empty text "". A text that looks like a
 * formula gets a leading apostrophe, so that spreadsheets show it as text. Numbers are written as in JSON.
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
