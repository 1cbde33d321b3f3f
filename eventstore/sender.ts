import type pg from "pg";
import type { AppendOutcome } from "./append-call.ts";
import { Combiner, type CombinerOptions, type PendingCommit } from "./combiner.ts";
import { type PreparedCommit, prepareCommit } from "./commit.ts";
import { InvalidEvent, StoreUnavailable } from "./errors.ts";
import type { LogReads } from "./log-reads.ts";
import type { AppendedEvent, AppendResult, Commit, CommitInFlight, RecordedEvent } from "./types.ts";

type Listener = (log_id: number, position: number) => void;

/** Sends commits to their logs, one combiner each, and makes results of the outcomes. */
export class Sender {
  readonly #pool: pg.Pool;
  readonly #options: CombinerOptions;
  readonly #findCommit: LogReads["findCommit"];
  readonly #combiners = new Map<number, Combiner>();
  readonly #pendings = new WeakMap<CommitInFlight, PendingCommit>();
  readonly #listeners = new Set<Listener>();
  #isClosed = false;

  constructor(pool: pg.Pool, options: CombinerOptions, findCommit: LogReads["findCommit"]) {
    this.#pool = pool;
    this.#options = options;
    this.#findCommit = findCommit;
  }

  send(commit: Commit): CommitInFlight {
    const prepared = prepareCommit(commit);
    const rests_on = prepared.streams.map(({ after }) => after && this.#pendingOf(after, prepared.log_id));
    const pending = this.#combinerOf(prepared.log_id).send(prepared, rests_on);
    const sent = { settled: this.#result(prepared, pending) };
    this.#pendings.set(sent, pending);
    return sent;
  }

  onAppended(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#combiners.values()].map((combiner) => combiner.close()));
  }

  #combinerOf(log_id: number): Combiner {
    let combiner = this.#combiners.get(log_id);
    if (!combiner) {
      combiner = new Combiner(this.#pool, log_id, this.#options);
      this.#combiners.set(log_id, combiner);
      if (this.#isClosed) void combiner.close();
    }
    return combiner;
  }

  #pendingOf(sent: CommitInFlight, log_id: number): PendingCommit {
    const pending = this.#pendings.get(sent);
    if (pending?.commit.log_id === log_id) return pending;
    throw new InvalidEvent("after", "is not a commit that this store sent to the same log");
  }

  async #result(prepared: PreparedCommit, { settled }: PendingCommit): Promise<AppendResult> {
    const { outcome, retried } = await settled;
    if (outcome.status === "replayed") return this.#replay(prepared, retried);
    if (outcome.status === "wrong_version") {
      const { tenant, stream_id } = prepared.streams[outcome.stream]!;
      return { status: "wrong_version", tenant, stream_id, actual: outcome.actual };
    }
    if (outcome.status !== "appended") return outcome;
    const events = appendedEvents(prepared, outcome);
    for (const listener of this.#listeners) listener(prepared.log_id, events.at(-1)!.position);
    return { status: "appended", events };
  }

  async #replay(commit: PreparedCommit, retried: boolean): Promise<AppendResult> {
    const key = { log_id: commit.log_id, idem_key: commit.idem_key! };
    const found = await this.#findCommit(key).catch((cause: Error) => {
      throw new StoreUnavailable(`the first answer under the key cannot be read: ${cause.message}`, {
        cause,
      });
    });
    if (!found) throw new Error(`the commit under ${JSON.stringify(commit.idem_key)} was there and is gone`);
    const events = found.events.map(asAppended);
    // After a lost answer the commit under the key may be our own first attempt.
    const own = retried && events[0]?.event_id === commit.events[0]!.event_id;
    return { status: own ? "appended" : "replayed", events };
  }
}

function appendedEvents(
  commit: PreparedCommit,
  outcome: Extract<AppendOutcome, { status: "appended" }>,
): AppendedEvent[] {
  const versions = [...outcome.versions];
  return commit.events.map((event, i) => {
    const { tenant, stream_id } = commit.streams[event.stream]!;
    const version = versions[event.stream]! + 1;
    versions[event.stream] = version;
    return {
      position: outcome.first_position + i,
      tenant,
      stream_id,
      version,
      event_id: event.event_id,
      recorded_at_us: outcome.recorded_at_us,
      event_hash: outcome.event_hashes[i]!,
    };
  });
}

function asAppended(event: RecordedEvent): AppendedEvent {
  const { position, tenant, stream_id, version, event_id, recorded_at_us, event_hash } = event;
  return { position, tenant, stream_id, version, event_id, recorded_at_us, event_hash };
}
