import { ByteField } from "./bytes.ts";

/** One event as the verifier sees it: one reused value, filled by a line of an export or a row of the database. */
export class EventRow {
  /** 0 in the export of a single stream, which has no log order. */
  position = 0;
  version = 0;
  schema_version = 0;
  recorded_at_us = 0;
  readonly tenant = new ByteField();
  readonly stream_id = new ByteField();
  readonly type = new ByteField();
  readonly payload = new ByteField("TS/PAYLOAD/1\0");
  readonly meta = new ByteField("TS/META/1\0");
  readonly event_id = Buffer.alloc(16);
  readonly payload_hash = Buffer.alloc(32);
  readonly meta_hash = Buffer.alloc(32);
  readonly prev_hash = Buffer.alloc(32);
  readonly event_hash = Buffer.alloc(32);
  /** All zero in the export of a single stream. */
  readonly log_hash = Buffer.alloc(32);
  has_idem_key = false;
  readonly idem_key = new ByteField();
  has_request_hash = false;
  readonly request_hash = Buffer.alloc(32);
  commit_size: number | null = null;
}

/** Why a line or row cannot be read as an event. */
export class UnreadableEvent extends Error {}
