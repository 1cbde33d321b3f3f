/** All of an event but `payload`, `type` and `event_id`: bytes as hex, `meta` as base64. */
export type CopiedMetadata = {
  origin: string;
  tenant: string;
  stream_id: string;
  version: number;
  position: number;
  schema_version: number;
  recorded_at_us: number;
  meta_b64: string;
  payload_hash: string;
  meta_hash: string;
  prev_hash: string;
  event_hash: string;
  log_hash: string;
  idem_key?: string;
  request_hash?: string;
  commit_size?: number;
  /** KurrentDB's own tools find by it which events belong to one call. */
  $correlationId?: string;
};

/** `is_json`: the payload may go as JSON, since whoever parses and prints it again has the same bytes. */
export type CopiedEvent = {
  event_id: string;
  type: string;
  payload: Uint8Array;
  is_json: boolean;
  metadata: CopiedMetadata;
};

/** A copy of the log in another store, for whoever wants to subscribe there: one stream, in which an event stands at its position. */
export type OutsideLog = {
  /** Where it is, without credentials. */
  readonly host: string;
  /** The newest event and its revision; undefined for a new stream. All of these reject with OutsideUnavailable. */
  newest(): Promise<{ event: CopiedEvent; revision: number } | undefined>;
  /** Appends the events after `after` and sees them there. False where the server expects another revision. */
  append(after: number, events: readonly CopiedEvent[]): Promise<boolean>;
  /** All of it from the beginning. */
  read(): AsyncIterable<CopiedEvent>;
  /** Has the store link each event into a stream of its own name; false where it does so already. */
  install(): Promise<boolean>;
  /** How far this process has copied; undefined before it has. */
  copied: number | undefined;
  close(): Promise<void>;
};

/** Why the store outside takes or shows no event: only `unreached` ends by itself. */
export type OutsideStatus =
  | "unreached"
  | "deleted"
  | "truncated"
  | "oversized"
  | "denied"
  | "projections_off";

/** The store outside gave no answer in time, or one that keeps the copy from going on; `status` tells which. */
export class OutsideUnavailable extends Error {
  override readonly name = "OutsideUnavailable";
  readonly status: OutsideStatus;

  constructor(message: string, { status, cause }: { status: OutsideStatus; cause?: unknown }) {
    super(message, { cause });
    this.status = status;
  }
}
