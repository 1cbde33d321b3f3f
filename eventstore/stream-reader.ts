/**
 * The reads of single streams, gathered: a lone one goes out as it is, and while a query is under way further ones queue
 * up and travel as one. A command reads a stream or two, mostly short or not there yet, so the way there and back is what costs.
 */
import type pg from "pg";
import { readStreams, type StreamRead } from "./read.ts";
import type { RecordedEvent } from "./types.ts";

type Waiting = {
  read: StreamRead;
  resolve: (events: RecordedEvent[]) => void;
  reject: (error: unknown) => void;
};

/** Queries under way at once; what comes meanwhile is gathered. */
const MOST_QUERIES = 2;
/** Streams of one query. */
const MOST_STREAMS = 100;
/** Events of a stream that others travel with; one that has more is read again by itself. */
const SHORT = 100;

export class StreamReader {
  readonly #pool: pg.Pool;
  #queue: Waiting[] = [];
  #underWay = 0;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  read(read: StreamRead): Promise<RecordedEvent[]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ read, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#underWay >= MOST_QUERIES || this.#queue.length === 0) return;
    const taken = this.#queue.slice(0, MOST_STREAMS);
    this.#queue = this.#queue.slice(MOST_STREAMS);
    this.#underWay++;
    void this.#answer(taken).finally(() => {
      this.#underWay--;
      this.#next();
    });
  }

  async #answer(taken: Waiting[]): Promise<void> {
    try {
      const most = taken.length === 1 ? Number.POSITIVE_INFINITY : SHORT;
      const reads = taken.map(({ read }) => ({ ...read, limit: Math.min(read.limit, most) }));
      const streams = await readStreams(this.#pool, reads);
      const long = taken.filter(({ read, resolve }, at) => {
        const events = streams[at]!;
        const isAll = events.length < most || read.limit <= most;
        if (isAll) resolve(events);
        return !isAll;
      });
      for (const waiting of long) await this.#answer([waiting]);
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }
}
