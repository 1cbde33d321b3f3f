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
  /** KurrentDB's own tools group events by this id. */
  $correlationId?: string;
};

/** `is_json`: the payload is JSON that any parser prints with the same bytes. */
export type CopiedEvent = {
  event_id: string;
  type: string;
  payload: Uint8Array;
  is_json: boolean;
  metadata: CopiedMetadata;
};

/** A copy of the log in another store, as one stream. An event's revision there follows from its position. */
export type OutsideLog = {
  readonly host: string;
  newest(): Promise<{ event: CopiedEvent; revision: number } | undefined>;
  /** Resolves once the events are readable; false if the server expects another revision. */
  append(after: number, events: readonly CopiedEvent[]): Promise<boolean>;
  read(): AsyncIterable<CopiedEvent>;
  /** Installs a rule that links each event into the stream of the event's own name; false if the rule exists. */
  install(): Promise<boolean>;
  copied: number | undefined;
  close(): Promise<void>;
};

export type OutsideStatus =
  | "unreached"
  | "deleted"
  | "truncated"
  | "oversized"
  | "denied"
  | "projections_off";

export class OutsideUnavailable extends Error {
  override readonly name = "OutsideUnavailable";
  readonly status: OutsideStatus;

  constructor(message: string, { status, cause }: { status: OutsideStatus; cause?: unknown }) {
    super(message, { cause });
    this.status = status;
  }
}
