import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { startThread } from "../system/thread.ts";
import type { LineBatch } from "./lines.ts";
import type { Reading, ReadLines } from "./read-lines.ts";

/** More would wait for the one thread that holds what they read against one another. */
const MOST_THREADS = 4;
/** One that is read, and one to go on with at once. */
const BATCHES_A_THREAD = 2;
/** In MiB; a thread keeps nothing but the batch that it reads. */
const YOUNG_MB = 8;

/** Threads that read batches, each in its turn; as many as this machine has cores. */
export class ReadingThreads {
  readonly #all: readonly ReadingThread[];
  #turn = 0;
  /** Batches under way at once, so that no thread waits and memory stays within a few batches. */
  readonly most: number;

  constructor(reading: Reading) {
    const count = Math.min(MOST_THREADS, availableParallelism());
    this.#all = Array.from({ length: count }, () => new ReadingThread(reading));
    this.most = count * BATCHES_A_THREAD;
  }

  /** Reads a batch whose bytes stand in shared memory, and leaves its events there. Rejects when the thread ends. */
  read(batch: LineBatch): Promise<ReadLines> {
    this.#turn = (this.#turn + 1) % this.#all.length;
    return this.#all[this.#turn]!.read(batch);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread.close()));
  }
}

type BatchRequest = { done: (read: ReadLines) => void; failed: (error: Error) => void };

class ReadingThread {
  readonly #worker: Worker;
  /** Batches are answered in the order in which they are asked for. */
  readonly #asked: BatchRequest[] = [];
  #ended: Error | undefined;

  constructor(reading: Reading) {
    this.#worker = startThread(import.meta.url, "./reading-thread", {
      workerData: reading,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker.on("message", (read: ReadLines) => this.#asked.shift()!.done(read));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(new Error("a thread that reads lines has ended")));
  }

  read(batch: LineBatch): Promise<ReadLines> {
    return new Promise((done, failed) => {
      if (this.#ended) return failed(this.#ended);
      this.#asked.push({ done, failed });
      this.#worker.postMessage(batch);
    });
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { failed } of this.#asked.splice(0)) failed(this.#ended);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
