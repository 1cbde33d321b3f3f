/** The digest of a partition's rows, which says the same of equal data whatever bytes DuckDB chose for them. */
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { literal, row, rows } from "./duckdb.ts";
import { spansOf } from "./spans.ts";

const CHAPTER = "reporter, hs2, flow, period, partner";

/** The text of so many rows lies on the disk at once, some 120 MB. */
const TEXT_AT_ONCE = 2_500_000;

/**
 * SHA-256 over the rows as text. A line is the columns joined by commas, an unknown mass empty; the lines of one
 * reporter and chapter, in the table's order, are joined by newlines and hashed; those hashes, in order, are hashed
 * for each of cells, aggregates and chapter_partners; the three and the hash of `spoken`, by lines, once more. The tables
 * were written in that order. `dir` takes a part of the text at a time: ordering it as strings in memory cost a quarter of an import.
 */
export async function contentDigest(
  connection: DuckDBConnection,
  dir: string,
  rows_at_once = TEXT_AT_ONCE,
): Promise<string> {
  const at = { dir, rows_at_once: Math.min(rows_at_once, TEXT_AT_ONCE) };
  const digests = [
    await tableDigest(connection, at, "cells", `${CHAPTER}, product`),
    await tableDigest(connection, at, "aggregates", `${CHAPTER}, product`),
    await tableDigest(connection, at, "chapter_partners", CHAPTER),
  ];
  const { spoken } = await row<{ spoken: string | null }>(
    connection,
    `select sha256(string_agg(concat_ws(',', reporter, flow, period, product, partner), chr(10)
       order by reporter, flow, period, product, partner)) as spoken from part.spoken`,
  );
  return sha256([...digests, ...(spoken === null ? [] : [spoken])].join(","));
}

type Chapter = { reporter: string; hs2: string; lines: number };

async function tableDigest(
  connection: DuckDBConnection,
  { dir, rows_at_once }: { dir: string; rows_at_once: number },
  table: string,
  columns: string,
): Promise<string> {
  const chapters = await rows<Chapter>(
    connection,
    `select reporter, hs2, count(*) as lines from part.${table} group by all order by all`,
  );
  const digests: string[] = [];
  const path = join(dir, `digest-${table}.csv`);
  for (const reporters of spansOf(byReporter(chapters), rows_at_once)) {
    const span = reporters.flatMap((group) => group.chapters);
    const [first, last] = [span[0]!.reporter, span.at(-1)!.reporter];
    // A scan keeps the order of rows when it is copied to a file, as order by rowid would.
    await connection.run(
      `copy (select ${columns}, value_eur, quantity_kg from part.${table}
         where reporter between ${literal(first)} and ${literal(last)})
       to ${literal(path)} (format csv, header false, delimiter ',', quote '', escape '', nullstr '')`,
    );
    digests.push(...(await chapterDigests(path, span)));
    await rm(path);
  }
  return digests.length > 0 ? sha256(digests.join("")) : "";
}

/** The chapters of each reporter: they stand in one text. */
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

/** The digest of each chapter's lines in a file that has the lines of these chapters, in this order. */
async function chapterDigests(path: string, chapters: readonly Chapter[]): Promise<string[]> {
  const digests: string[] = [];
  const begins = chapters.map(({ reporter, hs2 }) => Buffer.from(`${reporter},${hs2},`));
  let open: Hash | undefined;
  // Whole lines from `from` to `to`, the last newline left out.
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
      // Of a chapter that has begun, all up to the line that begins as the next one does.
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

/** A file in large pieces that end with a line. */
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
