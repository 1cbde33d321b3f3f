import type pg from "pg";
import type { AppendOutcome } from "./append-call.ts";
import { type AppendPrecondition, Combiner, type CombinerOptions, type PendingCommit } from "./combiner.ts";
import { type PreparedCommit, prepareCommit } from "./commit.ts";
import { InvalidEvent, StoreUnavailable } from "./errors.ts";
import { logGenesis } from "./hash.ts";
import { batched } from "./query-batch.ts";
import { readEvents } from "./read.ts";
import type { EventSchemas } from "./schemas.ts";
import { readGathered } from "./stream-reader.ts";
import {
  type AppendedEvent,
  type AppendResult,
  type Commit,
  type CommitInFlight,
  type LogHead,
  type LogIdentity,
  MAIN_LOG,
  type RecordedEvent,
  type StreamHead,
} from "./types.ts";

export type EventStoreOptions = CombinerOptions & {
  /** When given, payloads are checked before they are appended, and unknown types are refused. */
  schemas?: EventSchemas;
  /** Held against the log by every append; without it whatever the database has is gone on with. */
  ground?: AppendPrecondition;
};

export type RecordedCommit = { request_hash: Uint8Array; events: RecordedEvent[] };

/** How many events a read returns unless told otherwise. */
const PAGE = 1_000;

/** The log in Postgres. All errors are of errors.ts, but those of reads, which are the driver's. */
export type EventStore = {
  /** What payloads are checked against, and what readers upcast by: reads themselves give what was stored. */
  readonly schemas: EventSchemas | undefined;
  /** All of the commit or nothing. Throws InvalidEvent, DuplicateEventId, StoreUnavailable, AppendUnknown, StoreClosed, and what its ground does. */
  append(commit: Commit): Promise<AppendResult>;
  /** The same, for others to rest on before it is settled: they are sent after it, with its streams at the versions that it leaves. */
  send(commit: Commit): CommitInFlight;
  /** What was appended under an idempotency key. */
  findCommit(key: { log_id?: number; idem_key: string }): Promise<RecordedCommit | undefined>;
  /** Events of a stream in their order, from the one after `after_version` (0) on; `limit` is 1,000 when absent. */
  readStream(stream: {
    log_id?: number;
    tenant: string;
    stream_id: string;
    after_version?: number;
    limit?: number;
  }): Promise<RecordedEvent[]>;
  /** Where a stream ends, without reading it; undefined when there is no such stream. */
  streamHead(stream: { log_id?: number; tenant: string; stream_id: string }): Promise<StreamHead | undefined>;
  /** Events of a log, or of one tenant in it, by position from the one after `after` on. */
  readLog(page: {
    log_id?: number;
    after: number;
    limit?: number;
    tenant?: string;
  }): Promise<RecordedEvent[]>;
  /** The last position and the hash of everything up to it; position 0 of an empty log. */
  head(log_id?: number): Promise<LogHead>;
  /** The same for an earlier position; undefined beyond the head. */
  headAt(position: number, log_id?: number): Promise<LogHead | undefined>;
  /** The first position (of a tenant) recorded at or after a time in microseconds; one past the head if there is none. */
  positionAt(when: { log_id?: number; tenant?: string; since_us: number }): Promise<number>;
  /** Throws when there is no such log. */
  identity(log_id?: number): Promise<LogIdentity>;
  /** Calls `listener` after every append of this process; the answer ends it. */
  onAppended(listener: (log_id: number, position: number) => void): () => void;
  /** Refuses new commits with StoreClosed and waits until those taken are settled. The pool stays open. */
  close(): Promise<void>;
};

export function createEventStore(pool: pg.Pool, options: EventStoreOptions = {}): EventStore {
  const { schemas, ...combinerOptions } = options;
  const combiners = new Map<number, Combiner>();
  const identities = new Map<number, LogIdentity>();
  const pendings = new WeakMap<CommitInFlight, PendingCommit>();
  const listeners = new Set<(log_id: number, position: number) => void>();
  let closed = false;

  function combinerOf(log_id: number): Combiner {
    let combiner = combiners.get(log_id);
    if (!combiner) {
      combiner = new Combiner(pool, log_id, combinerOptions);
      combiners.set(log_id, combiner);
      if (closed) void combiner.close();
    }
    return combiner;
  }

  const store: EventStore = {
    schemas,

    async append(commit) {
      return store.send(commit).settled;
    },

    send(commit) {
      if (schemas)
        for (const { events } of commit.appends)
          for (const event of events) schemas.validate(event.type, event.schema_version ?? 1, event.payload);
      const prepared = prepareCommit(commit);
      const rests_on = prepared.streams.map(({ after }) => after && pendingOf(after, prepared.log_id));
      const pending = combinerOf(prepared.log_id).send(prepared, rests_on);
      const sent = { settled: result(prepared, pending) };
      pendings.set(sent, pending);
      return sent;
    },

    async findCommit({ log_id = MAIN_LOG, idem_key }) {
      const { events, request_hash } = await readEvents(pool, "commit", [log_id, idem_key]);
      return request_hash && { request_hash, events };
    },

    async readStream({ log_id = MAIN_LOG, tenant, stream_id, after_version = 0, limit = PAGE }) {
      return readGathered(pool, { log_id, tenant, stream_id, after_version, limit });
    },

    async streamHead({ log_id = MAIN_LOG, tenant, stream_id }) {
      const answer = await pool.query<StreamHead>({
        name: "eventstore.stream_head",
        text: "select version, event_hash from eventstore.stream_head($1, $2, $3)",
        values: [log_id, tenant, stream_id],
      });
      return answer.rows[0];
    },

    async readLog({ log_id = MAIN_LOG, after, limit = PAGE, tenant }) {
      if (tenant === undefined) return (await readEvents(pool, "log", [log_id, after, limit])).events;
      return (await readEvents(pool, "tenant", [log_id, after, limit, tenant])).events;
    },

    async head(log_id = MAIN_LOG) {
      return (await headGathered(pool, log_id)) ?? genesis(log_id);
    },

    async headAt(position, log_id = MAIN_LOG) {
      if (position === 0) return genesis(log_id);
      const answer = await pool.query<LogHead>({
        name: "eventstore.head_at",
        text: "select log_id, position, log_hash from eventstore.events where log_id = $1 and position = $2",
        values: [log_id, position],
      });
      return answer.rows[0];
    },

    async positionAt({ log_id = MAIN_LOG, tenant, since_us }) {
      const answer = await pool.query<{ position: number }>(
        tenant === undefined
          ? { text: "select eventstore.position_at($1, $2) as position", values: [log_id, since_us] }
          : {
              text: `select coalesce(
                (select position from eventstore.events
                  where log_id = $1 and tenant = $3 and position >= eventstore.position_at($1, $2)
                  order by tenant, position limit 1),
                (select max(position) + 1 from eventstore.events where log_id = $1), 1) as position`,
              values: [log_id, since_us, tenant],
            },
      );
      return answer.rows[0]!.position;
    },

    async identity(log_id = MAIN_LOG) {
      const known = identities.get(log_id);
      if (known) return known;
      const answer = await pool.query<LogIdentity>(
        "select log_id, origin, epoch from eventstore.logs where log_id = $1",
        [log_id],
      );
      const identity = answer.rows[0];
      if (!identity) throw new Error(`there is no log ${log_id}`);
      identities.set(log_id, identity);
      return identity;
    },

    onAppended(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async close() {
      closed = true;
      await Promise.all([...combiners.values()].map((combiner) => combiner.close()));
    },
  };

  function pendingOf(sent: CommitInFlight, log_id: number): PendingCommit {
    const pending = pendings.get(sent);
    if (pending?.commit.log_id === log_id) return pending;
    throw new InvalidEvent("after", "is no commit that this store sent to the same log");
  }

  async function result(prepared: PreparedCommit, { settled }: PendingCommit): Promise<AppendResult> {
    const { outcome, retried } = await settled;
    if (outcome.status === "replayed") return replay(prepared, retried);
    if (outcome.status === "wrong_version") {
      const { tenant, stream_id } = prepared.streams[outcome.stream]!;
      return { status: "wrong_version", tenant, stream_id, actual: outcome.actual };
    }
    if (outcome.status !== "appended") return outcome;
    const events = appendedEvents(prepared, outcome);
    for (const listener of listeners) listener(prepared.log_id, events.at(-1)!.position);
    return { status: "appended", events };
  }

  async function genesis(log_id: number): Promise<LogHead> {
    return { log_id, position: 0, log_hash: logGenesis((await store.identity(log_id)).origin) };
  }

  async function replay(commit: PreparedCommit, retried: boolean): Promise<AppendResult> {
    const key = { log_id: commit.log_id, idem_key: commit.idem_key! };
    const found = await store.findCommit(key).catch((cause: Error) => {
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

  return store;
}

/** Whoever asks where a log ends in one moment is told by one query, which is sent after each of them asked. */
const headGathered = batched<number, LogHead | undefined>(async (pool, log_ids) => {
  const heads = new Map<number, LogHead | undefined>();
  for (const log_id of new Set(log_ids)) {
    const answer = await pool.query<LogHead>({
      name: "eventstore.head",
      text: "select log_id, position, log_hash from eventstore.events where log_id = $1 order by position desc limit 1",
      values: [log_id],
    });
    heads.set(log_id, answer.rows[0]);
  }
  return log_ids.map((log_id) => heads.get(log_id));
});

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
