import type pg from "pg";
import type { AppendPrecondition, CombinerOptions } from "./combiner.ts";
import { type LogReads, logReads } from "./log-reads.ts";
import type { EventSchemas } from "./schemas.ts";
import { Sender } from "./sender.ts";
import type { AppendResult, Commit, CommitInFlight } from "./types.ts";

export type { RecordedCommit } from "./read.ts";

export type EventStoreOptions = CombinerOptions & {
  /** If given, payloads are checked before they are appended, and unknown types are refused. */
  schemas?: EventSchemas;
  /** Every append tests it; without it, the database's log is trusted. */
  precondition?: AppendPrecondition;
};

/** The log in Postgres. All errors are of errors.ts, except those of reads, which are the driver's. */
export type EventStore = LogReads & {
  /** Validate payloads, and upcast for readers; reads return what was stored. */
  readonly schemas: EventSchemas | undefined;
  /**
   * The whole commit or nothing. Throws InvalidEvent, DuplicateEventId, StoreUnavailable, AppendUnknown,
   * StoreClosed, and the precondition's errors.
   */
  append(commit: Commit): Promise<AppendResult>;
  /**
   * The same, so that later commits can depend on it before its outcome: they are sent after it, with the stream
   * versions that it leaves.
   */
  send(commit: Commit): CommitInFlight;
  /** Calls `listener` after every append of this process; the result unsubscribes. */
  onAppended(listener: (log_id: number, position: number) => void): () => void;
  /** Refuses new commits with StoreClosed and waits for accepted ones. The pool stays open. */
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
