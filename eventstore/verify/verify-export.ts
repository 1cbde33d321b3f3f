import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { EventLineReader } from "./event-line.ts";
import { UnreadableEvent } from "./event-row.ts";
import { readHeader, readTrailer } from "./header.ts";
import { LineCutter, type LineSink } from "./lines.ts";
import type { VerifyReport } from "./report.ts";
import { Verifier, type VerifyOptions } from "./verifier.ts";

export type VerifyExportOptions = VerifyOptions & {
  /** Longer lines are not read and fail the format verdict. 16 MiB when left out. */
  max_line_bytes?: number;
};

const TRAILER_START = Buffer.from('{"end"');
const EVIDENCE_START = Buffer.from('{"evidence"');

const startsWith = (bytes: Buffer, from: number, to: number, start: Buffer) =>
  bytes.compare(start, 0, start.length, from, Math.min(to, from + start.length)) === 0;

/** Verifies an export (of a log or of one stream, told by its header) given as chunks of bytes. Whatever the bytes are, the answer is a report. */
export async function verifyExport(
  chunks: AsyncIterable<Uint8Array>,
  options: VerifyExportOptions = {},
): Promise<VerifyReport> {
  const reader = new ExportReader(new Verifier(options));
  const cutter = new LineCutter(reader, options.max_line_bytes ?? 16 * 1024 * 1024);
  let broken: string | undefined;
  const readable = untilError(chunks, (error) => {
    broken = error instanceof Error ? error.message : String(error);
  });
  for await (const chunk of readable) cutter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  if (broken !== undefined) reader.broken(broken);
  else if (!cutter.end()) reader.unended();
  return reader.report();
}

async function* untilError(chunks: AsyncIterable<Uint8Array>, onError: (error: unknown) => void) {
  try {
    yield* chunks;
  } catch (error) {
    onError(error);
  }
}

/** Verifies an export file, as `openExport` reads it. */
export const verifyFile = (path: string, options: VerifyExportOptions = {}): Promise<VerifyReport> =>
  verifyExport(openExport(path), options);

/** The bytes of an export file; a name ending in .gz is unpacked, `-` is standard input. */
export function openExport(path: string): AsyncIterable<Uint8Array> {
  const file = path === "-" ? process.stdin : createReadStream(path, { highWaterMark: 1 << 18 });
  if (!path.endsWith(".gz")) return file;
  const gunzip = createGunzip({ chunkSize: 1 << 18 });
  file.on("error", (error: Error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}

/** Gives each line of an export its meaning: header, evidence, events, last line. */
class ExportReader implements LineSink {
  readonly #verifier: Verifier;
  #lines = 0;
  #broken = false;
  #events: EventLineReader | undefined;

  constructor(verifier: Verifier) {
    this.#verifier = verifier;
  }

  line(bytes: Buffer, start: number, end: number): void {
    this.#lines++;
    try {
      if (!this.#events) this.#header(bytes.toString("utf8", start, end));
      else if (this.#verifier.log?.trailer) throw new UnreadableEvent("follows the last line of the export");
      else if (startsWith(bytes, start, end, TRAILER_START)) {
        this.#trailer(bytes.toString("utf8", start, end));
      } else if (startsWith(bytes, start, end, EVIDENCE_START)) {
        this.#verifier.evidence(bytes.toString("utf8", start, end));
      } else {
        this.#events.read(bytes, start, end, this.#verifier.row);
        this.#verifier.event();
      }
      this.#verifier.readable();
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      this.#verifier.unreadable(`line ${this.#lines}: ${error.message}`);
    }
  }

  badLine(reason: string): void {
    this.#lines++;
    this.#verifier.unreadable(`line ${this.#lines} ${reason}`);
  }

  /** The line given last does not end. */
  unended(): void {
    this.#verifier.unreadable(`line ${this.#lines} does not end`);
  }

  /** The input itself failed: a missing file, a damaged gzip stream. */
  broken(reason: string): void {
    this.#broken = true;
    this.#verifier.unreadable(`the input ends after line ${this.#lines}: ${reason}`);
  }

  report(): VerifyReport {
    if (this.#lines === 0 && !this.#broken) this.#verifier.unreadable("the input is empty");
    return this.#verifier.report();
  }

  /** Only the first line can be the header: an origin found further down would be anybody's. */
  #header(text: string): void {
    const header = this.#lines === 1 ? readHeader(text) : "the first line was no header";
    if (typeof header === "string") throw new UnreadableEvent(header);
    const isLog = header.format === "tallystick-log/1";
    this.#verifier.begin(isLog ? "log" : "stream", header);
    this.#events = new EventLineReader(isLog);
  }

  #trailer(text: string): void {
    const log = this.#verifier.log!;
    const trailer = readTrailer(text, log.header.format);
    if (typeof trailer === "string") throw new UnreadableEvent(trailer);
    log.trailer = trailer;
  }
}
