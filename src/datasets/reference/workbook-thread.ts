/** The thread that reads one workbook: its parser takes all of its thread's time, and memory by what is in the file. */
import { parentPort, workerData } from "node:worker_threads";
import { readSheet } from "read-excel-file/node";
import type { SheetAnswer } from "./workbook.ts";

const answer = await readSheet<string>(workerData as string, { parseNumber: (text) => text }).then(
  (rows): SheetAnswer => ({ rows }),
  (error: Error): SheetAnswer => ({ error: error.message }),
);
parentPort!.postMessage(answer);
