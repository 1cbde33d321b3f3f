/** Reads a workbook (.xlsx) as CSV: its first sheet, numbers as written, days as YYYY-MM-DD. */
import { readFile } from "node:fs/promises";
import { startThread } from "../../../eventstore/system/thread.ts";
import { refuse } from "../../core/model/refusal.ts";
import { checkWorkbookArchive } from "./workbook-archive.ts";

/** A workbook is a zip archive. */
export const isWorkbook = (bytes: Buffer) => bytes.subarray(0, 4).equals(Buffer.from("PK\x03\x04", "latin1"));

/** The thread's answer: the first sheet's cells, row by row. */
export type SheetAnswer = { rows: unknown[][] } | { error: string };

/** Far more than any published table. */
const MOST_BYTES = 256 * 1024 * 1024;
const MEMORY_MB = 2_048;
const TIMEOUT_MS = 60_000;

/** The first sheet as CSV; refuses a damaged archive, one without a sheet, or one beyond the limits. */
export async function workbookText(path: string, name: string, timeout_ms = TIMEOUT_MS): Promise<string> {
  const refused = (error: Error): never =>
    refuse(
      "invalid",
      `${name} is not a workbook that can be read (${error.message}): fetch it again, or save it as CSV`,
    );
  await checkWorkbookArchive(await readFile(path), MOST_BYTES).catch(refused);
  const rows = await rowsOf(path, timeout_ms).catch(refused);
  return rows.map((row) => `${row.map((cell) => quoted(textOf(cell))).join(",")}\r\n`).join("");
}

/** A distant cell or an endless tree costs the parser time or memory, which ends its thread. */
async function rowsOf(path: string, timeout_ms: number): Promise<unknown[][]> {
  const worker = startThread(import.meta.url, "./workbook-thread", {
    workerData: path,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const answer = await new Promise<SheetAnswer>((resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error("it takes longer than a minute: save its first sheet as CSV")),
        timeout_ms,
      );
      worker.on("message", resolve).on("error", reject);
      worker.on("exit", () => reject(new Error("its reading ended early")));
    });
    if ("error" in answer) throw new Error(answer.error);
    return answer.rows;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

const textOf = (cell: unknown): string => {
  if (cell === null || cell === undefined) return "";
  return cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell);
};

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
