/**
 * The file of a year's roll-up, next to its partition:
 *
 *   <data dir>/vintages/rollups/<year>-<first 16 digits of the content's digest>.<version>.rollup
 *
 * It only repeats its partition, so a missing one is computed again. Bytes 0 to 63 are the hex SHA-256 of the rest;
 * 64 to 71 the heading's length; then the heading, in JSON, and the sections that it locates, little-endian.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { syncFile } from "../../../eventstore/system/sync-file.ts";
import { type PartitionEntry, vintagesDir } from "../manifest.ts";

/** Every change of content or format gets a new version, so that older files are not used. */
const VERSION = 2;

export const rollupsDir = (dataDir: string) => join(vintagesDir(dataDir), "rollups");
export const rollupName = ({ year, content_sha256 }: PartitionKey) =>
  `${year}-${content_sha256.slice(0, 16)}.${VERSION}.rollup`;
export const rollupPath = (dataDir: string, entry: PartitionKey) =>
  join(rollupsDir(dataDir), rollupName(entry));

type PartitionKey = Pick<PartitionEntry, "year" | "content_sha256">;

const heading = z.strictObject({
  version: z.literal(VERSION),
  year: z.int(),
  content_sha256: z.string(),
  /** The values behind the sections' numbers, in ascending order. */
  reporters: z.array(z.string()),
  chapters: z.array(z.string()),
  partners: z.array(z.string()),
  /** Delivered rows per reporter. */
  records: z.array(z.int()),
  /** Bytes of each section, in order. */
  sections: z.strictObject({
    totals: z.int(),
    partners: z.int(),
    places: z.int(),
    chapter_partners: z.int(),
    all_reporters: z.int(),
    confidential: z.int(),
  }),
});

export type Heading = z.infer<typeof heading>;
export type Section = keyof Heading["sections"];
export type Sections = Record<
  Section,
  Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>
>;

/** Bytes of a block with this many partners: 18 each, padded to a multiple of eight. */
export const blockBytes = (count: number) => (18 * count + 7) & ~7;

const DIGEST_BYTES = 64;
const PREFIX_BYTES = DIGEST_BYTES + 8;
const PIECE = 1 << 20;

/** Written under another name first, so that a named file is complete. */
export async function writeRollup(
  dir: string,
  about: Omit<Heading, "version" | "sections">,
  sections: Sections,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  const order = Object.keys(heading.shape.sections.shape) as Section[];
  const lengths = Object.fromEntries(order.map((name) => [name, sections[name].byteLength]));
  const text = JSON.stringify({ version: VERSION, ...about, sections: lengths });
  // Sections of eight-byte numbers begin at a multiple of eight.
  const bytes = Buffer.from(text + " ".repeat(-Buffer.byteLength(text) & 7));
  const length = Buffer.from(bytes.length.toString(16).padStart(8, "0"));
  const hash = createHash("sha256");
  const draft = join(dir, `making-${process.pid}-${Math.random().toString(36).slice(2)}`);
  const file = await open(draft, "wx");
  try {
    let at = DIGEST_BYTES;
    const parts = order.map((name) => sections[name]);
    for (const part of [length, bytes, ...parts]) {
      const whole = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
      // A megabyte at a time, so that the event loop is not blocked.
      for (let from = 0; from < whole.length; from += PIECE) {
        const piece = whole.subarray(from, from + PIECE);
        hash.update(piece);
        await file.write(piece, 0, piece.length, at);
        at += piece.length;
      }
    }
    await file.write(hash.digest("hex"), 0);
    await file.sync();
    await file.close();
    const path = join(dir, rollupName(about));
    await rename(draft, path);
    await syncFile(dir);
  } finally {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
  }
}

export type OpenRollup = {
  heading: Heading;
  /** Bytes of a section, starting at `from`. */
  read(section: Section, from: number, length: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
};

/** A partition's roll-up; undefined if missing, damaged or of other content. */
export async function openRollup(path: string, of: PartitionKey): Promise<OpenRollup | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const found = await headingOf(file, path);
    const isIts = found?.heading.year === of.year && found.heading.content_sha256 === of.content_sha256;
    if (!found || !isIts) throw new Error("another one's");
    const places = placesOf(found.heading, found.begin);
    return {
      heading: found.heading,
      read: (section, from, length) => readAt(file, places[section] + from, length),
      close: () => file.close(),
    };
  } catch {
    await file.close();
    return undefined;
  }
}

async function headingOf(
  file: FileHandle,
  path: string,
): Promise<{ heading: Heading; begin: number } | undefined> {
  const prefix = Buffer.from(await readAt(file, 0, PREFIX_BYTES)).toString("latin1");
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { start: DIGEST_BYTES, highWaterMark: PIECE }), hash);
  if (hash.digest("hex") !== prefix.slice(0, DIGEST_BYTES)) return undefined;
  const length = Number.parseInt(prefix.slice(DIGEST_BYTES), 16);
  const text = Buffer.from(await readAt(file, PREFIX_BYTES, length)).toString("utf8");
  const parsed = heading.safeParse(JSON.parse(text));
  return parsed.success ? { heading: parsed.data, begin: PREFIX_BYTES + length } : undefined;
}

function placesOf({ sections }: Heading, begin: number): Record<Section, number> {
  let at = begin;
  const place = (name: Section) => {
    const found = at;
    at += sections[name];
    return found;
  };
  return {
    totals: place("totals"),
    partners: place("partners"),
    places: place("places"),
    chapter_partners: place("chapter_partners"),
    all_reporters: place("all_reporters"),
    confidential: place("confidential"),
  };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<ArrayBuffer> {
  const buffer = new ArrayBuffer(length);
  const view = new Uint8Array(buffer);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(view, done, length - done, position + done);
    if (bytesRead === 0) throw new Error("the file ends too early");
    done += bytesRead;
  }
  return buffer;
}
