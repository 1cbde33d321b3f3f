/** docs/event-log.md, section 11. */

import { type LogHeader, readHeader, readTrailer } from "../verify/header.ts";
import { lineOf, logLine } from "./export.ts";
import { type OpenSegment, openSegment, SegmentUnreadable } from "./segment-file.ts";

const MOST_HEAD_BYTES = 16 * 1024 * 1024;
const LINE_END = 10;

/** For segments without a rest; evidence precedes the events. */
export type SegmentsBeside = { rest?: AsyncIterable<Uint8Array> | undefined; evidence?: readonly object[] };

/**
 * The events of the segments by position, then those of `rest`, with its evidence. Throws SegmentUnreadable on an invalid file,
 * or segments of several logs.
 */
export async function* segmentsAsExport(
  paths: readonly string[],
  { rest, evidence = [] }: SegmentsBeside = {},
): AsyncGenerator<Uint8Array, void, void> {
  const segments = await openAll(paths);
  const source = rest?.[Symbol.asyncIterator]();
  try {
    const first = segments[0]!.facts;
    const following = source && (await headOf(source));
    if (following && following.header.origin !== first.origin)
      throw new SegmentUnreadable(
        `the export is of ${following.header.origin}, the segments of ${first.origin}`,
      );
    yield Buffer.from(lineOf(headerOver(first, following?.header)));
    for (const line of evidence) yield Buffer.from(lineOf(line));
    for (const line of following?.evidence ?? [])
      if (belongsBefore(line, first.first)) yield Buffer.from(`${line}\n`);
    let events = 0;
    let head = { position: first.first - 1, log_hash: first.previous_log_hash };
    for (const { pages } of segments)
      for await (const page of pages()) {
        yield Buffer.from(page.map((row) => lineOf(logLine(row))).join(""));
        events += page.length;
        const last = page.at(-1)!;
        head = { position: Number(last.position), log_hash: last.log_hash.toString("hex") };
      }
    if (following) yield* withCount(following.chunks, events);
    else yield Buffer.from(lineOf({ end: true, events, head }));
  } finally {
    await source?.return?.();
    for (const { close } of segments) await close();
  }
}

async function openAll(paths: readonly string[]): Promise<OpenSegment[]> {
  const opened: OpenSegment[] = [];
  try {
    for (const path of paths) opened.push(await openSegment(path));
    opened.sort((a, b) => a.facts.first - b.facts.first);
    const { origin } = opened[0]!.facts;
    const other = opened.find(({ facts }) => facts.origin !== origin);
    if (other) throw new SegmentUnreadable(`segments are of two logs: ${origin} and ${other.facts.origin}`);
    return opened;
  } catch (error) {
    for (const { close } of opened) await close();
    throw error;
  }
}

const NEVER = "1970-01-01T00:00:00.000Z";

const headerOver = (
  { origin, first, previous_log_hash }: OpenSegment["facts"],
  { log_id, exported_at }: Pick<LogHeader, "log_id" | "exported_at"> = { log_id: 1, exported_at: NEVER },
): LogHeader => ({
  format: "tallystick-log/1",
  ...{ log_id, origin, exported_at, first_position: first, previous_log_hash },
});

/** The rest's frontier would cover other events. */
const belongsBefore = (line: string, first: number) =>
  !line.startsWith('{"evidence":"frontier"') ||
  line.startsWith(`{"evidence":"frontier","size":${first - 1},`);

type Head = { header: LogHeader; evidence: string[]; chunks: AsyncIterable<Uint8Array> };

async function headOf(source: AsyncIterator<Uint8Array>): Promise<Head> {
  let read = Buffer.alloc(0);
  let at = 0;
  /** Undefined at the end. */
  const line = async (): Promise<string | undefined> => {
    for (;;) {
      const end = read.indexOf(LINE_END, at);
      if (end >= 0) return read.toString("utf8", at, end);
      if (read.length > MOST_HEAD_BYTES) return undefined;
      const { value, done } = await source.next();
      if (done) return undefined;
      read = Buffer.concat([read.subarray(at), value]);
      at = 0;
    }
  };
  const pass = (text: string) => {
    at += Buffer.byteLength(text) + 1;
  };
  const first = (await line()) ?? "";
  const header = readHeader(first);
  if (typeof header === "string") throw new SegmentUnreadable(`the export, line 1: ${header}`);
  if (header.format !== "tallystick-log/1")
    throw new SegmentUnreadable("the export is of one stream, not of the log");
  pass(first);
  const evidence: string[] = [];
  for (let text = await line(); text?.startsWith('{"evidence"'); text = await line()) {
    evidence.push(text);
    pass(text);
  }
  async function* behind() {
    yield read.subarray(at);
    yield* { [Symbol.asyncIterator]: () => source };
  }
  return { header, evidence, chunks: behind() };
}

/** The rest's last line counts only its own events. Other text passes unchanged. */
async function* withCount(chunks: AsyncIterable<Uint8Array>, before: number): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const text = Buffer.concat([held, chunk]);
    const last = text.lastIndexOf(LINE_END, text.length - 2) + 1;
    yield text.subarray(0, last);
    held = text.subarray(last);
  }
  const trailer =
    held.at(-1) === LINE_END
      ? readTrailer(held.toString("utf8", 0, held.length - 1), "tallystick-log/1")
      : "";
  if (typeof trailer === "string") {
    yield held;
    return;
  }
  const { events, position, hash } = trailer;
  yield Buffer.from(lineOf({ end: true, events: before + events, head: { position, log_hash: hash } }));
}
