/**
 * `v1.<epoch>.<position>.<first 16 hex digits of log_hash>`. The hash reveals that a restore or rewrite replaced the history that
 * a reader has seen.
 */
import type { EventStore } from "./store.ts";
import { MAIN_LOG } from "./types.ts";

export type Cursor = { epoch: string; position: number; log_hash_prefix: string };

export type CursorCheck =
  | { status: "ok"; position: number }
  | { status: "malformed" }
  /** Of another log or history. */
  | { status: "diverged" }
  /** Beyond the head: the log lost its end. */
  | { status: "ahead"; head: number };

const PREFIX_BYTES = 8;
const PATTERN = /^v1\.([0-9a-f]{16})\.(0|[1-9]\d{0,15})\.([0-9a-f]{16})$/;

export function encodeCursor(place: { epoch: string; position: number; log_hash: Uint8Array }): string {
  const prefix = Buffer.from(place.log_hash.subarray(0, PREFIX_BYTES)).toString("hex");
  return `v1.${place.epoch}.${place.position}.${prefix}`;
}

export function decodeCursor(text: string): Cursor | undefined {
  const [, epoch, digits, log_hash_prefix] = PATTERN.exec(text) ?? [];
  const position = Number(digits);
  if (epoch === undefined || log_hash_prefix === undefined || !Number.isSafeInteger(position))
    return undefined;
  return { epoch, position, log_hash_prefix };
}

export async function checkCursor(store: EventStore, text: string, log_id = MAIN_LOG): Promise<CursorCheck> {
  const cursor = decodeCursor(text);
  if (!cursor) return { status: "malformed" };
  const { epoch } = await store.identity(log_id);
  if (cursor.epoch !== epoch) return { status: "diverged" };
  const there = await store.headAt(cursor.position, log_id);
  if (!there) return { status: "ahead", head: (await store.head(log_id)).position };
  if (encodeCursor({ ...there, epoch }) !== text) return { status: "diverged" };
  return { status: "ok", position: cursor.position };
}
