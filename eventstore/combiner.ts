/**
 * Batches this process's appends to one log: commits that arrive during a call form the next one, in order, each with its own
 * outcome. A call has no key twice, and a commit that waits for its key blocks its streams. A commit that fails a call is found
 * by halving and fails alone.
 */
import pg from "pg";
import { type AppendOutcome, type CallCommit, callAppend } from "./append-call.ts";
import { type PreparedCommit, streamKey } from "./commit.ts";
import { AppendUnknown, DuplicateEventId, StoreClosed, StoreUnavailable } from "./errors.ts";
import type { LogHead } from "./types.ts";

export type CombinerOptions = {
  /** A single commit may be larger. */
  max_call_events?: number;
  max_call_bytes?: number;
  /** Beyond it commits are refused with StoreUnavailable. */
  max_queued?: number;
  /** The delay begins at 50 ms and doubles. */
  attempts?: number;
};

/** Its errors reject the waiting commits. */
export type AppendPrecondition = {
  /** Undefined: no condition. */
  place(log_id: number): Promise<LogHead | undefined>;
  lost(place: LogHead): Promise<Error>;
};

/** `retried`: a replay may be of this very commit. */
export type CommitOutcome = { outcome: AppendOutcome; retried: boolean };

export type PendingCommit = { readonly commit: PreparedCommit; readonly settled: Promise<CommitOutcome> };

class WaitingCommit implements PendingCommit {
  /** The order of arrival. */
  readonly turn: number;
  readonly commit: PreparedCommit;
  readonly settled: Promise<CommitOutcome>;
  readonly names: string[];
  /** For each stream, the commit it depends on, until that is appended. */
  rests_on: (WaitingCommit | undefined)[];
  attempts = 0;
  /** An attempt's answer was lost: it may have been committed. */
  unknown = false;
  /** Undefined until the outcome is known, which is before the caller learns it. */
  stands: boolean | undefined;
  #resolve!: (settled: CommitOutcome) => void;
  #reject!: (error: Error) => void;

  constructor(turn: number, commit: PreparedCommit, rests_on: (WaitingCommit | undefined)[]) {
    this.turn = turn;
    this.commit = commit;
    this.names = commit.streams.map(streamKey);
    this.rests_on = rests_on;
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** A commit that it depends on failed. */
  get isOvertaken(): boolean {
    return this.rests_on.some((under) => under?.stands === false);
  }

  /** Returns the function that informs the caller. */
  ends(outcome: AppendOutcome): () => void {
    this.#stands(outcome.status === "appended");
    return () => this.#resolve({ outcome, retried: this.unknown });
  }

  fails(error: Error): () => void {
    this.#stands(false);
    return () => this.#reject(error);
  }

  /** Drops references, or a busy stream would keep all its commits in memory. */
  #stands(stands: boolean): void {
    this.stands = stands;
    this.rests_on = [];
  }
}

/** `refused`: the precondition failed. */
type Failure = "input" | "passing" | "lost" | "away" | "refused";

export class Combiner {
  readonly #pool: pg.Pool;
  readonly #options: Required<CombinerOptions>;
  readonly #log_id: number;
  readonly #precondition: AppendPrecondition | undefined;
  #turn = 0;
  #queue: WaitingCommit[] = [];
  /** Reused while there is work: otherwise answered callers would run first. */
  #client: pg.PoolClient | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(
    pool: pg.Pool,
    log_id: number,
    { precondition, ...options }: CombinerOptions & { precondition?: AppendPrecondition },
  ) {
    this.#pool = pool;
    this.#log_id = log_id;
    this.#precondition = precondition;
    this.#options = {
      max_call_events: 512,
      max_call_bytes: 4 * 1024 * 1024,
      max_queued: 10_000,
      attempts: 6,
      ...options,
    };
  }

  /** Its dependencies were sent before. Throws StoreClosed, StoreUnavailable. */
  send(commit: PreparedCommit, rests_on: readonly (PendingCommit | undefined)[]): PendingCommit {
    if (this.#closed) throw new StoreClosed();
    if (this.#queue.length >= this.#options.max_queued)
      throw new StoreUnavailable(`${this.#queue.length} appends are waiting already`);
    const waiting = new WaitingCommit(this.#turn++, commit, rests_on as (WaitingCommit | undefined)[]);
    this.#queue.push(waiting);
    this.#running ??= this.#run();
    return waiting;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  /**
   * With many callers, two calls alternate: while Postgres works on one half, this process answers the other. So a call takes
   * half of the queue and leaves before the last callers run. With few callers a call's cost outweighs that, and it takes all.
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
        // An answered caller may have its next commit ready.
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

  #take(most: number): WaitingCommit[] {
    const { max_call_events, max_call_bytes } = this.#options;
    const taken: WaitingCommit[] = [];
    const left: WaitingCommit[] = [];
    const keys = new Set<string>();
    /** Streams with an earlier commit left in the queue. */
    const held = new Set<string>();
    let events = 0;
    let bytes = 0;
    let next = 0;
    // Bounds the search behind one busy key.
    for (; next < this.#queue.length && taken.length < most && left.length < 2 * max_call_events; next++) {
      const waiting = this.#queue[next]!;
      const { commit, names } = waiting;
      const size = commit.events.length;
      if (taken.length > 0 && (events + size > max_call_events || bytes + commit.bytes > max_call_bytes))
        break;
      const isKeyTaken = commit.idem_key !== null && keys.has(commit.idem_key);
      if (isKeyTaken || (left.length > 0 && names.some((name) => held.has(name)))) {
        left.push(waiting);
        for (const name of names) held.add(name);
        continue;
      }
      if (commit.idem_key !== null) keys.add(commit.idem_key);
      taken.push(waiting);
      events += size;
      bytes += commit.bytes;
    }
    this.#queue = left.length === 0 ? this.#queue.slice(next) : [...left, ...this.#queue.slice(next)];
    return taken;
  }

  /** Returns the function that resolves, rejects or requeues each commit. */
  async #call(items: readonly WaitingCommit[]): Promise<() => void> {
    const overtaken: (() => void)[] = [];
    const batch: WaitingCommit[] = [];
    const again: WaitingCommit[] = [];
    for (const item of items) {
      if (item.isOvertaken) overtaken.push(item.ends({ status: "overtaken" }));
      // Its dependency must be sent again first.
      else if (item.rests_on.some((under) => under && under.stands === undefined && !batch.includes(under)))
        again.push(item);
      else batch.push(item);
    }
    this.#queueAgain(again);
    const settle = batch.length === 0 ? nothing : await this.#ask(batch);
    return allOf([...overtaken, settle]);
  }

  async #ask(items: readonly WaitingCommit[]): Promise<() => void> {
    let place: LogHead | undefined;
    try {
      place = await this.#precondition?.place(this.#log_id);
    } catch (error) {
      return this.#failed(items, error as Error, "refused");
    }
    try {
      this.#client ??= await this.#pool.connect();
    } catch (error) {
      return this.#failed(items, error as Error, "away");
    }
    try {
      const outcomes = await callAppend(this.#client, items.map(askedOf), place);
      if (!outcomes) return this.#failed(items, await this.#precondition!.lost(place!), "refused");
      return allOf(items.map((item, i) => item.ends(outcomes[i]!)));
    } catch (error) {
      const failure = failureOf(error);
      if (failure === "lost") {
        this.#client.release(error as Error);
        this.#client = undefined;
      }
      return this.#failed(items, error as Error, failure);
    }
  }

  async #failed(items: readonly WaitingCommit[], error: Error, failure: Failure): Promise<() => void> {
    if (failure === "input" && items.length > 1) {
      const middle = items.length >> 1;
      const settleFirst = await this.#call(items.slice(0, middle));
      return allOf([settleFirst, await this.#call(items.slice(middle))]);
    }
    const again: WaitingCommit[] = [];
    const failed: (() => void)[] = [];
    for (const item of items) {
      item.attempts++;
      if (failure === "lost") item.unknown = true;
      const mayRetry = failure === "passing" || (item.unknown && item.commit.idem_key !== null);
      const isUnsent = failure === "refused" && !item.unknown;
      if (failure === "input") failed.push(item.fails(inputError(error)));
      else if (isUnsent) failed.push(item.fails(error));
      else if (mayRetry && item.attempts < this.#options.attempts) again.push(item);
      else if (item.unknown)
        failed.push(
          item.fails(new AppendUnknown("the connection was lost before the answer came", { cause: error })),
        );
      else
        failed.push(
          item.fails(
            new StoreUnavailable(`the event log is unavailable: ${error.message}`, { cause: error }),
          ),
        );
    }
    allOf(failed)();
    if (again.length > 0) {
      await new Promise((wake) => setTimeout(wake, FIRST_RETRY_MS * 2 ** (again[0]!.attempts - 1)));
      this.#queueAgain(again);
    }
    return nothing;
  }

  #queueAgain(items: readonly WaitingCommit[]): void {
    if (items.length > 0) this.#queue = [...items, ...this.#queue].sort((a, b) => a.turn - b.turn);
  }
}

/** Drops dependencies that were appended. */
function askedOf(item: WaitingCommit, _index: number, items: readonly WaitingCommit[]): CallCommit {
  const { commit, names, rests_on } = item;
  return {
    commit,
    names,
    rests_on: rests_on.map((under) => (under?.stands ? undefined : under && items.indexOf(under))),
  };
}

const FIRST_RETRY_MS = 50;
/** A smaller second call is not worth its round trip and fsync. */
const WORTH_A_TURN = 20;
const nothing = () => {};
const allOf = (all: readonly (() => void)[]) => () => {
  for (const one of all) one();
};

/**
 * The meaning of a failed call: an error of severity ERROR has rolled the call back; one that ended the session, or none
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
