/** Reads the lines behind an export's header, each by itself: what is left is to hold them against one another. */
import { ByteField } from "./bytes.ts";
import { EventLineReader } from "./event-line.ts";
import { type EventFault, EventReading } from "./event-reading.ts";
import { EventRow, UnreadableEvent } from "./event-row.ts";
import type { Header } from "./header.ts";
import { cutLines, type LineBatch } from "./lines.ts";
import type { SealedHere } from "./sealed.ts";

/** What a reader has to know. */
export type Reading = { header: Header; checks: readonly string[]; max_line_bytes: number };

/** What a batch of lines holds, in a form that travels between threads: `events` as PackedEvents has them, and what else is to be said. */
export type ReadLines = { lines: number; events: Uint8Array; notes: LineNote[] };

/** Of one line, counted from 0: it cannot be read; it is evidence or the last one, to be read yet; or an event with faults, or with something sealed. */
export type LineNote = { line: number } & (
  | { unreadable: string }
  | { evidence: string }
  | { end: string }
  | { faults: readonly EventFault[]; sealed?: SealedHere }
);

/** After so many lines in a row that cannot be read, nothing is read any more. */
export const MOST_UNREADABLE = 10_000;

const END = Buffer.from('{"end"');
const EVIDENCE = Buffer.from('{"evidence"');

/** A line ends in a byte that stands in no `start`, so comparing does not run into the next line. */
function startsWith(bytes: Buffer, from: number, start: Buffer): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[from + i] !== start[i]) return false;
  return true;
}

export class BatchReader {
  readonly #row = new EventRow();
  readonly #line: EventLineReader;
  readonly #reading: EventReading;
  readonly #limit: number;
  readonly #packed = new PackedEvents();

  constructor({ header, checks, max_line_bytes }: Reading) {
    const isLog = header.format === "tallystick-log/1";
    this.#line = new EventLineReader(isLog);
    this.#reading = new EventReading(isLog ? "log" : "stream", header, checks);
    this.#limit = max_line_bytes;
  }

  read(batch: LineBatch): ReadLines {
    const notes: LineNote[] = [];
    let lines = 0;
    let unreadable = 0;
    const badLine = (reason: string) => {
      notes.push({ line: lines++, unreadable: reason });
      return ++unreadable < MOST_UNREADABLE;
    };
    const event = (bytes: Buffer, start: number, end: number) => {
      try {
        this.#line.read(bytes, start, end, this.#row);
      } catch (error) {
        if (!(error instanceof UnreadableEvent)) throw error;
        return badLine(`: ${error.message}`);
      }
      const faults = this.#reading.faults(this.#row);
      const sealed = this.#reading.sealed(this.#row);
      if (faults.length > 0 || sealed) notes.push({ line: lines, faults, ...(sealed && { sealed }) });
      this.#packed.add(this.#row);
      unreadable = 0;
      lines++;
      return true;
    };
    const line = (bytes: Buffer, start: number, end: number) => {
      const isEnd = startsWith(bytes, start, END);
      if (!isEnd && !startsWith(bytes, start, EVIDENCE)) return event(bytes, start, end);
      const text = bytes.toString("utf8", start, end);
      notes.push(isEnd ? { line: lines, end: text } : { line: lines, evidence: text });
      unreadable = 0;
      lines++;
      return true;
    };
    cutLines(batch, { line, badLine: (reason) => badLine(` ${reason}`) }, this.#limit);
    return { lines, events: this.#packed.take(), notes };
  }
}

/** As much of events as their order is judged by, one behind the other. */
class PackedEvents {
  readonly #bytes = new ByteField();

  add(row: EventRow): void {
    const { tenant, stream_id } = row;
    const field = this.#bytes.u64(row.position).u64(row.version).u64(row.recorded_at_us);
    field
      .u32(row.commit_size ?? 0)
      .append(row.event_hash)
      .append(row.prev_hash)
      .append(row.log_hash);
    field.lengthPrefixed(tenant).lengthPrefixed(stream_id);
  }

  /** All that was added since the last time, in memory of its own. */
  take(): Uint8Array {
    const events = new Uint8Array(this.#bytes.view());
    this.#bytes.clear();
    return events;
  }
}

/** Reads what PackedEvents wrote; payload, metadata and keys are not there. */
export class UnpackedEvents {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(events: Uint8Array) {
    this.#bytes = Buffer.from(events.buffer, events.byteOffset, events.length);
  }

  /** The next event, in place of the one before. */
  next(row: EventRow): void {
    row.position = this.#u64();
    row.version = this.#u64();
    row.recorded_at_us = this.#u64();
    const size = this.#u32();
    row.commit_size = size === 0 ? null : size;
    for (const into of [row.event_hash, row.prev_hash, row.log_hash]) {
      this.#bytes.copy(into, 0, this.#at, this.#at + 32);
      this.#at += 32;
    }
    this.#text(row.tenant);
    this.#text(row.stream_id);
  }

  #u32(): number {
    const value = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    return value;
  }

  #u64(): number {
    return this.#u32() * 0x1_0000_0000 + this.#u32();
  }

  #text(into: ByteField): void {
    const length = this.#u32();
    into.clear();
    into.append(this.#bytes, this.#at, this.#at + length);
    this.#at += length;
  }
}
