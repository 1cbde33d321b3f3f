import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { startThread } from "../system/thread.ts";
import type { LineBatch } from "./lines.ts";
import type { Reading, ReadLines } from "./read-lines.ts";

/** More would wait for the thread that compares the lines. */
const MOST_THREADS = 4;
/** One in work, one ready. */
const BATCHES_A_THREAD = 2;
/** In MiB; a thread keeps only its batch. */
const YOUNG_MB = 8;

/** As many as cores, up to the limit. */
export class ReadingThreads {
  readonly #all: readonly ReadingThread[];
  #turn = 0;
  /** Keeps threads busy with bounded memory. */
  readonly most: number;

  constructor(reading: Reading) {
    const count = Math.min(MOST_THREADS, availableParallelism());
    this.#all = Array.from({ length: count }, () => new ReadingThread(reading));
    this.most = count * BATCHES_A_THREAD;
  }

  /** The bytes must be in shared memory. Rejects when the thread ends. */
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
  /** Answers arrive in order. */
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
