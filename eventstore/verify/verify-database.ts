import { isUtf8 } from "node:buffer";
import type pg from "pg";
import { hexOfDigest } from "./bytes.ts";
import { EventReading } from "./event-reading.ts";
import { type EventRow, UnreadableEvent } from "./event-row.ts";
import { LogHashes } from "./hashes.ts";
import type { VerifyReport } from "./report.ts";
import { type StoredRow, storedPages } from "./stored-rows.ts";
import { Verifier, type VerifyOptions } from "./verifier.ts";

const INT4_MAX = 2 ** 31 - 1;
/** Includes rows at 0 or −1. */
const BEFORE_ALL = -(2n ** 63n);

/**
 * Verifies up to the head at the start; `evidence`: lines as in an export. Throws only when the database cannot be read: any rows
 * give a report.
 */
export async function verifyDatabase(
  pool: pg.Pool,
  log_id: number,
  { evidence = [], ...options }: VerifyOptions & { evidence?: readonly string[] } = {},
): Promise<VerifyReport> {
  const verifier = new Verifier(options);
  const { rows } = await pool.query<{ origin: string; epoch: string; head: string | null }>(
    `select origin, epoch, (select max(position) from eventstore.events where log_id = $1)::text as head
       from eventstore.logs where log_id = $1`,
    [log_id],
  );
  if (!rows[0]) {
    verifier.unreadable(`eventstore.logs has no log ${log_id}`);
    return verifier.report();
  }
  const { origin, epoch, head } = rows[0];
  const previous_log_hash = hexOfDigest(new LogHashes(origin).genesis);
  const format = "tallystick-log/1";
  const header = { format, log_id, origin, exported_at: "", first_position: 1, previous_log_hash } as const;
  verifier.begin("database", header, epoch);
  const reading = new EventReading("database", header, verifier.eventChecks);
  for (const line of evidence) verifier.evidence(line);
  const to = head ?? "0";
  let read = 0;
  for await (const page of storedPages(pool, { log_id, after: BEFORE_ALL, to: BigInt(to) })) {
    for (const row of page) verifyRow(verifier, reading, row);
    read += page.length;
  }
  const there = await countRows(pool, log_id, to);
  if (there !== read) {
    verifier.unreadable(
      `there are ${there} rows up to position ${to}, ${read} were read: some share a position or have none`,
    );
  }
  await verifier.settle();
  return verifier.report();
}

/** Pages would miss a duplicate or missing position. */
async function countRows(pool: pg.Pool, log_id: number, to: string): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    "select count(*)::text as count from eventstore.events where log_id = $1 and (position <= $2) is not false",
    [log_id, to],
  );
  return Number(rows[0]!.count);
}

function verifyRow(verifier: Verifier, reading: EventReading, stored: StoredRow): void {
  try {
    fillRow(verifier.row, stored);
    verifier.event(reading.faults(verifier.row), reading.sealed(verifier.row));
    verifier.readable();
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    verifier.unreadable(`the row at position ${stored.position}: ${error.message}`);
  }
}

/** Possible only where a hostile owner removed the constraint. */
function refuseNulls(stored: StoredRow): void {
  const { idem_key, request_hash, commit_size, ...never } = stored;
  for (const [name, value] of Object.entries(never)) {
    if (value === null) throw new UnreadableEvent(`${name} is null`);
  }
}

/** Throws UnreadableEvent. */
export function fillRow(row: EventRow, stored: StoredRow): void {
  refuseNulls(stored);
  const { idem_key, request_hash, commit_size } = stored;
  row.position = integer(stored, "position", 1, Number.MAX_SAFE_INTEGER);
  row.version = integer(stored, "version", 1, Number.MAX_SAFE_INTEGER);
  row.schema_version = integer(stored, "schema_version", 1, INT4_MAX);
  row.recorded_at_us = integer(stored, "recorded_at_us", 0, Number.MAX_SAFE_INTEGER);
  for (const name of ["tenant", "stream_id", "type"] as const) row[name].set(stored[name]);
  row.event_id.write(stored.event_id.replaceAll("-", ""), "hex");
  for (const name of ["payload", "meta"] as const) {
    if (!isUtf8(stored[name])) throw new UnreadableEvent(`${name} is not valid UTF-8`);
    row[name].set(stored[name]);
  }
  for (const name of ["payload_hash", "meta_hash", "prev_hash", "event_hash", "log_hash"] as const) {
    hash(name, stored[name], row[name]);
  }
  row.has_idem_key = idem_key !== null;
  if (idem_key !== null) row.idem_key.set(idem_key);
  row.has_request_hash = request_hash !== null;
  if (request_hash !== null) hash("request_hash", request_hash, row.request_hash);
  row.commit_size = commit_size === null ? null : integer(stored, "commit_size", 1, INT4_MAX);
}

type IntegerColumn = "position" | "version" | "schema_version" | "recorded_at_us" | "commit_size";

function integer(stored: StoredRow, name: IntegerColumn, least: number, most: number): number {
  const value = Number(stored[name]);
  if (value >= least && value <= most) return value;
  throw new UnreadableEvent(`${name} is ${stored[name]}, expected an integer from ${least} to ${most}`);
}

function hash(name: string, bytes: Buffer, into: Buffer): void {
  if (bytes.length !== into.length)
    throw new UnreadableEvent(`${name} has ${bytes.length} bytes, expected 32`);
  into.set(bytes);
}
