/** Draws charts in a thread of its own, one at a time: a drawing takes longer than the event loop may wait. */
import { Worker } from "node:worker_threads";
import type { Charts } from "../../domain/ports.ts";
import { Refusal } from "../../domain/refusal.ts";

/** What the thread is asked, the three arguments of `draw`, and what it answers. */
export type Order = Parameters<Charts["draw"]>;
export type Drawn = { bytes: Uint8Array } | { error: string };

type Waiting = { order: Order; done(bytes: Buffer): void; fail(error: Error): void };

/** Drawings that may wait for their turn. */
const MOST_WAITING = 50;
/** A drawing that takes longer is given up, and its thread with it. */
const TIMEOUT_MS = 10_000;
const MEMORY_MB = 256;

const [tsx, thread] = ["tsx/esm/api", "./thread.ts"].map((name) => JSON.stringify(import.meta.resolve(name)));
/** A thread does not take over what its process has registered to read TypeScript. */
const START = `import(${tsx}).then(({ register }) => { register(); return import(${thread}); })`;

/** The thread starts with the first drawing, keeps no process alive, and ends with `close`. */
export function createCharts(): Charts & { close(): Promise<void> } {
  const waiting: Waiting[] = [];
  let worker: Worker | undefined;
  let drawing = false;
  let closed = false;

  async function drawAll(): Promise<void> {
    drawing = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      worker ??= startWorker(() => {
        worker = undefined;
      });
      await drawn(worker, next.order).then(next.done, next.fail);
    }
    drawing = false;
  }

  return {
    draw(...order) {
      if (closed || waiting.length >= MOST_WAITING)
        return Promise.reject(
          new Refusal("unavailable", "too many pictures are being drawn", { type: "busy", retry_after_s: 5 }),
        );
      return new Promise((done, fail) => {
        waiting.push({ order, done, fail });
        if (!drawing) void drawAll();
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

function startWorker(onEnd: () => void): Worker {
  const worker = new Worker(START, {
    eval: true,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  worker.unref();
  // What ends the thread is told to the drawing under way.
  worker.on("error", () => undefined).once("exit", onEnd);
  return worker;
}

/** What the thread answers to one order; refuses when it ends or hangs, which ends it. */
function drawn(worker: Worker, order: Order): Promise<Buffer> {
  return new Promise((done, fail) => {
    const cause = (reason: string) =>
      new Refusal("unavailable", "the picture could not be drawn", { cause: new Error(reason) });
    const timer = setTimeout(() => {
      settle();
      fail(cause(`no picture after ${TIMEOUT_MS} ms`));
      void worker.terminate();
    }, TIMEOUT_MS);
    const onMessage = (answer: Drawn) => {
      settle();
      if ("bytes" in answer) done(Buffer.from(answer.bytes));
      else fail(cause(answer.error));
    };
    const onEnd = (reason: unknown) => {
      settle();
      fail(cause(`the drawing thread ended: ${reason}`));
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
