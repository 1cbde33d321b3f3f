/** The digest of a partition's rows: equal for equal data, whatever bytes DuckDB chose. */
import { createHash, type Hash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { literal, row, rows } from "./duckdb.ts";
import { spansOf } from "./spans.ts";

const CHAPTER = "reporter, hs2, flow, period, partner";
const AMOUNTS = "value_eur, quantity_kg";

/** Rows whose text is on disk at once, some 120 MB. */
const TEXT_AT_ONCE = 2_500_000;

/**
 * SHA-256 over the rows as text. A line is the columns joined by commas, an unknown mass empty. The lines of one
 * reporter and chapter, in the table's order, are joined by newlines and hashed. Those hashes, in order, are hashed
 * per table: cells, aggregates and chapter_partners. These three, the hash of `spoken`'s lines, and those of the
 * tables in `details` that have rows, each after its name and a colon, are hashed once more. With `details`, lines of
 * cells and aggregates go on with quantity_su, unit_eur and procedure. The tables were written in that order. `dir` gets
 * a part of the text at a time: sorting strings in memory took a quarter of an import.
 */
export async function contentDigest(
  connection: DuckDBConnection,
  database: string,
  dir: string,
  rows_at_once = TEXT_AT_ONCE,
  details: Readonly<Record<string, string>> = {},
): Promise<string> {
  const at = { database, dir, rows_at_once: Math.min(rows_at_once, TEXT_AT_ONCE) };
  const amounts = Object.keys(details).length > 0 ? `${AMOUNTS}, quantity_su, unit_eur, procedure` : AMOUNTS;
  const digests = [
    await tableDigest(connection, at, "cells", `${CHAPTER}, product, ${amounts}`),
    await tableDigest(connection, at, "aggregates", `${CHAPTER}, product, ${amounts}`),
    await tableDigest(connection, at, "chapter_partners", `${CHAPTER}, ${AMOUNTS}`),
  ];
  const { spoken } = await row<{ spoken: string | null }>(
    connection,
    `select sha256(string_agg(concat_ws(',', reporter, flow, period, product, partner), chr(10)
       order by reporter, flow, period, product, partner)) as spoken from ${database}.spoken`,
  );
  const detailed: string[] = [];
  for (const [table, columns] of Object.entries(details)) {
    const digest = columns.includes("hs2")
      ? await tableDigest(connection, at, table, columns)
      : await lineDigest(connection, database, table, columns);
    if (digest !== "") detailed.push(`${table}:${digest}`);
  }
  return sha256([...digests, ...(spoken === null ? [] : [spoken]), ...detailed].join(","));
}

/** The digest of a small table's lines, in their order. */
async function lineDigest(
  connection: DuckDBConnection,
  database: string,
  table: string,
  columns: string,
): Promise<string> {
  const { digest } = await row<{ digest: string | null }>(
    connection,
    `select sha256(string_agg(concat_ws(',', ${columns}), chr(10) order by ${columns})) as digest from ${database}.${table}`,
  );
  return digest ?? "";
}

type Chapter = { reporter: string; hs2: string; lines: number };

async function tableDigest(
  connection: DuckDBConnection,
  { database, dir, rows_at_once }: { database: string; dir: string; rows_at_once: number },
  table: string,
  columns: string,
): Promise<string> {
  const chapters = await rows<Chapter>(
    connection,
    `select reporter, hs2, count(*) as lines from ${database}.${table} group by all order by all`,
  );
  const digests: string[] = [];
  // Another year may be digested at the same time.
  const path = join(dir, `digest-${randomUUID()}.csv`);
  for (const reporters of spansOf(byReporter(chapters), rows_at_once)) {
    const span = reporters.flatMap((group) => group.chapters);
    const [first, last] = [span[0]!.reporter, span.at(-1)!.reporter];
    // A scan copied to a file preserves the row order, as ordering by rowid would.
    await connection.run(
      `copy (select ${columns} from ${database}.${table}
         where reporter between ${literal(first)} and ${literal(last)})
       to ${literal(path)} (format csv, header false, delimiter ',', quote '', escape '', nullstr '')`,
    );
    digests.push(...(await chapterDigests(path, span)));
    await rm(path);
  }
  return digests.length > 0 ? sha256(digests.join("")) : "";
}

/** A reporter's chapters share one text. */
function byReporter(chapters: readonly Chapter[]): { chapters: Chapter[]; lines: number }[] {
  const groups: { chapters: Chapter[]; lines: number }[] = [];
  for (const chapter of chapters) {
    const open = groups.at(-1);
    if (open?.chapters[0]?.reporter === chapter.reporter) {
      open.chapters.push(chapter);
      open.lines += chapter.lines;
    } else groups.push({ chapters: [chapter], lines: chapter.lines });
  }
  return groups;
}

const NEWLINE = 10;

/** The digests of these chapters, in order, from a file with their lines. */
async function chapterDigests(path: string, chapters: readonly Chapter[]): Promise<string[]> {
  const digests: string[] = [];
  const begins = chapters.map(({ reporter, hs2 }) => Buffer.from(`${reporter},${hs2},`));
  let open: Hash | undefined;
  // Whole lines from `from` to `to`, without the last newline.
  const add = (lines: Buffer) => {
    if (open) open.update("\n");
    open ??= createHash("sha256");
    open.update(lines);
  };
  const close = () => {
    if (!open) throw new Error(`no line of a chapter: ${begins[digests.length]}`);
    digests.push(open.digest("hex"));
    open = undefined;
  };
  for await (const lines of wholeLines(path)) {
    let at = 0;
    while (at < lines.length) {
      const next = begins[digests.length + 1];
      // The open chapter ends at the line that begins like the next one.
      if (next && open && lines.subarray(at, at + next.length).equals(next)) close();
      const following = begins[digests.length + 1];
      const end = following ? lines.indexOf(Buffer.concat([Buffer.from("\n"), following]), at) : -1;
      add(lines.subarray(at, end === -1 ? lines.length - 1 : end));
      if (end === -1) break;
      at = end + 1;
    }
  }
  close();
  if (digests.length !== chapters.length)
    throw new Error(`${digests.length} of ${chapters.length} chapters were found`);
  return digests;
}

/** Chunks that end with a line. */
async function* wholeLines(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 22 })) {
    const all = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    const end = all.lastIndexOf(NEWLINE) + 1;
    rest = all.subarray(end);
    if (end > 0) yield all.subarray(0, end);
  }
  if (rest.length > 0) throw new Error(`${path} ends within a line`);
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
