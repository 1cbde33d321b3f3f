/**
 * Fills an empty log from a backup, as the schema's owner. `verify` checks each event before its row is inserted, and all rows
 * are one commit.
 */
import { once } from "node:events";
import type { Writable } from "node:stream";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { type ByteField, hex } from "../verify/bytes.ts";
import { EventLineReader } from "../verify/event-line.ts";
import { EventReading } from "../verify/event-reading.ts";
import { type EventRow, UnreadableEvent } from "../verify/event-row.ts";
import { readHeader, readTrailer, type Trailer } from "../verify/header.ts";
import { cutLines, type LineBatch, LineGatherer } from "../verify/lines.ts";
import { Verifier } from "../verify/verifier.ts";
import { BackupUnsound, type RestorePart, type RestoreSource } from "./restore-source.ts";

export type RestoreOptions = {
  log_id: number;
  progress?: (done: number, total: number) => void;
  /** Runs before the events are visible; its rejection cancels the restore. */
  beforeCommit?: (restored: RestoreResult) => Promise<void>;
};

/** `evidence`: lines of the newest part, verbatim. */
export type RestoreResult = { events: number; head: { position: number; hash: string }; evidence: string[] };

/** `verify` has the same limit. */
const LEAST_STREAMS = 1_000_000;
const MOST_LINE_BYTES = 16 * 1024 * 1024;
const COPY = `copy eventstore.events (log_id, position, tenant, stream_id, version, event_id, type, schema_version, recorded_at_us,
  payload, meta, payload_hash, meta_hash, prev_hash, event_hash, log_hash, idem_key, request_hash, commit_size) from stdin`;

/**
 * The log has no events, and its row already has the source's origin. Rejects with BackupUnsound where a part contradicts its
 * list or an event its hashes; then nothing was changed.
 */
export async function restoreLog(
  client: pg.ClientBase,
  source: RestoreSource,
  options: RestoreOptions,
): Promise<RestoreResult> {
  await client.query("begin");
  try {
    await client.query("lock table eventstore.events in share row exclusive mode");
    const { rowCount } = await client.query("select 1 from eventstore.events limit 1");
    if (rowCount !== 0)
      throw new BackupUnsound("the database has events: a backup is restored into an empty one");
    const restored = await fill(client, source, options);
    await options.beforeCommit?.(restored);
    await client.query("commit");
    // Statistics of an empty table would cause full scans.
    await client.query("analyze eventstore.events");
    return restored;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

async function fill(
  client: pg.ClientBase,
  { origin, events, parts }: RestoreSource,
  { log_id, progress }: RestoreOptions,
): Promise<RestoreResult> {
  // A log has no more streams than events.
  const loading = new RestoreLoader(log_id, origin, Math.max(LEAST_STREAMS, events));
  const rows = client.query(copyFrom(COPY));
  try {
    for (const part of parts) {
      loading.beginPart(part);
      for await (const text of rowsOf(part.text(), loading)) {
        await write(rows, text);
        progress?.(loading.events, Math.max(events, loading.events));
      }
      loading.endPart();
    }
    const restored = loading.end();
    rows.end();
    await once(rows, "finish");
    return restored;
  } catch (error) {
    rows.on("error", () => undefined);
    rows.destroy();
    throw error;
  }
}

async function write(rows: Writable, text: string): Promise<void> {
  if (text !== "" && !rows.write(text)) await once(rows, "drain");
}

/** Batches of COPY text. */
async function* rowsOf(chunks: AsyncIterable<Uint8Array>, loading: RestoreLoader): AsyncGenerator<string> {
  const gatherer = new LineGatherer(MOST_LINE_BYTES);
  for await (const chunk of chunks) {
    const batch = gatherer.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    if (batch) yield loading.take(batch);
  }
  const rest = gatherer.end();
  if (rest) yield loading.take(rest);
}

/** The parts of a source are one history. */
class RestoreLoader {
  readonly #log_id: number;
  readonly #origin: string;
  readonly #verifier: Verifier;
  readonly #line = new EventLineReader(true);
  #reading: EventReading | undefined;
  #part: RestorePart | undefined;
  #before = 0;
  #hasHeader = false;
  #trailer: Trailer | undefined;
  #evidence: string[] = [];

  constructor(log_id: number, origin: string, max_streams: number) {
    this.#log_id = log_id;
    this.#origin = origin;
    this.#verifier = new Verifier({ origin, max_streams });
  }

  get events(): number {
    return this.#verifier.log?.events ?? 0;
  }

  beginPart(part: RestorePart): void {
    this.#part = part;
    this.#hasHeader = false;
    this.#trailer = undefined;
    this.#evidence = [];
    this.#before = this.events;
  }

  take(batch: LineBatch): string {
    const rows: string[] = [];
    const badLine = (reason: string): never => {
      throw this.#unsound(`a line ${reason}`);
    };
    const line = (bytes: Buffer, start: number, end: number) => {
      if (!this.#hasHeader) this.#header(bytes.toString("utf8", start, end));
      else if (this.#trailer) throw this.#unsound("a line follows the last one");
      else if (bytes.toString("latin1", start, start + 6) === '{"end"')
        this.#end(bytes.toString("utf8", start, end));
      else if (bytes.toString("latin1", start, start + 11) === '{"evidence"')
        this.#evidence.push(bytes.toString("utf8", start, end));
      else rows.push(this.#event(bytes, start, end));
      return true;
    };
    cutLines(batch, { line, badLine }, MOST_LINE_BYTES);
    return rows.join("");
  }

  #header(text: string): void {
    const header = readHeader(text);
    if (typeof header === "string") throw this.#unsound(`line 1: ${header}`);
    if (header.format !== "tallystick-log/1") throw this.#unsound("it is the export of one stream");
    if (header.origin !== this.#origin)
      throw this.#unsound(`it is of the log ${header.origin}, expected ${this.#origin}`);
    this.#hasHeader = true;
    const { log } = this.#verifier;
    if (!log) {
      if (header.first_position !== 1)
        throw this.#unsound(`it begins at ${header.first_position}, expected 1`);
      this.#verifier.begin("log", header);
      this.#reading = new EventReading("log", header, this.#verifier.eventChecks);
    } else if (header.first_position !== log.position + 1 || header.previous_log_hash !== hex(log.hash))
      throw this.#unsound(`it does not continue where the part before ends, at ${log.position}`);
    this.#refuseFaults();
  }

  #event(bytes: Buffer, start: number, end: number): string {
    const verifier = this.#verifier;
    const { row } = verifier;
    try {
      this.#line.read(bytes, start, end, row);
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      throw this.#unsound(error.message);
    }
    verifier.event(this.#reading!.faults(row), this.#reading!.sealed(row));
    this.#refuseFaults();
    return copyLine(this.#log_id, row);
  }

  #end(text: string): void {
    const trailer = readTrailer(text, "tallystick-log/1");
    if (typeof trailer === "string") throw this.#unsound(`the last line: ${trailer}`);
    this.#trailer = trailer;
  }

  endPart(): void {
    const log = this.#verifier.log;
    if (!log || !this.#trailer) throw this.#unsound("truncated: its last line is missing");
    const { position, hash, events } = this.#trailer;
    if (position !== log.position || hash !== hex(log.hash) || events !== log.events - this.#before)
      throw this.#unsound(
        `its last line speaks of ${events} events up to ${position}, the last event is ${log.position}`,
      );
    const { listed } = this.#part!;
    if (listed && (listed.first !== this.#before + 1 || listed.last !== position || listed.log_hash !== hash))
      throw this.#unsound(`it ends at ${position}, the list says at ${listed.last}`);
  }

  end(): RestoreResult {
    const { log } = this.#verifier;
    if (!log) throw new BackupUnsound("there is nothing to be restored");
    const head = { position: log.position, hash: hex(log.hash) };
    log.trailer = { events: log.events, ...head };
    const report = this.#verifier.report();
    const bad = report.verdicts.find(({ ok }) => !ok);
    if (bad) throw this.#unsound(bad.reason ?? bad.detail);
    return { events: log.events, head, evidence: this.#evidence };
  }

  #refuseFaults(): void {
    const { found } = this.#verifier;
    if (found) throw this.#unsound(found.reason);
  }

  #unsound(reason: string): BackupUnsound {
    const place = this.#verifier.log?.place ?? 0;
    throw new BackupUnsound(
      `${this.#part?.name ?? "the backup"}, at position ${Math.max(place, 1)}: ${reason}`,
    );
  }
}

const bytea = (bytes: Uint8Array) =>
  `\\\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`;
const held = ({ bytes, start, length }: ByteField) => bytes.subarray(start, length);

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
/** Escaped for COPY. */
const text = (field: ByteField) =>
  held(field)
    .toString("utf8")
    .replace(/[\\\n\r\t]/g, (sign) => ESCAPES[sign]!);

function copyLine(log_id: number, row: EventRow): string {
  const fields = [
    log_id,
    row.position,
    text(row.tenant),
    text(row.stream_id),
    row.version,
    row.event_id.toString("hex"),
    text(row.type),
    row.schema_version,
    row.recorded_at_us,
    bytea(held(row.payload)),
    bytea(held(row.meta)),
    bytea(row.payload_hash),
    bytea(row.meta_hash),
    bytea(row.prev_hash),
    bytea(row.event_hash),
    bytea(row.log_hash),
    row.has_idem_key ? text(row.idem_key) : "\\N",
    row.has_request_hash ? bytea(row.request_hash) : "\\N",
    row.commit_size ?? "\\N",
  ];
  return `${fields.join("\t")}\n`;
}
