import { once } from "node:events";
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { startThread } from "../thread.ts";
import type { LineBatch } from "./lines.ts";
import type { Reading, ReadLines } from "./read-lines.ts";

/** More would wait for the one thread that holds what they read against one another. */
const MOST_THREADS = 4;
/** In MiB; a thread keeps nothing but the batch that it reads. */
const YOUNG_MB = 8;

/** Threads that read batches, each one at a time; as many as this machine has cores. */
export class ReadingThreads {
  readonly #idle: Worker[];
  readonly #all: readonly Worker[];
  /** Batches under way at once, so that no thread waits and memory stays within a few batches. */
  readonly most: number;
  readonly #waiting: ((worker: Worker) => void)[] = [];

  constructor(reading: Reading) {
    const options = {
      workerData: reading,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    };
    const count = Math.min(MOST_THREADS, availableParallelism());
    this.#all = Array.from({ length: count }, () =>
      startThread(import.meta.url, "./reading-thread", options),
    );
    this.#idle = [...this.#all];
    this.most = count * 2;
  }

  /** The batch's bytes are given away. Rejects when the thread ends. */
  async read({ bytes, isCut }: LineBatch): Promise<ReadLines> {
    const worker = this.#idle.shift() ?? (await new Promise<Worker>((done) => this.#waiting.push(done)));
    worker.postMessage({ bytes, isCut }, [bytes.buffer as ArrayBuffer]);
    const [read] = (await once(worker, "message")) as [ReadLines];
    const next = this.#waiting.shift();
    if (next) next(worker);
    else this.#idle.push(worker);
    return read;
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()));
  }
}
