/** Reading a workbook (.xlsx) as if it were a CSV file: its first sheet, numbers as they are written, days as YYYY-MM-DD. */
import { readSheet } from "read-excel-file/node";
import { refuse } from "../../domain/refusal.ts";

/** Whether bytes begin as a zip archive does, which a workbook is. */
export const isWorkbook = (bytes: Buffer) => bytes.subarray(0, 4).equals(Buffer.from("PK\x03\x04", "latin1"));

/** The first sheet as CSV; refused where the archive is damaged or holds no sheet. */
export async function workbookText(path: string, name: string): Promise<string> {
  const rows = await readSheet<string>(path, { parseNumber: (text) => text }).catch((error: Error) =>
    refuse("invalid", `${name} is no workbook that can be read (${error.message})`),
  );
  return rows.map((row) => `${row.map((cell) => quoted(textOf(cell))).join(",")}\r\n`).join("");
}

const textOf = (cell: unknown): string => {
  if (cell === null || cell === undefined) return "";
  return cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell);
};

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
