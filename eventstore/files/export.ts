import { open } from "node:fs/promises";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type pg from "pg";
import { hexOfDigest } from "../verify/bytes.ts";
import { LogHashes } from "../verify/hashes.ts";
import type { Header } from "../verify/header.ts";
import { type RowRange, type StoredRow, storedPages } from "../verify/stored-rows.ts";

/** `last` is 0 for an empty log. */
export type ExportRange = { first: number; last: number } | { tenant: string; stream_id: string };

/** Lines before the first event, and one after each row of a stream. */
export type ExportEvidence = {
  before: readonly object[];
  after?: (rows: readonly StoredRow[]) => Promise<readonly (object | undefined)[]>;
};

/** Called once the range is known. */
export type EvidenceSource = (part: ExportRange) => Promise<ExportEvidence>;

export type ExportLogOptions = {
  beside?: EvidenceSource;
  log_id: number;
  /** Default 1. */
  from?: number;
  /** Extended to the end of its commit; default: the head at the start. */
  to?: number;
  /** Called after each page. */
  progress?: (events: number) => void;
};

export type ExportStreamOptions = {
  beside?: EvidenceSource;
  log_id: number;
  tenant: string;
  stream_id: string;
};

const NOTHING: ExportEvidence = { before: [] };

/** `head`: as in the last line; for a stream its version and event hash. */
export type ExportResult = { events: number; head: { position: number; hash: string } };

/** `start`: the head before any event. */
type Plan = { header: Header; range: RowRange; start: ExportResult["head"]; beside: ExportEvidence };

/**
 * Ends the writable; memory stays within a few pages of rows. Throws on an unknown log, a range outside it, and failed reads or
 * writes: then the last line is missing.
 */
export function exportLog(
  pool: pg.Pool,
  options: ExportLogOptions,
  writable: Writable,
): Promise<ExportResult> {
  return writeExport(pool, planLog(pool, options), writable, options);
}

/** As exportLog; throws on an empty stream. */
export function exportStream(
  pool: pg.Pool,
  options: ExportStreamOptions,
  writable: Writable,
): Promise<ExportResult> {
  return writeExport(pool, planStream(pool, options), writable, {});
}

/** Gzipped if the name ends in .gz; throws if the file exists or cannot be created. */
export async function exportFile(
  pool: pg.Pool,
  options: ExportLogOptions | ExportStreamOptions,
  path: string,
): Promise<ExportResult> {
  const plan = "stream_id" in options ? planStream(pool, options) : planLog(pool, options);
  await plan;
  const file = (await open(path, "wx")).createWriteStream();
  const progress = "progress" in options ? options.progress : undefined;
  return writeExport(pool, plan, file, { progress, packed: path.endsWith(".gz") });
}

async function writeExport(
  pool: pg.Pool,
  planned: Promise<Plan>,
  writable: Writable,
  { progress, packed = false }: Pick<ExportLogOptions, "progress"> & { packed?: boolean },
): Promise<ExportResult> {
  // A writable may fail before the pipeline listens.
  writable.on("error", () => {});
  const { header, range, start, beside } = await planned;
  const isLog = header.format === "tallystick-log/1";
  const exported: ExportResult = { events: 0, head: start };
  async function* text() {
    yield [header, ...beside.before].map(lineOf).join("");
    for await (const page of storedPages(pool, range)) {
      const following = (await beside.after?.(page)) ?? [];
      yield page
        .flatMap((row, n) => [isLog ? logLine(row) : streamLine(row), following[n] ?? []].flat())
        .map(lineOf)
        .join("");
      const last = page.at(-1)!;
      exported.events += page.length;
      progress?.(exported.events);
      exported.head = isLog
        ? { position: Number(last.position), hash: last.log_hash.toString("hex") }
        : { position: Number(last.version), hash: last.event_hash.toString("hex") };
    }
    const { position, hash } = exported.head;
    const head = isLog ? { position, log_hash: hash } : { version: position, event_hash: hash };
    yield lineOf({ end: true, events: exported.events, head });
  }
  const pages = Readable.from(text(), { objectMode: true, highWaterMark: 1 });
  await (packed ? pipeline(pages, createGzip(), writable) : pipeline(pages, writable));
  return exported;
}

async function planLog(pool: pg.Pool, options: ExportLogOptions): Promise<Plan> {
  const { log_id, from = 1 } = options;
  const { origin, head } = await logOf(pool, log_id);
  const to = options.to === undefined ? head : await commitEnd(pool, log_id, options.to, head);
  if (!Number.isSafeInteger(from) || from < 1 || from > to + 1) {
    throw new RangeError(
      `from is ${from}, and the export ends at ${to}: expected a position from 1 to ${to + 1}`,
    );
  }
  const hash = await logHashBefore(pool, log_id, from, origin);
  const format = "tallystick-log/1";
  const part = { first_position: from, previous_log_hash: hash };
  return {
    header: { format, log_id, origin, exported_at: new Date().toISOString(), ...part },
    range: { log_id, after: from - 1, to },
    start: { position: from - 1, hash },
    beside: (await options.beside?.({ first: from, last: to })) ?? NOTHING,
  };
}

async function planStream(pool: pg.Pool, options: ExportStreamOptions): Promise<Plan> {
  const { log_id, tenant, stream_id } = options;
  const { origin } = await logOf(pool, log_id);
  const { rows } = await pool.query<{ head: string | null }>(
    "select max(version)::text as head from eventstore.events where log_id = $1 and tenant = $2 and stream_id = $3",
    [log_id, tenant, stream_id],
  );
  const head = Number(rows[0]?.head ?? 0);
  if (head === 0) {
    throw new RangeError(
      `log ${log_id}: tenant ${JSON.stringify(tenant)} has no stream ${JSON.stringify(stream_id)}`,
    );
  }
  const format = "tallystick-stream/1";
  return {
    header: { format, log_id, origin, exported_at: new Date().toISOString(), tenant, stream_id },
    range: { log_id, after: 0, to: head, stream: { tenant, stream_id } },
    start: { position: 0, hash: "" },
    beside: (await options.beside?.({ tenant, stream_id })) ?? NOTHING,
  };
}

export function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

export function logLine(row: StoredRow) {
  return {
    position: Number(row.position),
    ...eventOf(row),
    log_hash: row.log_hash.toString("hex"),
    ...derivedOf(row),
  };
}

function streamLine(row: StoredRow) {
  return { ...eventOf(row), ...derivedOf(row) };
}

function eventOf(row: StoredRow) {
  return {
    tenant: row.tenant,
    stream_id: row.stream_id,
    version: Number(row.version),
    event_id: row.event_id,
    type: row.type,
    schema_version: Number(row.schema_version),
    recorded_at_us: Number(row.recorded_at_us),
    payload: row.payload.toString("utf8"),
    meta: row.meta.toString("utf8"),
    payload_hash: row.payload_hash.toString("hex"),
    meta_hash: row.meta_hash.toString("hex"),
    prev_hash: row.prev_hash.toString("hex"),
    event_hash: row.event_hash.toString("hex"),
  };
}

function derivedOf(row: StoredRow) {
  return {
    idem_key: row.idem_key,
    request_hash: row.request_hash?.toString("hex") ?? null,
    commit_size: row.commit_size === null ? null : Number(row.commit_size),
  };
}

async function logOf(pool: pg.Pool, log_id: number): Promise<{ origin: string; head: number }> {
  const { rows } = await pool.query<{ origin: string; head: string }>(
    `select origin, coalesce((select max(position) from eventstore.events where log_id = $1), 0)::text as head
       from eventstore.logs where log_id = $1`,
    [log_id],
  );
  if (!rows[0]) throw new RangeError(`there is no log ${log_id}`);
  return { origin: rows[0].origin, head: Number(rows[0].head) };
}

/** An export never ends inside a commit. */
async function commitEnd(pool: pg.Pool, log_id: number, to: number, head: number): Promise<number> {
  if (!Number.isSafeInteger(to) || to < 0 || to > head) {
    throw new RangeError(`to is ${to}, expected a position from 0 to the head ${head}`);
  }
  const { rows } = await pool.query<{ position: string }>(
    `select position::text from eventstore.events
      where log_id = $1 and position > $2 and position <= $3 and commit_size is not null
      order by events.position limit 1`,
    [log_id, to, head],
  );
  return rows[0] ? Number(rows[0].position) - 1 : head;
}

async function logHashBefore(
  pool: pg.Pool,
  log_id: number,
  position: number,
  origin: string,
): Promise<string> {
  if (position === 1) return hexOfDigest(new LogHashes(origin).genesis);
  const { rows } = await pool.query<{ log_hash: Buffer }>(
    "select log_hash from eventstore.events where log_id = $1 and position = $2",
    [log_id, position - 1],
  );
  if (!rows[0]) throw new RangeError(`log ${log_id} has no event at position ${position - 1}`);
  return rows[0].log_hash.toString("hex");
}
