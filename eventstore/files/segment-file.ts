/**
 * A segment of the log as a Parquet file (docs/event-log.md, section 11). The same events give the same bytes. Written and read
 * in groups of rows.
 */
import { isUtf8 } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
} from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { StoredRow } from "../verify/stored-rows.ts";

/** `first` and `last` are positions, the hash is in hex. */
export type SegmentFacts = { origin: string; first: number; last: number; previous_log_hash: string };

/** Names the position where reading failed. */
export class SegmentUnreadable extends Error {
  override readonly name = "SegmentUnreadable";
}

const FORMAT = "tallystick-segment/1";
/** Bounds the memory for one row group. */
const GROUP_ROWS = 512;
const GROUP_BYTES = 8 * 1024 * 1024;
/** Bounds a stranger's file. */
const MOST_GROUP_ROWS = 65_536;
const MOST_GROUP_BYTES = 512 * 1024 * 1024;
const HASH = /^[0-9a-f]{64}$/;

const text = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } } as const;
const bytes = { type: "BYTE_ARRAY" } as const;
const hash = { type: "FIXED_LEN_BYTE_ARRAY", type_length: 32 } as const;
const int64 = { type: "INT64" } as const;
const int32 = { type: "INT32" } as const;

/** In the order of docs/event-log.md, section 5. */
const COLUMNS: { [name in keyof StoredRow]: Omit<SchemaElement, "name"> } = {
  position: int64,
  tenant: text,
  stream_id: text,
  version: int64,
  event_id: { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16, logical_type: { type: "UUID" } },
  type: text,
  schema_version: int32,
  recorded_at_us: int64,
  payload: bytes,
  meta: bytes,
  payload_hash: hash,
  meta_hash: hash,
  prev_hash: hash,
  event_hash: hash,
  log_hash: hash,
  idem_key: text,
  request_hash: hash,
  commit_size: int32,
};
const NULLABLE: ReadonlySet<string> = new Set(["idem_key", "request_hash", "commit_size"]);
const NAMES = Object.keys(COLUMNS) as (keyof StoredRow)[];
const SCHEMA: SchemaElement[] = [
  { name: "segment", num_children: NAMES.length },
  ...NAMES.map((name) => ({
    name,
    repetition_type: NULLABLE.has(name) ? ("OPTIONAL" as const) : ("REQUIRED" as const),
    ...COLUMNS[name],
  })),
];

/** The rows must match the facts and their order; the file is new. */
export async function writeSegment(
  path: string,
  facts: SegmentFacts,
  pages: AsyncIterable<readonly StoredRow[]>,
): Promise<void> {
  const file = await open(path, "wx");
  try {
    const own = {
      format: FORMAT,
      origin: facts.origin,
      first_position: facts.first,
      last_position: facts.last,
    };
    const header = { ...own, previous_log_hash: facts.previous_log_hash };
    const writer = new ParquetWriter({
      writer: flushedTo(file),
      schema: SCHEMA,
      statistics: false,
      createdBy: "tallystick",
      kvMetadata: Object.entries(header).map(([key, value]) => ({ key, value: String(value) })),
    });
    for await (const group of groupsOf(pages)) {
      const columnData = NAMES.map((name) => ({
        name,
        data: group.map((row) => written(name, row)),
        offsetIndex: false,
      }));
      await writer.write({ columnData, rowGroupSize: group.length });
    }
    await writer.finish();
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Independent of the pages, so that the file is deterministic. */
async function* groupsOf(pages: AsyncIterable<readonly StoredRow[]>): AsyncGenerator<StoredRow[]> {
  let group: StoredRow[] = [];
  let size = 0;
  for await (const page of pages)
    for (const row of page) {
      const more = row.payload.length + row.meta.length;
      if (group.length === GROUP_ROWS || (group.length > 0 && size + more > GROUP_BYTES)) {
        yield group;
        [group, size] = [[], 0];
      }
      group.push(row);
      size += more;
    }
  if (group.length > 0) yield group;
}

/** Flushes after each group, to bound memory. */
function flushedTo(file: FileHandle): ByteWriter {
  const writer = new ByteWriter();
  const flush = async () => {
    await file.appendFile(new Uint8Array(writer.buffer, 0, writer.index));
    writer.index = 0;
  };
  return Object.assign(writer, { flush, finish: flush });
}

function written(name: keyof StoredRow, row: StoredRow): unknown {
  const value = row[name];
  if (value === null) return undefined;
  if (name === "event_id") return value;
  const { type } = COLUMNS[name];
  if (type === "INT64") return BigInt(value as string);
  return type === "INT32" ? Number(value) : value;
}

export type OpenSegment = {
  facts: SegmentFacts;
  /** As the database has them. Throws SegmentUnreadable. */
  pages(): AsyncGenerator<StoredRow[]>;
  close(): Promise<void>;
};

/** Does not verify the events. Throws SegmentUnreadable. */
export async function openSegment(path: string): Promise<OpenSegment> {
  const unreadable = (error: unknown, from?: number): never => {
    const place = from === undefined ? "" : ` from position ${from} on`;
    throw new SegmentUnreadable(`${path} cannot be read${place}: ${(error as Error).message}`);
  };
  const handle = await open(path).catch(unreadable);
  try {
    const file = await bufferOf(handle);
    const metadata = await parquetMetadataAsync(file);
    const facts = factsOf(metadata);
    return {
      facts,
      close: () => handle.close(),
      async *pages() {
        let rowStart = 0;
        for (const group of metadata.row_groups) {
          const rowEnd = rowStart + Number(group.num_rows);
          yield await readGroup(file, metadata, rowStart, rowEnd).catch((error) =>
            unreadable(error, facts.first + rowStart),
          );
          rowStart = rowEnd;
        }
      },
    };
  } catch (error) {
    await handle.close();
    return unreadable(error);
  }
}

async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
    async slice(start, end = size) {
      const from = start < 0 ? size + start : start;
      const into = new Uint8Array(Math.max(0, Math.min(end, size) - from));
      for (let at = 0; at < into.length; ) {
        const { bytesRead } = await handle.read(into, at, into.length - at, from + at);
        if (bytesRead === 0) throw new Error("it ends before its end");
        at += bytesRead;
      }
      return into.buffer;
    },
  };
}

function factsOf({ schema, key_value_metadata = [], row_groups }: FileMetaData): SegmentFacts {
  const seen = new Map(key_value_metadata.map(({ key, value }) => [key, value]));
  if (seen.get("format") !== FORMAT) throw new Error(`its metadata has no format ${FORMAT}`);
  const form = (one: SchemaElement) =>
    [one.name, one.type, one.type_length, one.repetition_type, one.num_children].join(" ");
  if (schema.map(form).join() !== SCHEMA.map(form).join())
    throw new Error("its columns are not those of a segment");
  for (const { num_rows, total_byte_size } of row_groups)
    if (num_rows < 1 || num_rows > MOST_GROUP_ROWS || total_byte_size > MOST_GROUP_BYTES)
      throw new Error(`a group has ${num_rows} rows and ${total_byte_size} bytes: too many, or none`);
  const origin = seen.get("origin") ?? "";
  const previous_log_hash = seen.get("previous_log_hash") ?? "";
  const [first, last] = ["first_position", "last_position"].map((name) => Number(seen.get(name)));
  if (origin === "" || !HASH.test(previous_log_hash))
    throw new Error("its metadata names no origin or no hash");
  if (!Number.isSafeInteger(first) || first! < 1 || !Number.isSafeInteger(last) || last! < first!)
    throw new Error("its metadata names no positions");
  const rows = row_groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0);
  if (rows !== last! - first! + 1)
    throw new Error(`it has ${rows} rows for the positions ${first} to ${last}`);
  return { origin, first: first!, last: last!, previous_log_hash };
}

type ReadRow = { [name in keyof StoredRow]: string | number | bigint | Uint8Array | null | undefined };

async function readGroup(
  file: AsyncBuffer,
  metadata: FileMetaData,
  rowStart: number,
  rowEnd: number,
): Promise<StoredRow[]> {
  const options = { file, metadata, rowStart, rowEnd, utf8: false, parsers: { stringFromBytes: strictText } };
  const rows = (await parquetReadObjects(options)) as ReadRow[];
  if (rows.length !== rowEnd - rowStart)
    throw new Error(`${rows.length} rows, expected ${rowEnd - rowStart}`);
  return rows.map(readRow);
}

/** Decoding invalid UTF-8 would change the text. */
function strictText(read: Uint8Array | undefined): string {
  if (!isUtf8(read!)) throw new Error("a text is not UTF-8");
  return Buffer.from(read!.buffer, read!.byteOffset, read!.length).toString("utf8");
}

function readRow(row: ReadRow): StoredRow {
  const read: Record<string, unknown> = {};
  for (const name of NAMES) {
    const value = row[name];
    if (value === null || value === undefined) {
      if (!NULLABLE.has(name)) throw new Error(`${name} is null`);
      read[name] = null;
    } else if (value instanceof Uint8Array) {
      if (name === "payload" || name === "meta") strictText(value);
      read[name] = Buffer.from(value.buffer, value.byteOffset, value.length);
    } else read[name] = String(value);
  }
  return read as StoredRow;
}
