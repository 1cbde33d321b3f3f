/**
 * The words of the log. A *log* is the unit of order; a *stream* is one entity's history inside it, owned by a
 * tenant; a *commit* is what one command appends, to one stream or several, all or nothing.
 *
 * Positions, versions and microseconds are JavaScript numbers: all stay below 2^53 and are checked on the way in.
 */

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** The default log. A database may hold others, each with its own order, chain and origin. */
export const MAIN_LOG = 1;

/** What a stream must look like before a commit may extend it: an exact version (0 = no such stream yet), or anything. */
export type ExpectedVersion = number | "any" | "exists" | "absent";

export type NewEvent = {
  type: string;
  /** Defaults to 1. */
  schema_version?: number;
  payload: JsonObject;
  /** A UUID; a version 7 one is made when absent. */
  event_id?: string;
  /** Joins the commit's `meta` and wins over it. */
  meta?: JsonObject;
};

export type StreamAppend = {
  tenant: string;
  stream_id: string;
  expected_version: ExpectedVersion;
  events: NewEvent[];
  /** The commit on its way that leaves the stream at this version: where that is not appended, this is not either. */
  after?: CommitInFlight;
};

/** A stream that a commit rests upon without extending it: at another version, nothing is appended. */
export type StreamGuard = {
  tenant: string;
  stream_id: string;
  expected_version: number;
  after?: CommitInFlight;
};

/** A commit on its way. Others may rest on it before its outcome is known: they travel behind it, and fail with it. */
export type CommitInFlight = { readonly settled: Promise<AppendResult> };

/** Same key and same request_hash: the first result again. Same key, another request_hash: refused. */
export type Idempotency = {
  idem_key: string;
  /** 32 bytes: SHA-256 over operation and input; never over the events. The key names the caller. */
  request_hash: Uint8Array;
};

export type Commit = {
  log_id?: number;
  /** No stream may stand in `appends` and `guards` twice, and at least one event is appended. */
  appends: StreamAppend[];
  guards?: StreamGuard[];
  /** Who did it and why: actor, operation, request_id. Hashed with every event; the name `commit` is the log's own. */
  meta?: JsonObject;
  idempotency?: Idempotency;
};

export type AppendedEvent = {
  position: number;
  tenant: string;
  stream_id: string;
  version: number;
  event_id: string;
  recorded_at_us: number;
  event_hash: Uint8Array;
};

export type AppendResult =
  /** `events` in the order given; for `replayed` those of the first commit under the key. */
  | { status: "appended" | "replayed"; events: AppendedEvent[] }
  | { status: "wrong_version"; tenant: string; stream_id: string; actual: number }
  | { status: "idem_conflict" }
  /** What one of the streams comes `after` was not appended. */
  | { status: "overtaken" };

/** An event as it stands in the log. `payload` and `meta` are parsed from the stored bytes and not upcast. */
export type RecordedEvent = {
  log_id: number;
  position: number;
  tenant: string;
  stream_id: string;
  version: number;
  event_id: string;
  type: string;
  schema_version: number;
  recorded_at_us: number;
  payload: JsonObject;
  meta: JsonObject;
  prev_hash: Uint8Array;
  event_hash: Uint8Array;
  /** The log's chain at this position; its prefix stands in the event's cursor. */
  log_hash: Uint8Array;
};

/** A place in a log together with the hash of everything up to it. */
export type LogHead = { log_id: number; position: number; log_hash: Uint8Array };

/** A stream's last version, and the hash of that event, which stands for all of its events. */
export type StreamHead = { version: number; event_hash: Uint8Array };

export type LogIdentity = { log_id: number; origin: string; epoch: string };
