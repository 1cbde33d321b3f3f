/**
 * Fills an empty log from a backup, as the role that owns the schema: each event is judged as `verify` judges it before its row goes in,
 * and all rows are committed together or none is.
 */
import { once } from "node:events";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { type Backup, type BackupPack, digestOf, isSegment } from "./backup.ts";
import { segmentsAsExport } from "./segment-export.ts";
import { SegmentUnreadable } from "./segment-file.ts";
import { type ByteField, hex } from "./verify/bytes.ts";
import { EventLineReader } from "./verify/event-line.ts";
import { EventReading } from "./verify/event-reading.ts";
import { type EventRow, UnreadableEvent } from "./verify/event-row.ts";
import { readHeader, readTrailer, type Trailer } from "./verify/header.ts";
import { cutLines, type LineBatch, LineGatherer } from "./verify/lines.ts";
import { Verifier } from "./verify/verifier.ts";
import { openExport } from "./verify/verify-export.ts";

/** Why a backup is not restored, with the file and the place. */
export class BackupUnsound extends Error {
  override readonly name = "BackupUnsound";
}

export type RestoreOptions = {
  log_id: number;
  /** Told how many events of how many are in. */
  progress?: (done: number, total: number) => void;
  max_streams?: number;
  /** Done before anybody can see the events; where it rejects, nothing is restored. */
  beforeCommit?: (restored: Restored) => Promise<void>;
};

/** Lines of evidence of the newest pack, as they stand in it. */
export type Restored = { events: number; head: { position: number; hash: string }; evidence: string[] };

const MOST_LINE_BYTES = 16 * 1024 * 1024;
const COPY = `copy eventstore.events (log_id, position, tenant, stream_id, version, event_id, type, schema_version, recorded_at_us,
  payload, meta, payload_hash, meta_hash, prev_hash, event_hash, log_hash, idem_key, request_hash, commit_size) from stdin`;

/**
 * Restores into the log of this number, whose row has the backup's origin already and which has no events. Rejects with BackupUnsound
 * where a file is not what the list says or an event not what its hashes say; then nothing was changed.
 */
export async function restoreLog(
  client: pg.ClientBase,
  folder: string,
  backup: Backup,
  options: RestoreOptions,
): Promise<Restored> {
  await client.query("begin");
  try {
    await client.query("lock table eventstore.events in share row exclusive mode");
    const { rowCount } = await client.query("select 1 from eventstore.events limit 1");
    if (rowCount !== 0)
      throw new BackupUnsound("the database has events: a backup is restored into an empty one");
    const restored = await fill(client, folder, backup, options);
    await options.beforeCommit?.(restored);
    await client.query("commit");
    // What the planner knows of an empty table would have it scan this one.
    await client.query("analyze eventstore.events");
    return restored;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

async function fill(
  client: pg.ClientBase,
  folder: string,
  { origin, packs }: Backup,
  { log_id, progress, max_streams }: RestoreOptions,
): Promise<Restored> {
  const loading = new Loading(log_id, origin, max_streams);
  const rows = client.query(copyFrom(COPY));
  const total = packs.at(-1)?.last ?? 0;
  try {
    for (const pack of packs) {
      await refuseOtherFile(folder, pack);
      loading.beginPack(pack);
      for await (const text of packRows(openPack(folder, pack), loading)) {
        await write(rows, text);
        progress?.(loading.events, total);
      }
      loading.endPack();
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

/** A pack's text; a segment's is that of the export that it stands for. */
async function* openPack(folder: string, pack: BackupPack): AsyncGenerator<Uint8Array> {
  const path = join(folder, pack.file);
  try {
    yield* isSegment(pack) ? segmentsAsExport([path]) : openExport(path);
  } catch (error) {
    throw error instanceof SegmentUnreadable ? new BackupUnsound(error.message) : error;
  }
}

async function write(rows: Writable, text: string): Promise<void> {
  if (text !== "" && !rows.write(text)) await once(rows, "drain");
}

async function refuseOtherFile(folder: string, { file, sha256, bytes }: BackupPack): Promise<void> {
  const found = await digestOf(join(folder, file)).catch((error: Error) => {
    throw new BackupUnsound(`${file} cannot be read: ${error.message}`);
  });
  if (found.sha256 !== sha256 || found.bytes !== bytes)
    throw new BackupUnsound(
      `${file} was changed: it has ${found.bytes} bytes with SHA-256 ${found.sha256}, the list says ${bytes} with ${sha256}`,
    );
}

/** The rows of a pack as text of COPY, a batch at a time. */
async function* packRows(chunks: AsyncIterable<Uint8Array>, loading: Loading): AsyncGenerator<string> {
  const gatherer = new LineGatherer(MOST_LINE_BYTES);
  for await (const chunk of chunks) {
    const batch = gatherer.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    if (batch) yield loading.take(batch);
  }
  const rest = gatherer.end();
  if (rest) yield loading.take(rest);
}

/** Judges lines one by one, whatever pack they stand in: the packs of a backup are one history. */
class Loading {
  readonly #log_id: number;
  readonly #origin: string;
  readonly #verifier: Verifier;
  readonly #line = new EventLineReader(true);
  #reading: EventReading | undefined;
  #pack: BackupPack | undefined;
  #hasHeader = false;
  #trailer: Trailer | undefined;
  #evidence: string[] = [];

  constructor(log_id: number, origin: string, max_streams?: number) {
    this.#log_id = log_id;
    this.#origin = origin;
    this.#verifier = new Verifier({ origin, ...(max_streams !== undefined && { max_streams }) });
  }

  get events(): number {
    return this.#verifier.log?.events ?? 0;
  }

  beginPack(pack: BackupPack): void {
    this.#pack = pack;
    this.#hasHeader = false;
    this.#trailer = undefined;
    this.#evidence = [];
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
      throw this.#unsound(`it does not go on where the pack before ends, at ${log.position}`);
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

  endPack(): void {
    const log = this.#verifier.log;
    if (!log || !this.#trailer) throw this.#unsound("truncated: its last line is missing");
    const { last, log_hash, first } = this.#pack!;
    const { position, hash, events } = this.#trailer;
    if (position !== log.position || hash !== hex(log.hash) || events !== last - first + 1)
      throw this.#unsound(
        `its last line speaks of ${events} events up to ${position}, the last event is ${log.position}`,
      );
    if (last !== position || log_hash !== hash)
      throw this.#unsound(`it ends at ${position}, the list says at ${last}`);
  }

  /** Call once, after the last pack. */
  end(): Restored {
    const { log } = this.#verifier;
    if (!log) throw new BackupUnsound("the backup has no pack");
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
      `${this.#pack?.file ?? "the backup"}, at position ${Math.max(place, 1)}: ${reason}`,
    );
  }
}

const bytea = (bytes: Uint8Array) =>
  `\\\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`;
const held = ({ bytes, start, length }: ByteField) => bytes.subarray(start, length);

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
/** Text as COPY reads it: what separates fields and lines is escaped. */
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
