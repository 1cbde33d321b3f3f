/** The thread for one workbook: its parser blocks the thread and uses memory by the file's contents. */
import { parentPort, workerData } from "node:worker_threads";
import { readSheet } from "read-excel-file/node";
import type { SheetAnswer } from "./workbook.ts";

const answer = await readSheet<string>(workerData as string, { parseNumber: (text) => text }).then(
  (rows): SheetAnswer => ({ rows }),
  (error: Error): SheetAnswer => ({ error: error.message }),
);
parentPort!.postMessage(answer);
