/** Lists on the terminal: aligned columns for people, or one JSON object a line. */
import type { OptionValues } from "commander";
import { printable } from "../../eventstore/verify/report.ts";

/** `.option(...JSON_LINES)` of a list. */
export const JSON_LINES = ["--json", "print one JSON object per line", false] as const;

/** A column's heading and its text in a row. */
export type Columns<Row> = readonly (readonly [heading: string, text: (row: Row) => string])[];

const BATCH = 500;

/** Prints rows as they come, as JSON in the form of `objectOf`; columns are as wide as the widest text among each 500 rows. */
export async function printList<Row>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  columns: Columns<Row>,
  { json }: OptionValues,
  objectOf: (row: Row) => unknown = (row) => row,
): Promise<void> {
  let batch: string[][] = [columns.map(([heading]) => heading)];
  for await (const row of rows) {
    if (json) {
      process.stdout.write(`${JSON.stringify(objectOf(row))}\n`);
      continue;
    }
    batch.push(columns.map(([, text]) => printable(text(row))));
    if (batch.length < BATCH) continue;
    printAligned(batch);
    batch = [];
  }
  if (!json) printAligned(batch);
}

function printAligned(rows: readonly string[][]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((text, column) => text.padEnd(widths[column]!))
        .join("  ")
        .trimEnd()}\n`,
    );
}

/** Up to the second. */
export const shortTime = (time: string): string => time.slice(0, 19);
