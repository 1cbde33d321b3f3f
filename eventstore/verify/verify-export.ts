import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { BatchMemory, CHUNK } from "./batch-memory.ts";
import { UnreadableEvent } from "./event-row.ts";
import { readHeader, readTrailer } from "./header.ts";
import { cutLines, type LineBatch, LineGatherer } from "./lines.ts";
import { BatchReader, MOST_UNREADABLE, type Reading, type ReadLines, UnpackedEvents } from "./read-lines.ts";
import { ReadingThreads } from "./reading-threads.ts";
import type { VerifyReport } from "./report.ts";
import { Verifier, type VerifyOptions } from "./verifier.ts";

export type VerifyExportOptions = VerifyOptions & {
  /** Longer lines fail the format verdict. Default 16 MiB. */
  max_line_bytes?: number;
  /** Larger inputs are read in threads; default 16 MiB. */
  threads_from_bytes?: number;
  /** Disables the fast path. */
  plain?: boolean;
};

const MIB = 1024 * 1024;
/** A gzipped file is read in smaller pieces. */
const PACKED_CHUNK = MIB / 4;

/** The header selects log or stream. Any input gives a report, never an error. */
export async function verifyExport(
  chunks: AsyncIterable<Uint8Array>,
  options: VerifyExportOptions = {},
): Promise<VerifyReport> {
  const { max_line_bytes = 16 * MIB, threads_from_bytes = 16 * MIB, plain = false } = options;
  const reader = new ExportReader(new Verifier(options), { max_line_bytes, plain }, threads_from_bytes);
  const gatherer = new LineGatherer(max_line_bytes, reader.room);
  let broken: string | undefined;
  const readable = untilError(chunks, (error) => {
    broken = error instanceof Error ? error.message : String(error);
  });
  try {
    for await (const chunk of readable) {
      const batch = gatherer.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
      if (batch) await reader.take(batch);
      if (reader.isDone) break;
    }
    const rest = broken === undefined && !reader.isDone ? gatherer.end() : undefined;
    if (rest) await reader.take(rest);
    await reader.finish();
    if (broken !== undefined) reader.broken(broken);
    else if (rest) reader.unended();
    await reader.settle();
    return reader.report();
  } finally {
    await reader.close();
  }
}

async function* untilError(chunks: AsyncIterable<Uint8Array>, onError: (error: unknown) => void) {
  try {
    yield* chunks;
  } catch (error) {
    onError(error);
  }
}

/** A chunk is valid until the next one; .gz is unpacked, `-` is standard input. */
export function openExport(path: string): AsyncIterable<Uint8Array> {
  if (path === "-") return process.stdin;
  return path.endsWith(".gz") ? unpacked(path) : chunksOf(path);
}

async function* unpacked(path: string): AsyncGenerator<Uint8Array, void, void> {
  const gunzip = createGunzip({ chunkSize: PACKED_CHUNK });
  // The reader gets any error; a pipeline closes the file when the reader stops early.
  pipeline(createReadStream(path, { highWaterMark: PACKED_CHUNK }), gunzip, () => undefined);
  yield* gunzip;
}

/** Fills one buffer while the other is read. */
async function* chunksOf(path: string): AsyncGenerator<Uint8Array, void, void> {
  const file = await open(path);
  const read = async (into: Buffer) => into.subarray(0, (await file.read(into, 0, CHUNK, null)).bytesRead);
  let ahead: Promise<Buffer> | undefined;
  try {
    let [next, other] = [Buffer.alloc(CHUNK), Buffer.alloc(CHUNK)];
    for (let chunk = await read(next); chunk.length > 0; chunk = await ahead) {
      [next, other] = [other, next];
      ahead = read(next);
      // Its awaiter gets the error.
      ahead.catch(() => undefined);
      yield chunk;
    }
  } finally {
    await ahead?.catch(() => undefined);
    await file.close();
  }
}

class ExportReader {
  readonly #verifier: Verifier;
  readonly #lineOptions: Pick<Reading, "max_line_bytes" | "plain">;
  readonly #threads_from_bytes: number;
  #lines = 0;
  #bytes = 0;
  #broken = false;
  /** Consecutive unreadable lines are one fault. */
  #unread: { line: number; reason: string; count: number } | undefined;
  #reading: Reading | undefined;
  #here: BatchReader | undefined;
  #threads: ReadingThreads | undefined;
  readonly #memory = new BatchMemory();
  readonly #underWay: { batch: LineBatch; read: Promise<ReadLines> }[] = [];
  isDone = false;

  constructor(
    verifier: Verifier,
    lineOptions: Pick<Reading, "max_line_bytes" | "plain">,
    threads_from_bytes: number,
  ) {
    this.#verifier = verifier;
    this.#lineOptions = lineOptions;
    this.#threads_from_bytes = threads_from_bytes;
  }

  readonly room = (length: number): Buffer => this.#memory.take(length);

  async take(batch: LineBatch): Promise<void> {
    this.#bytes += batch.bytes.length;
    const rest = this.#reading ? batch : this.#begin(batch);
    if (!this.#reading || this.isDone) return;
    if (this.#bytes >= this.#threads_from_bytes) this.#threads ??= new ReadingThreads(this.#reading);
    if (!this.#threads) {
      this.#here ??= new BatchReader(this.#reading);
      this.#apply(rest, this.#here.read(rest));
      return;
    }
    const read = this.#threads.read(rest);
    // Its awaiter gets the error.
    read.catch(() => undefined);
    this.#underWay.push({ batch: rest, read });
    if (this.#underWay.length >= this.#threads.most) await this.#applyNext();
  }

  async #applyNext(): Promise<void> {
    const { batch, read } = this.#underWay.shift()!;
    this.#apply(batch, await read);
  }

  async finish(): Promise<void> {
    while (this.#underWay.length > 0) await this.#applyNext();
    this.#tellUnread();
  }

  async close(): Promise<void> {
    await this.#threads?.close();
  }

  unended(): void {
    this.#verifier.unreadable(`line ${this.#lines} does not end`);
  }

  /** A missing file, a damaged gzip stream. */
  broken(reason: string): void {
    this.#broken = true;
    this.#verifier.unreadable(`the input ends after line ${this.#lines}: ${reason}`);
  }

  settle(): Promise<void> {
    return this.#verifier.settle();
  }

  report(): VerifyReport {
    if (this.#lines === 0 && !this.#broken) this.#verifier.unreadable("the input is empty");
    return this.#verifier.report();
  }

  /** Without a header nothing else has a meaning. */
  #begin(batch: LineBatch): LineBatch {
    const verifier = this.#verifier;
    const first = (read: () => string | undefined) => {
      this.#lines++;
      const fault = read();
      if (fault === undefined) verifier.readable();
      else verifier.unreadable(`line 1${fault}`);
      return false;
    };
    const line = (bytes: Buffer, start: number, end: number) =>
      first(() => {
        const header = readHeader(bytes.toString("utf8", start, end));
        if (typeof header === "string") return `: ${header}`;
        const isLog = header.format === "tallystick-log/1";
        verifier.begin(isLog ? "log" : "stream", header);
        const { eventChecks: checks } = verifier;
        this.#reading = { header, checks, ...this.#lineOptions };
        return undefined;
      });
    cutLines(
      batch,
      { line, badLine: (reason) => first(() => ` ${reason}`) },
      this.#lineOptions.max_line_bytes,
    );
    this.isDone = this.#reading === undefined;
    return { bytes: batch.bytes.subarray(batch.bytes.indexOf(10) + 1), isCut: false };
  }

  #apply({ bytes }: LineBatch, { lines, notes }: ReadLines): void {
    const verifier = this.#verifier;
    const unpacked = new UnpackedEvents(bytes);
    let noted = 0;
    for (let line = 0; line < lines && !this.isDone; line++) {
      this.#lines++;
      const note = notes[noted]?.line === line ? notes[noted++]! : undefined;
      if (note === undefined || "faults" in note) {
        unpacked.next(verifier.row);
        if (verifier.log!.trailer) this.#skip(": follows the last line of the export");
        else {
          this.#tellUnread();
          verifier.event(note?.faults ?? [], note?.sealed);
          verifier.readable();
        }
      } else if ("unreadable" in note) this.#skip(note.unreadable);
      else {
        const fault = this.#other(note);
        if (fault !== undefined) this.#skip(`: ${fault}`);
        else {
          this.#tellUnread();
          verifier.readable();
        }
      }
    }
    this.#memory.give(bytes);
  }

  /** A sentence is the fault. */
  #other(note: { evidence: string } | { end: string }): string | undefined {
    const log = this.#verifier.log!;
    if (log.trailer) return "follows the last line of the export";
    if ("end" in note) {
      const trailer = readTrailer(note.end, log.header.format);
      if (typeof trailer === "string") return trailer;
      log.trailer = trailer;
      return undefined;
    }
    try {
      this.#verifier.evidence(note.evidence);
      return undefined;
    } catch (error) {
      if (error instanceof UnreadableEvent) return error.message;
      throw error;
    }
  }

  /** After too many in a row, the rest is skipped. */
  #skip(reason: string): void {
    this.#unread ??= { line: this.#lines, reason, count: 0 };
    this.#unread.count++;
    this.isDone = this.#unread.count >= MOST_UNREADABLE;
  }

  #tellUnread(): void {
    if (!this.#unread) return;
    const { line, reason, count } = this.#unread;
    const row = count > 1 ? `; of ${count} lines in a row none can be read` : "";
    const end = this.isDone ? ", and nothing behind them was looked at" : "";
    this.#verifier.unreadable(`line ${line}${reason}${row}${end}`);
    this.#unread = undefined;
  }
}
