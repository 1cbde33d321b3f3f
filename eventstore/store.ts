import type pg from "pg";
import type { CombinerOptions, Ground } from "./combiner.ts";
import { logReads } from "./log-reads.ts";
import type { EventSchemas } from "./schemas.ts";
import { Sender } from "./sender.ts";
import type { AppendResult, Commit, LogHead, LogIdentity, RecordedEvent, Sent, StreamHead } from "./types.ts";

export type EventStoreOptions = CombinerOptions & {
  /** When given, payloads are checked before they are appended, and unknown types are refused. */
  schemas?: EventSchemas;
  /** Held against the log by every append; without it whatever the database has is gone on with. */
  ground?: Ground;
};

export type RecordedCommit = { request_hash: Uint8Array; events: RecordedEvent[] };

/** The log in Postgres. All errors are of errors.ts, but those of reads, which are the driver's. */
export type EventStore = {
  /** What payloads are checked against, and what readers upcast by: reads themselves give what was stored. */
  readonly schemas: EventSchemas | undefined;
  /** All of the commit or nothing. Throws InvalidEvent, DuplicateEventId, StoreUnavailable, AppendUnknown, StoreClosed, and what its ground does. */
  append(commit: Commit): Promise<AppendResult>;
  /** The same, for others to rest on before it is settled: they are sent after it, with its streams at the versions that it leaves. */
  send(commit: Commit): Sent;
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
  const reads = logReads(pool);
  const sender = new Sender(pool, combinerOptions, reads.findCommit);
  const store: EventStore = {
    ...reads,
    schemas,
    append: async (commit) => store.send(commit).settled,
    send(commit) {
      if (schemas) validate(schemas, commit);
      return sender.send(commit);
    },
    onAppended: (listener) => sender.onAppended(listener),
    close: () => sender.close(),
  };
  return store;
}

function validate(schemas: EventSchemas, { appends }: Commit): void {
  for (const { events } of appends)
    for (const { type, schema_version = 1, payload } of events)
      schemas.validate(type, schema_version, payload);
}
