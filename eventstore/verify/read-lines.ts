/** Reads each line alone; comparing lines with one another comes later. */
import { type ByteField, viewOf } from "./bytes.ts";
import { EventLineReader } from "./event-line.ts";
import { type EventFault, EventReading } from "./event-reading.ts";
import { EventRow, UnreadableEvent } from "./event-row.ts";
import { FastReader } from "./fast-reader.ts";
import type { Header } from "./header.ts";
import { cutLines, type LineBatch } from "./lines.ts";
import type { EventSeals } from "./sealed.ts";

export type Reading = { header: Header; checks: readonly string[]; max_line_bytes: number; plain: boolean };

/** The events are left in the batch's memory. */
export type ReadLines = { lines: number; notes: LineNote[] };

/** `line` is counted from 0. Unreadable, not an event, or an event with faults or sealed values. */
export type LineNote = { line: number } & (
  | { unreadable: string }
  | { evidence: string }
  | { end: string }
  | { faults: readonly EventFault[]; sealed?: EventSeals }
);

/** Consecutive lines; then reading stops. */
export const MOST_UNREADABLE = 10_000;

const END = Buffer.from('{"end"');
const EVIDENCE = Buffer.from('{"evidence"');

/** No `start` has a newline, so the comparison stays within the line. */
function startsWith(bytes: Buffer, from: number, start: Buffer): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[from + i] !== start[i]) return false;
  return true;
}

export class BatchReader {
  readonly #row = new EventRow();
  readonly #line: EventLineReader;
  readonly #reading: EventReading;
  readonly #limit: number;
  readonly #fast: FastReader | undefined;

  constructor({ header, checks, max_line_bytes, plain }: Reading) {
    const isLog = header.format === "tallystick-log/1";
    this.#line = new EventLineReader(isLog);
    this.#reading = new EventReading(isLog ? "log" : "stream", header, checks);
    this.#limit = max_line_bytes;
    const { eventTag } = this.#reading.hashes;
    if (!plain && isLog && this.#reading.isWhole && FastReader.takes(eventTag))
      this.#fast = new FastReader(eventTag, max_line_bytes);
  }

  /** Overwrites the batch's lines with its events. */
  read(batch: LineBatch): ReadLines {
    const packed = new PackedEvents(batch.bytes);
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
      packed.add(this.#row);
      unreadable = 0;
      lines++;
      return true;
    };
    const fast = this.#fast?.take(batch.bytes) ? this.#fast : undefined;
    const taken = (start: number) => {
      const behind = fast!.read(start);
      if (behind > start) {
        unreadable = 0;
        lines++;
      }
      return behind;
    };
    const line = (bytes: Buffer, start: number, end: number) => {
      if (fast) packed.append(fast.records());
      const isEnd = startsWith(bytes, start, END);
      if (!isEnd && !startsWith(bytes, start, EVIDENCE)) return event(bytes, start, end);
      const text = bytes.toString("utf8", start, end);
      notes.push(isEnd ? { line: lines, end: text } : { line: lines, evidence: text });
      unreadable = 0;
      lines++;
      return true;
    };
    const sink = { line, badLine: (reason: string) => badLine(` ${reason}`), ...(fast && { taken }) };
    cutLines(batch, sink, this.#limit);
    if (fast) packed.append(fast.records());
    return { lines, notes };
  }
}

/** In bytes. */
const LINKS = 96;
/** Byte offsets of a packed event; the names follow, as in StreamHeads. */
const AT = {
  position: 0,
  version: 8,
  recorded_at_us: 16,
  commit_size: 24,
  links: 28,
  length: 28 + LINKS,
  names: 32 + LINKS,
};
/** WebAssembly's byte order. */
const LITTLE = true;

/** Smaller than the event's line, so that it fits in the line's memory. */
class PackedEvents {
  readonly #bytes: Buffer;
  readonly #words: DataView;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#words = viewOf(bytes);
  }

  append(records: Uint8Array): void {
    this.#bytes.set(records, this.#at);
    this.#at += records.length;
  }

  add(row: EventRow): void {
    const words = this.#words;
    const at = this.#at;
    const { tenant, stream_id } = row;
    words.setFloat64(at + AT.position, row.position, LITTLE);
    words.setFloat64(at + AT.version, row.version, LITTLE);
    words.setFloat64(at + AT.recorded_at_us, row.recorded_at_us, LITTLE);
    words.setUint32(at + AT.commit_size, row.commit_size ?? 0, LITTLE);
    this.#bytes.set(row.links, at + AT.links);
    words.setUint32(at + AT.length, 4 + tenant.length + stream_id.length, LITTLE);
    words.setUint32(at + AT.names, tenant.length);
    this.#at = at + AT.names + 4;
    this.#name(tenant);
    this.#name(stream_id);
  }

  #name({ bytes, length }: ByteField): void {
    const target = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < length; i++) target[at++] = bytes[i]!;
    this.#at = at;
  }
}

/** Without payload, metadata and keys. */
export class UnpackedEvents {
  readonly #bytes: Buffer;
  readonly #words: DataView;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#words = viewOf(bytes);
  }

  next(row: EventRow): void {
    const words = this.#words;
    const at = this.#at;
    row.position = words.getFloat64(at + AT.position, LITTLE);
    row.version = words.getFloat64(at + AT.version, LITTLE);
    row.recorded_at_us = words.getFloat64(at + AT.recorded_at_us, LITTLE);
    const size = words.getUint32(at + AT.commit_size, LITTLE);
    row.commit_size = size === 0 ? null : size;
    for (let i = 0; i < LINKS; i += 4) row.linkWords.setInt32(i, words.getInt32(at + AT.links + i));
    const end = at + AT.names + words.getUint32(at + AT.length, LITTLE);
    const stream = at + AT.names + 4 + words.getUint32(at + AT.names);
    this.#name(row.tenant, at + AT.names + 4, stream);
    this.#name(row.stream_id, stream, end);
    this.#at = end;
  }

  #name(into: ByteField, from: number, to: number): void {
    into.clear();
    into.append(this.#bytes, from, to);
  }
}
