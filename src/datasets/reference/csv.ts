/** Reads a small CSV file: every line must have the expected columns. */
import { CsvError, parse } from "csv-parse/sync";
import { refuse } from "../../core/model/refusal.ts";
import { refuseLines } from "../stage.ts";
import type { TextFile } from "./table.ts";

export type CsvLine<Column extends string> = { line: number; cells: Record<Column, string> };

export type CsvOptions = {
  delimiter?: string;
  /** Further columns are allowed, in any position. */
  extra_columns?: boolean;
};

/** The lines after the header, by column; refuses wrong quoting, width or headers, naming the line. */
export function readCsv<Column extends string>(
  file: TextFile,
  columns: readonly Column[],
  options: CsvOptions = {},
): CsvLine<Column>[] {
  const [header, ...lines] = records(file, options.delimiter ?? ",");
  if (!header) return refuse("invalid", `${file.name} is empty`);
  const places = columns.map((column, at) => placeOf(file, header.record, column, at, options));
  if (!options.extra_columns && header.record.length > columns.length) {
    const surplus = header.record[columns.length]!;
    refuseLines(file, [
      { line: 1, column: surplus, what: `the column ${surplus} is not one of this layout` },
    ]);
  }
  if (lines.length === 0) refuse("invalid", `${file.name} has only a header`);
  return lines.map(({ record, line }) => {
    if (record.length !== header.record.length) {
      const what = `has ${record.length} columns; the header has ${header.record.length}`;
      refuseLines(file, [{ line, column: "", what }]);
    }
    const cells = Object.fromEntries(columns.map((column, at) => [column, record[places[at]!]!]));
    return { line, cells: cells as Record<Column, string> };
  });
}

/** A first line's header cells, to detect layouts. */
export const headerCells = (header: string, delimiter = ","): string[] =>
  header.split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));

type CsvRecord = { record: string[]; line: number };

export function records({ name, text }: TextFile, delimiter: string): CsvRecord[] {
  try {
    // The parser counts a Windows line end within quotes as two lines.
    const parsed = parse(text.replaceAll("\r\n", "\n"), {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    });
    return (parsed as unknown as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      record,
      line: info.lines,
    }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = Number((error as { lines?: number }).lines ?? 1);
    return refuseLines({ name }, [{ line, column: "", what: error.message.split("\n")[0]! }]);
  }
}

function placeOf(
  file: TextFile,
  header: string[],
  column: string,
  at: number,
  { extra_columns }: CsvOptions,
): number {
  const place = extra_columns ? header.indexOf(column) : header[at] === column ? at : -1;
  if (place !== -1) return place;
  const found = extra_columns ? "is missing" : `is ${JSON.stringify((header[at] ?? "").slice(0, 60))}`;
  const what = `column ${at + 1} should be ${column}, and ${found}`;
  return refuseLines(file, [{ line: 1, column, what }]);
}
