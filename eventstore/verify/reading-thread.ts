/** A thread that reads batches of lines: one comes as a message, what it holds goes back as one. */
import { parentPort, workerData } from "node:worker_threads";
import { BatchReader, type Reading } from "./read-lines.ts";

const reader = new BatchReader(workerData as Reading);

parentPort!.on("message", ({ bytes, isCut }: { bytes: Uint8Array; isCut: boolean }) => {
  const read = reader.read({ bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), isCut });
  parentPort!.postMessage(read, [read.events.buffer as ArrayBuffer]);
});
