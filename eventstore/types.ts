/**
 * A *log* is the unit of order; a *stream* is one entity's history in it, owned by a tenant; a *commit* is one command's atomic
 * append. Positions, versions and microseconds are JavaScript numbers: all stay below 2^53 and are checked on input.
 */

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Each log has its own order, chain and origin. */
export const MAIN_LOG = 1;

/** An exact version (0 = no stream yet), or a condition. */
export type ExpectedVersion = number | "any" | "exists" | "absent";

export type NewEvent = {
  type: string;
  /** Default 1. */
  schema_version?: number;
  payload: JsonObject;
  /** A UUID; default: a new version 7 one. */
  event_id?: string;
  /** Overrides the commit's `meta`. */
  meta?: JsonObject;
};

export type StreamAppend = {
  tenant: string;
  stream_id: string;
  expected_version: ExpectedVersion;
  events: NewEvent[];
  /** A commit in flight that must succeed first. */
  after?: CommitInFlight;
};

/** Checked, but not extended. */
export type StreamGuard = {
  tenant: string;
  stream_id: string;
  expected_version: number;
  after?: CommitInFlight;
};

/** Later commits may depend on it before its outcome is known, and fail with it. */
export type CommitInFlight = { readonly settled: Promise<AppendResult> };

/** Same key and request_hash: the first result again. Another request_hash: refused. */
export type Idempotency = {
  idem_key: string;
  /** 32 bytes: SHA-256 of operation and input, never of the events. The key names the caller. */
  request_hash: Uint8Array;
};

export type Commit = {
  log_id?: number;
  /** Each stream appears once; at least one event. */
  appends: StreamAppend[];
  guards?: StreamGuard[];
  /** Actor, operation, request_id. Hashed with every event; the log reserves `commit`. */
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
  /** In the given order; for `replayed`, the first commit's events. */
  | { status: "appended" | "replayed"; events: AppendedEvent[] }
  | { status: "wrong_version"; tenant: string; stream_id: string; actual: number }
  | { status: "idem_conflict" }
  /** An `after` commit failed. */
  | { status: "overtaken" };

/** `payload` and `meta` are parsed, but not upcast. */
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
  /** The event's cursor has its prefix. */
  log_hash: Uint8Array;
};

/** `log_hash` covers everything up to the position. */
export type LogHead = { log_id: number; position: number; log_hash: Uint8Array };

/** The hash covers all events of the stream. */
export type StreamHead = { version: number; event_hash: Uint8Array };

export type LogIdentity = { log_id: number; origin: string; epoch: string };
