/** Writes rows and draws charts in a worker thread, one at a time, because they would block the event loop. */

import type { Worker } from "node:worker_threads";
import { startThread } from "../../../eventstore/system/thread.ts";
import type { Print, Printer } from "../../core/model/ports/printer.ts";
import { coreProblems } from "../../core/model/problem.ts";
import { Refusal } from "../../core/model/refusal.ts";

export type PrintResult = { bytes: Uint8Array } | { error: string };

type PendingOrder = { order: Print; done(bytes: Buffer): void; fail(error: Error): void };

const MOST_WAITING = 50;
/** A longer order is abandoned and its thread ended. */
const TIMEOUT_MS = 15_000;
const MEMORY_MB = 256;

/** The first order starts the thread, which keeps no process alive; `close` ends it. */
export function createPrinter(): Printer & { close(): Promise<void> } {
  const waiting: PendingOrder[] = [];
  let worker: Worker | undefined;
  let printing = false;
  let closed = false;

  /** A dead or abandoned thread gets no further order; the next order starts another. */
  const forget = (gone: Worker) => {
    if (worker === gone) worker = undefined;
  };

  async function printAll(): Promise<void> {
    printing = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      worker ??= startWorker(forget);
      await printOrder(worker, next.order, forget).then(next.done, next.fail);
    }
    printing = false;
  }

  return {
    print(order) {
      if (closed || waiting.length >= MOST_WAITING)
        return Promise.reject(
          new Refusal(coreProblems.busy, "too many answers wait to be printed", {
            retry_after_s: 5,
          }),
        );
      return new Promise((done, fail) => {
        waiting.push({ order, done, fail });
        if (!printing) void printAll();
      });
    },
    async close() {
      closed = true;
      const stopped = new Refusal("unavailable", "the service is stopping");
      for (const { fail } of waiting.splice(0)) fail(stopped);
      await worker?.terminate();
    },
  };
}

function startWorker(forget: (gone: Worker) => void): Worker {
  const worker = startThread(import.meta.url, "./thread", {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  worker.unref();
  // The order in progress reports why the thread ended.
  worker.on("error", () => forget(worker)).on("exit", () => forget(worker));
  return worker;
}

/** Rejects when the thread ends or hangs; a hanging thread is ended. */
function printOrder(worker: Worker, order: Print, forget: (gone: Worker) => void): Promise<Buffer> {
  return new Promise((done, fail) => {
    const cause = (reason: string) =>
      new Refusal("unavailable", "the answer could not be printed", { cause: new Error(reason) });
    const timer = setTimeout(() => {
      settle();
      forget(worker);
      void worker.terminate();
      fail(cause(`no answer within ${TIMEOUT_MS} ms`));
    }, TIMEOUT_MS);
    const onMessage = (answer: PrintResult) => {
      settle();
      if ("bytes" in answer) done(Buffer.from(answer.bytes));
      else fail(cause(answer.error));
    };
    const onEnd = (reason: unknown) => {
      settle();
      fail(cause(`the thread ended: ${reason}`));
    };
    const settle = () => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd).unref();
    };
    worker.ref();
    worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
    worker.postMessage(order);
  });
}
