/**
 * The appends of this process to one log, gathered: while one call is in flight further commits queue up and travel
 * as one. No two commits of a call share a key or a stream that one of them extends, each has its own outcome, and a
 * commit that waits lets none overtake it on its streams. A commit that makes Postgres refuse a call is found by halving and fails alone.
 */
import pg from "pg";
import { type AppendOutcome, callAppend } from "./append-call.ts";
import { type PreparedCommit, streamKey } from "./commit.ts";
import { AppendUnknown, DuplicateEventId, StoreClosed, StoreUnavailable } from "./errors.ts";
import type { LogHead } from "./types.ts";

export type CombinerOptions = {
  /** Of one call, unless a single commit is larger. */
  max_call_events?: number;
  max_call_bytes?: number;
  /** Commits waiting at most; further ones are refused with StoreUnavailable. */
  max_queued?: number;
  /** Attempts at a call that fails in a way that may pass, 50 ms apart at first, then twice that, and so on. */
  attempts?: number;
};

/** What everything that is appended must continue. Its errors are those that the waiting commits are rejected with. */
export type Ground = {
  /** A place that the log must have for the next call to append anything; undefined where there is none. */
  place(log_id: number): Promise<LogHead | undefined>;
  /** Why the log does not have it: nothing was appended. */
  lost(place: LogHead): Promise<Error>;
};

/** `retried`: an earlier attempt was lost on the way, so a replay may be of this very commit. */
export type Settled = { outcome: AppendOutcome; retried: boolean };

type Waiting = {
  commit: PreparedCommit;
  /** The streams and the key that are its alone in a call, and the streams that it shares with others that only look. */
  owns: string[];
  guards: string[];
  attempts: number;
  /** An attempt was sent and its answer lost: it may have been committed. */
  unknown: boolean;
  resolve: (settled: Settled) => void;
  reject: (error: Error) => void;
};

/** `refused`: what the log must have was asked for, or is not there. */
type Failure = "input" | "passing" | "lost" | "away" | "refused";

export class Combiner {
  readonly #pool: pg.Pool;
  readonly #options: Required<CombinerOptions>;
  readonly #log_id: number;
  readonly #ground: Ground | undefined;
  #queue: Waiting[] = [];
  /** Kept while there is work: taking it from the pool each time would let the answered run first. */
  #client: pg.PoolClient | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(pool: pg.Pool, log_id: number, { ground, ...options }: CombinerOptions & { ground?: Ground }) {
    this.#pool = pool;
    this.#log_id = log_id;
    this.#ground = ground;
    this.#options = {
      max_call_events: 512,
      max_call_bytes: 4 * 1024 * 1024,
      max_queued: 10_000,
      attempts: 6,
      ...options,
    };
  }

  append(commit: PreparedCommit): Promise<Settled> {
    if (this.#closed) return Promise.reject(new StoreClosed());
    if (this.#queue.length >= this.#options.max_queued)
      return Promise.reject(new StoreUnavailable(`${this.#queue.length} appends are waiting already`));
    const settled = new Promise<Settled>((resolve, reject) => {
      const named = (guard: boolean) =>
        commit.streams.filter((stream) => stream.guard === guard).map(streamKey);
      // A stream's name holds a NUL and a key does not, so they never meet.
      const owns = commit.idem_key === null ? named(false) : [...named(false), commit.idem_key];
      this.#queue.push({ commit, owns, guards: named(true), attempts: 0, unknown: false, resolve, reject });
    });
    this.#running ??= this.#run();
    return settled;
  }

  /** Refuses new commits and waits for those taken. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  /**
   * With many callers the calls take turns: while Postgres works on one half, this process answers the other half and
   * takes its next commits. So a call goes out before the callers of the last one run, and takes half of all; with few
   * callers the cost of a call outweighs that, and each call takes all.
   */
  async #run(): Promise<void> {
    let settle = nothing;
    let answered = 0;
    for (;;) {
      const all = this.#queue.length + answered;
      const turns = all >= 2 * WORTH_A_TURN;
      if (answered > 0 && !(turns && this.#queue.length >= WORTH_A_TURN)) {
        settle();
        settle = nothing;
        answered = 0;
        // Whoever was just answered may have a next commit ready: let it come along.
        await new Promise((wake) => setImmediate(wake));
        continue;
      }
      if (this.#queue.length === 0) break;
      const items = this.#take(turns ? Math.ceil(all / 2) : all);
      const call = this.#call(items);
      settle();
      settle = await call;
      answered = items.length;
    }
    this.#client?.release();
    this.#client = undefined;
    this.#running = undefined;
  }

  #take(most: number): Waiting[] {
    const { max_call_events, max_call_bytes } = this.#options;
    const taken: Waiting[] = [];
    const left: Waiting[] = [];
    const owned = new Set<string>();
    const guarded = new Set<string>();
    let events = 0;
    let bytes = 0;
    let next = 0;
    // Long queues behind one stream are not searched to their end.
    for (; next < this.#queue.length && taken.length < most && left.length < 2 * max_call_events; next++) {
      const waiting = this.#queue[next]!;
      const { commit, owns, guards } = waiting;
      const size = commit.events.length;
      if (taken.length > 0 && (events + size > max_call_events || bytes + commit.bytes > max_call_bytes))
        break;
      const free =
        !owns.some((name) => owned.has(name) || guarded.has(name)) && !guards.some((name) => owned.has(name));
      for (const name of owns) owned.add(name);
      for (const name of guards) guarded.add(name);
      if (!free) {
        left.push(waiting);
        continue;
      }
      taken.push(waiting);
      events += size;
      bytes += commit.bytes;
    }
    this.#queue = left.length === 0 ? this.#queue.slice(next) : [...left, ...this.#queue.slice(next)];
    return taken;
  }

  /** Makes one call and answers how to settle its commits: each resolved or rejected, or queued again. */
  async #call(items: Waiting[]): Promise<() => void> {
    let place: LogHead | undefined;
    try {
      place = await this.#ground?.place(this.#log_id);
    } catch (error) {
      return this.#failed(items, error as Error, "refused");
    }
    try {
      this.#client ??= await this.#pool.connect();
    } catch (error) {
      return this.#failed(items, error as Error, "away");
    }
    try {
      const outcomes = await callAppend(
        this.#client,
        items.map((item) => item.commit),
        place,
      );
      if (!outcomes) return this.#failed(items, await this.#ground!.lost(place!), "refused");
      return () => {
        items.forEach((item, i) => {
          item.resolve({ outcome: outcomes[i]!, retried: item.unknown });
        });
      };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === "lost") {
        this.#client.release(error as Error);
        this.#client = undefined;
      }
      return this.#failed(items, error as Error, failure);
    }
  }

  async #failed(items: Waiting[], error: Error, failure: Failure): Promise<() => void> {
    if (failure === "input" && items.length > 1) {
      const middle = items.length >> 1;
      const settleFirst = await this.#call(items.slice(0, middle));
      const settleSecond = await this.#call(items.slice(middle));
      return () => {
        settleFirst();
        settleSecond();
      };
    }
    const again: Waiting[] = [];
    for (const item of items) {
      item.attempts++;
      if (failure === "lost") item.unknown = true;
      const mayRetry = failure === "passing" || (item.unknown && item.commit.idem_key !== null);
      const isUnsent = failure === "refused" && !item.unknown;
      if (failure === "input") item.reject(inputError(error));
      else if (isUnsent) item.reject(error);
      else if (mayRetry && item.attempts < this.#options.attempts) again.push(item);
      else if (item.unknown)
        item.reject(new AppendUnknown("the connection was lost before the answer came", { cause: error }));
      else item.reject(new StoreUnavailable(`the event log is away: ${error.message}`, { cause: error }));
    }
    if (again.length > 0) {
      await new Promise((wake) => setTimeout(wake, FIRST_RETRY_MS * 2 ** (again[0]!.attempts - 1)));
      this.#queue.unshift(...again);
    }
    return nothing;
  }
}

const FIRST_RETRY_MS = 50;
/** Commits that a call should have before it is worth its round trip and its fsync beside another one. */
const WORTH_A_TURN = 20;
const nothing = () => {};

/**
 * What a failed call means. An error of severity ERROR has rolled the call back; one that ended the session, or none
 * at all, may have come after the commit.
 */
function failureOf(error: unknown): Failure {
  if (!(error instanceof pg.DatabaseError) || error.severity !== "ERROR") return "lost";
  const code = error.code ?? "";
  // 40 transaction rollback, 53 insufficient resources, 55 object not in state, 57 operator intervention, 58 system error.
  return /^(40|53|55|57|58|25)/.test(code) ? "passing" : "input";
}

function inputError(error: Error): Error {
  if (error instanceof pg.DatabaseError && error.constraint === "events_log_id_event_id_key")
    return new DuplicateEventId(error.detail ?? error.message, { cause: error });
  return error;
}
