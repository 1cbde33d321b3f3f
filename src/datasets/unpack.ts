/** Unpacks an input file into the build space as plain text, checking every byte once. */
import { isUtf8 } from "node:buffer";
import { createReadStream, createWriteStream } from "node:fs";
import { open, readFile, rm, symlink } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { Readable, Transform, type TransformCallback } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Refusal, refuse } from "../core/model/refusal.ts";
import type { BuildSpace } from "./build-space.ts";
import { badByteIn, badByteText, columnAt, utf8Lines } from "./encoding.ts";
import { formatOf } from "./file-kind.ts";
import { inputSize, isReadError, refuseUnread } from "./input-file.ts";
import { fileDigest } from "./manifest.ts";
import { workbookText } from "./reference/workbook.ts";
import { NO_TEXT, sevenZip } from "./seven-zip.ts";

/** A sheet has a million rows at most. */
const LARGEST_WORKBOOK = 256 * 1024 * 1024;

export type UnpackedFile = {
  name: string;
  /** The plain text, in the build space. */
  path: string;
  /** Digest and size of the original file. */
  sha256: string;
  bytes: number;
  header: string;
  /** Lines of text, including the header. */
  lines: number;
};

type ArchiveFormat = "plain" | "gzip" | "7z" | "workbook" | "parquet";

/** `onHeader` receives the first line before any fault is reported; `onFormat` is called for a file that is not text. */
export type UnpackOptions = {
  onFormat: (name: string, format: string) => never;
  onHeader: (name: string, header: string) => { encoding?: "windows-1252" };
  /** Writes a Parquet file's rows as CSV; without it, such a file is refused. */
  parquetAsCsv?: (parquet: string, csv: string) => Promise<unknown>;
  signal?: AbortSignal | undefined;
};

export async function unpack(
  space: BuildSpace,
  input: string,
  ordinal: number,
  options: UnpackOptions,
): Promise<UnpackedFile> {
  return unpackReadable(space, input, ordinal, options).catch((error) => {
    if (isReadError(error)) return refuseUnread(input, error);
    throw error;
  });
}

async function unpackReadable(
  space: BuildSpace,
  input: string,
  ordinal: number,
  options: UnpackOptions,
): Promise<UnpackedFile> {
  const { signal } = options;
  const name = basename(input);
  const path = join(space.dir, `input-${ordinal}.csv`);
  const { packing, bytes } = await examine(input, name, options);
  const sha256 = await fileDigest(input);
  const text = new TextCheck(name, options);
  space.beforeWrite(path);
  const out = createWriteStream(path);
  if (packing === "workbook") {
    await pipeline(Readable.from([Buffer.from(await workbookText(input, name))]), text, out, { signal });
  } else if (packing === "parquet") {
    const csv = await csvOfParquet(space, input, ordinal, options);
    await pipeline(createReadStream(csv), text, out, { signal });
    await rm(csv);
  } else if (packing === "7z") {
    const extraction = await extract7z(space, input, name, signal);
    await pipeline(extraction.stream, text, out, { signal });
    await extraction.ended;
  } else if (packing === "gzip") {
    await pipeline(createReadStream(input), createGunzip(), text, out, { signal }).catch((error) =>
      explainGzip(error, name),
    );
  } else {
    await pipeline(createReadStream(input, { highWaterMark: 1 << 20 }), text, out, { signal });
  }
  return { name, path, sha256, bytes, header: text.header, lines: text.lines };
}

/** DuckDB would read the stars of a name as a pattern, so it is given another name. */
async function csvOfParquet(
  space: BuildSpace,
  input: string,
  ordinal: number,
  { parquetAsCsv }: UnpackOptions,
): Promise<string> {
  const [link, csv] = ["parquet", "rows.csv"].map((end) => join(space.dir, `input-${ordinal}.${end}`)) as [
    string,
    string,
  ];
  space.beforeWrite(csv);
  await symlink(resolve(input), link);
  try {
    await parquetAsCsv!(link, csv);
    return csv;
  } catch (error) {
    const why = String((error as Error).message)
      .split("\n")[0]!
      .replaceAll(link, basename(input));
    return refuse(
      "invalid",
      `${basename(input)} is not a Parquet file that can be read (${why}): fetch it again`,
    );
  } finally {
    await rm(link);
  }
}

async function examine(
  input: string,
  name: string,
  { parquetAsCsv }: UnpackOptions,
): Promise<{ packing: ArchiveFormat; bytes: number }> {
  const bytes = await inputSize(input);
  const file = await open(input, "r").catch((error) => refuseUnread(input, error));
  try {
    const head = Buffer.alloc(6);
    const { bytesRead } = await file.read(head, 0, 6, 0);
    if (bytesRead === 0) refuse("invalid", `${name} is empty`);
    const hex = head.toString("hex");
    if (hex.startsWith("504b0304")) {
      if (bytes <= LARGEST_WORKBOOK && (await readFile(input)).includes("xl/workbook.xml"))
        return { packing: "workbook", bytes };
      refuse("invalid", `${name} is a zip archive: unpack it, or give the .7z, .gz, .xlsx or plain CSV`);
    }
    const isParquet = parquetAsCsv !== undefined && head.subarray(0, 4).toString("latin1") === "PAR1";
    const packing = isParquet
      ? "parquet"
      : hex.startsWith("1f8b")
        ? "gzip"
        : hex === "377abcaf271c"
          ? "7z"
          : "plain";
    return { packing, bytes };
  } finally {
    await file.close();
  }
}

function explainGzip(error: unknown, name: string): never {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (!code.startsWith("Z_")) throw error;
  return refuse(
    "invalid",
    `${name} is damaged or cut off (gzip: ${(error as Error).message}): fetch it again`,
  );
}

/** A 7z archive's only file as a stream. `ended` refuses a damaged archive. */
async function extract7z(
  space: BuildSpace,
  input: string,
  name: string,
  signal?: AbortSignal,
): Promise<{ stream: Readable; ended: Promise<void> }> {
  const run = await sevenZip(space.dir, signal);
  const listing = run(input, name, ["l", "-slt", "-ba"]);
  let text = "";
  for await (const chunk of listing.child.stdout) text += chunk;
  await listing.ended;
  const members = text
    .split(/\r?\n\r?\n/)
    .filter((member) => /^Path = /m.test(member) && !/^Folder = \+/m.test(member));
  // A wrong password gives noise, and the program names it only after the last byte.
  const encrypted = members.some((member) => /^Encrypted = \+/m.test(member));
  if (members.length === 0 || encrypted) refuse("invalid", `${name} ${NO_TEXT}`);
  if (members.length !== 1) {
    refuse("invalid", `${name} holds ${members.length} files: one CSV is expected in an archive`);
  }
  const { child, ended } = run(input, name, ["x", "-so"]);
  return { stream: child.stdout, ended };
}

/** Ctrl-Z ended files under DOS; some publishers still write it after the last line. */
const END_OF_FILE = 0x1a;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const LONGEST_LINE = 64 * 1024;
const STRAY_RETURN = "a carriage return within the line";

const EMPTY_LINE = Buffer.from("\n\n");

/** Counts newlines four bytes at a time, because searching for each would double the time. */
function newlinesIn(chunk: Buffer): number {
  const ahead = Math.min(chunk.length, (4 - (chunk.byteOffset % 4)) % 4);
  const words = new Uint32Array(chunk.buffer, chunk.byteOffset + ahead, (chunk.length - ahead) >> 2);
  let found = 0;
  for (let at = 0; at < words.length; at++) {
    // A newline becomes a zero byte, and then only its high bit is set.
    const apart = words[at]! ^ 0x0a0a0a0a;
    const zero = ~(((apart & 0x7f7f7f7f) + 0x7f7f7f7f) | apart | 0x7f7f7f7f);
    if (zero !== 0) found += Math.imul((zero >>> 7) & 0x01010101, 0x01010101) >>> 24;
  }
  const rest = ahead + words.length * 4;
  for (let at = 0; at < ahead; at++) if (chunk[at] === NEWLINE) found++;
  for (let at = rest; at < chunk.length; at++) if (chunk[at] === NEWLINE) found++;
  return found;
}

/** Counts lines and refuses text that is not line-wise: NUL bytes, empty lines, a last line without its end. */
class TextCheck extends Transform {
  lines = 0;
  header = "";
  readonly #name: string;
  #head: Buffer[] = [];
  #lineLength = 0;
  #last = NEWLINE;
  /** True for Windows line ends; determined by the header. */
  #windows: boolean | undefined;
  readonly #options: UnpackOptions;
  #begun = false;
  /** The encoding of lines that are not UTF-8; undefined if these are refused. */
  #encoding: "windows-1252" | undefined;
  /** The beginning of a line whose end is in the next chunk. */
  #unfinished: Buffer = Buffer.alloc(0);
  /** An end-of-file mark, dropped if nothing follows it. */
  #held: Buffer = Buffer.alloc(0);

  constructor(name: string, options: UnpackOptions) {
    super();
    this.#name = name;
    this.#options = options;
  }

  override _transform(given: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      const format = this.#begun ? undefined : formatOf(given);
      if (format !== undefined) this.#options.onFormat(this.#name, format);
      this.#begun = true;
      const all = this.#held.length > 0 ? Buffer.concat([this.#held, given]) : given;
      const end = all.at(-1) === END_OF_FILE ? -1 : all.length;
      this.#held = end === -1 ? all.subarray(-1) : Buffer.alloc(0);
      const chunk = all.subarray(0, end);
      const linesBefore = this.lines;
      this.#look(chunk);
      done(null, this.#inUtf8(chunk, linesBefore));
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    const empty = this.lines === 0 && this.#lineLength === 0;
    const whole = this.#last === NEWLINE;
    const cutOff = "the file ends in the middle of a line: it is cut off; fetch it again";
    if (empty) done(new Refusal("invalid", `${this.#name} ${NO_TEXT}`));
    else done(whole ? null : this.#refusal(this.lines + 1, cutOff));
  }

  /** The bytes to write: the chunk, or its whole lines converted to UTF-8, since a chunk may end within a character. */
  #inUtf8(chunk: Buffer, linesBefore: number): Buffer {
    if (this.#encoding === undefined) {
      this.#checkBytes(chunk, linesBefore);
      return chunk;
    }
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    const whole = chunk.subarray(0, end);
    const lines = end === 0 ? whole : Buffer.concat([this.#unfinished, whole]);
    const rest = chunk.subarray(end);
    this.#unfinished = end === 0 ? Buffer.concat([this.#unfinished, rest]) : Buffer.from(rest);
    return utf8Lines(lines, this.#encoding);
  }

  #checkBytes(chunk: Buffer, linesBefore: number): void {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    const first = end === 0 ? 0 : chunk.indexOf(NEWLINE) + 1;
    const begun = Buffer.concat([this.#unfinished, chunk.subarray(0, first)]);
    this.#unfinished = end === 0 ? Buffer.concat([begun, chunk]) : Buffer.from(chunk.subarray(end));
    if (end === 0) return;
    const rest = chunk.subarray(first, end);
    const [bad, before] = isUtf8(begun)
      ? [isUtf8(rest) ? undefined : rest, linesBefore + 1]
      : [begun, linesBefore];
    const found = bad && badByteIn(bad);
    if (!bad || !found) return;
    const { line, at, byte } = found;
    const text = bad.toString("latin1").split("\n")[line - 1]!;
    const column = columnAt(this.header, text.slice(0, at - 1));
    const what = `${column && `${column}: `}${badByteText(byte, at)}`;
    throw this.#refusal(before + line, what, column);
  }

  #nulAt(before: Buffer): Refusal {
    const start = before.lastIndexOf(NEWLINE) + 1;
    const lines = before.toString("latin1").split("\n").length;
    const begun = Buffer.concat([start === 0 ? this.#unfinished : Buffer.alloc(0), before.subarray(start)]);
    const column = columnAt(this.header, begun.toString("latin1"));
    const place = `${column && ` in ${column}`} (byte ${begun.length + 1} of the line)`;
    return this.#refusal(
      this.lines + lines,
      `a NUL byte${place}: not a text file; fetch it again, or unpack it`,
      column,
    );
  }

  #look(chunk: Buffer): void {
    if (chunk.length === 0 || this.#isPlain(chunk)) return;
    const isFirst = this.lines === 0 && chunk.includes(NEWLINE);
    if (isFirst) this.header = this.#takeHeader(chunk.subarray(0, chunk.indexOf(NEWLINE)));
    if (isFirst && this.header !== "")
      this.#encoding = this.#options.onHeader(this.#name, this.header).encoding;
    const nul = chunk.indexOf(0);
    if (nul >= 0) throw this.#nulAt(chunk.subarray(0, nul));
    const stray = this.#strayReturn(chunk);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const length = this.#lineLength + end - start;
      const before = end > start ? chunk[end - 1] : this.#last;
      if (length === 0 || (length === 1 && before === CARRIAGE_RETURN)) {
        throw this.#refusal(this.lines + 1, "an empty line");
      }
      if (stray < end) throw this.#refusal(this.lines + 1, STRAY_RETURN);
      this.#windows ??= before === CARRIAGE_RETURN;
      if ((before === CARRIAGE_RETURN) !== this.#windows) {
        throw this.#refusal(this.lines + 1, "line ends are mixed: this line does not end as the header does");
      }
      if (length > LONGEST_LINE) throw this.#tooLong();
      this.lines++;
      this.#lineLength = 0;
      start = end + 1;
    }
    if (this.lines === 0) this.#head.push(Buffer.from(chunk));
    this.#lineLength += chunk.length - start;
    if (this.#lineLength > LONGEST_LINE) throw this.#tooLong();
    if (stray < chunk.length) throw this.#refusal(this.lines + 1, STRAY_RETURN);
    this.#last = chunk[chunk.length - 1]!;
  }

  /**
   * Accepts a chunk whose lines a few searches show to be good, as nearly all are; otherwise each line is checked,
   * to report the fault.
   */
  #isPlain(chunk: Buffer): boolean {
    if (this.lines === 0 || this.#windows !== false || this.#last === CARRIAGE_RETURN) return false;
    const last = chunk.lastIndexOf(NEWLINE);
    if (!this.#hasShortLines(chunk)) return false;
    if (this.#lineLength === 0 && chunk[0] === NEWLINE) return false;
    if (chunk.includes(0) || chunk.includes(CARRIAGE_RETURN) || chunk.includes(EMPTY_LINE)) return false;
    this.lines += newlinesIn(chunk);
    this.#lineLength = last === -1 ? this.#lineLength + chunk.length : chunk.length - last - 1;
    this.#last = chunk[chunk.length - 1]!;
    return true;
  }

  /** True if every window as long as the longest line has a newline. */
  #hasShortLines(chunk: Buffer): boolean {
    let [start, before] = [0, this.#lineLength];
    while (chunk.length - start + before > LONGEST_LINE) {
      const end = chunk.lastIndexOf(NEWLINE, start + LONGEST_LINE - before);
      if (end < start) return false;
      [start, before] = [end + 1, 0];
    }
    return true;
  }

  /** The first carriage return without a following newline within the chunk; Infinity if none. */
  #strayReturn(chunk: Buffer): number {
    if (this.#last === CARRIAGE_RETURN && chunk[0] !== NEWLINE) return -1;
    for (let at = chunk.indexOf(CARRIAGE_RETURN); at !== -1; at = chunk.indexOf(CARRIAGE_RETURN, at + 1)) {
      if (at + 1 < chunk.length && chunk[at + 1] !== NEWLINE) return at;
    }
    return Number.POSITIVE_INFINITY;
  }

  #tooLong(): Refusal {
    return this.#refusal(
      this.lines + 1,
      `a line longer than ${LONGEST_LINE} bytes: not a table of trade data`,
    );
  }

  #takeHeader(rest: Buffer): string {
    const line = Buffer.concat([...this.#head, rest]).toString("utf8");
    this.#head = [];
    return line.replace(/\r$/, "");
  }

  #refusal(line: number, what: string, column = ""): Refusal {
    const message = `${this.#name} line ${line}: ${what}`;
    const path = `${this.#name}:${line}${column && `:${column}`}`;
    return new Refusal("invalid", message, { errors: [{ path, message }] });
  }
}
