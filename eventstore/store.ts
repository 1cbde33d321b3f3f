import type pg from "pg";
import type { AppendPrecondition, CombinerOptions } from "./combiner.ts";
import { type LogReads, logReads } from "./log-reads.ts";
import type { EventSchemas } from "./schemas.ts";
import { Sender } from "./sender.ts";
import type { AppendResult, Commit, CommitInFlight } from "./types.ts";

export type { RecordedCommit } from "./log-reads.ts";

export type EventStoreOptions = CombinerOptions & {
  /** When given, payloads are checked before they are appended, and unknown types are refused. */
  schemas?: EventSchemas;
  /** Held against the log by every append; without it whatever the database has is gone on with. */
  ground?: AppendPrecondition;
};

/** The log in Postgres. All errors are of errors.ts, but those of reads, which are the driver's. */
export type EventStore = LogReads & {
  /** What payloads are checked against, and what readers upcast by: reads themselves give what was stored. */
  readonly schemas: EventSchemas | undefined;
  /** All of the commit or nothing. Throws InvalidEvent, DuplicateEventId, StoreUnavailable, AppendUnknown, StoreClosed, and what its ground does. */
  append(commit: Commit): Promise<AppendResult>;
  /** The same, for others to rest on before it is settled: they are sent after it, with its streams at the versions that it leaves. */
  send(commit: Commit): CommitInFlight;
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
