/** The events stay in shared memory; the rest is sent as a message. */
import { parentPort, workerData } from "node:worker_threads";
import { BatchReader, type Reading } from "./read-lines.ts";

const reader = new BatchReader(workerData as Reading);

parentPort!.on("message", ({ bytes, isCut }: { bytes: Uint8Array; isCut: boolean }) => {
  const batch = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), isCut };
  parentPort!.postMessage(reader.read(batch));
});
