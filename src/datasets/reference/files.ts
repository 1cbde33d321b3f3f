/**
 * Vintages of reference tables on disk: DATA_DIR/reference/<vintage>.ndjson.gz. The text begins with a line that
 * describes it, then has one row per line, sorted by the table's key. The vintage is the SHA-256 of that text:
 *
 *   gunzip -c <vintage>.ndjson.gz | sha256sum
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { z } from "zod";
import { syncFile } from "../../../eventstore/system/sync-file.ts";
import { refuse } from "../../core/model/refusal.ts";
import { explainShortage } from "../duckdb.ts";
import { missing } from "../manifest.ts";
import type { Reference, ReferenceTable } from "./table.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const heading = z.strictObject({
  format: z.literal("TS/REFERENCE/1"),
  dataset: z.string(),
  source: z.string(),
  synthetic: z.boolean(),
  as_of: z.string().nullable(),
  rows: z.int(),
});

const referenceDir = (dataDir: string) => join(dataDir, "reference");
export const referencePath = (dataDir: string, vintage: string) =>
  join(referenceDir(dataDir), `${vintage}.ndjson.gz`);

/** A table's rows as the stored text, with its digest; refuses two rows with one key. */
export function textOfTable<Row extends object>(
  table: ReferenceTable<Row>,
  about: Pick<Reference<Row>, "dataset" | "source" | "synthetic">,
  given: readonly Row[],
): { reference: Reference<Row>; text: string } {
  const keyed = given.map((row) => ({ key: table.key(row), row: table.row.parse(row) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const twice = keyed.find(({ key }, at) => key === keyed[at - 1]?.key);
  if (twice) refuse("invalid", `${table.name}: ${twice.key} occurs twice; nothing was imported`);
  const rows = keyed.map(({ row }) => row);
  const { dataset, source, synthetic } = about;
  const as_of = table.as_of(rows);
  const head = { format: "TS/REFERENCE/1", dataset, source, synthetic, as_of, rows: rows.length };
  const text = [head, ...rows].map((line) => `${JSON.stringify(line)}\n`).join("");
  return { reference: { dataset, source, synthetic, as_of, vintage: digestOf(text), rows }, text };
}

/** Writes the text under its name, atomically. */
export async function storeText(dataDir: string, vintage: string, text: string): Promise<void> {
  const path = referencePath(dataDir, vintage);
  const draft = `${path}.${process.pid}.draft`;
  try {
    await mkdir(referenceDir(dataDir), { recursive: true });
    await writeFile(draft, await compress(text), { flush: true });
    await rename(draft, path);
    await syncFile(referenceDir(dataDir));
  } catch (error) {
    await rm(draft, { force: true });
    explainShortage(error, dataDir);
  }
}

/** True if the vintage's file exists. */
export const isStored = (dataDir: string, vintage: string): Promise<boolean> =>
  stat(referencePath(dataDir, vintage)).then(
    (found) => found.isFile(),
    () => false,
  );

/** Rows parsed per tick, so that a large table does not block the event loop. */
const AT_ONCE = 1_000;

/** A stored table; `unavailable` (dataset-missing) if the file is missing or does not match its name. */
export async function readReference<Row extends object>(
  dataDir: string,
  vintage: string,
): Promise<Reference<Row>> {
  const path = referencePath(dataDir, vintage);
  const packed = await readFile(path).catch(() => missing(vintage, `${path} cannot be read`));
  const bytes = await decompress(packed).catch(() => missing(vintage, `${path} is damaged`));
  if (digestOf(bytes) !== vintage) missing(vintage, `${path} does not match its digest`);
  const lines = bytes.toString().split("\n").slice(0, -1);
  const head = heading.safeParse(JSON.parse(lines[0] ?? "null"));
  if (!head.success) return missing(vintage, `${path} is of another format`);
  const rows: Row[] = [];
  for (let at = 1; at < lines.length; at += AT_ONCE) {
    for (const line of lines.slice(at, at + AT_ONCE)) rows.push(JSON.parse(line) as Row);
    await new Promise((turn) => setImmediate(turn));
  }
  const { dataset, source, synthetic, as_of } = head.data;
  return { dataset, source, synthetic, as_of, vintage, rows };
}

/** Files younger than this stay: they may belong to a release in progress. */
const GRACE_MS = 86_400_000;

/** Deletes the vintages that are not in `keep`. */
export async function sweepReferences(dataDir: string, keep: ReadonlySet<string>, now: Date): Promise<void> {
  for (const name of await readdir(referenceDir(dataDir)).catch(() => [])) {
    const vintage = /^([0-9a-f]{64})\.ndjson\.gz/.exec(name)?.[1];
    const isNeeded = vintage !== undefined && name.endsWith(".gz") && keep.has(vintage);
    const path = join(referenceDir(dataDir), name);
    if (isNeeded || (await stat(path)).mtimeMs > now.getTime() - GRACE_MS) continue;
    await rm(path, { force: true });
  }
}

const digestOf = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
