/**
 * A folder of packs, one for each run, and their list. A run adds the new events; each pack is on disk before the list names it,
 * so a killed run leaves a valid list.
 */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { syncFile } from "../system/sync-file.ts";
import { type EvidenceSource, exportFile } from "./export.ts";
import { makeFolder } from "./folder.ts";

/** A segment or an export of whole commits (docs/event-log.md). */
export type BackupPack = {
  file: string;
  first: number;
  last: number;
  /** The hash of the last event, in hex; the next pack begins with it. */
  log_hash: string;
  sha256: string;
  bytes: number;
};

export type Backup = { format: "tallystick-backup/1"; origin: string; packs: BackupPack[] };

/** Replaces a pack; `log_hash` is the last event's. */
export type BackupSegment = Omit<BackupPack, "file"> & {
  /** The path is a new file. */
  write(path: string): Promise<void>;
};

export type BackupOptions = {
  log_id: number;
  /** Contiguous, from position 1 on. */
  segments?: readonly BackupSegment[];
  beside?: EvidenceSource;
  progress?: (done: number, total: number) => void;
};

const LIST = "backup.json";
const HASH = /^[0-9a-f]{64}$/;
const FILE = /^log-\d{1,16}-\d{1,16}-[0-9a-f]{16}\.(ndjson\.gz|parquet)$/;
/** Left by a killed run. */
const ASIDE = /^[0-9a-f-]{36}\.(ndjson\.gz|parquet|json)$/;

export const isSegment = ({ file }: Pick<BackupPack, "file">): boolean => file.endsWith(".parquet");

/** Undefined without a backup. Throws RangeError on an invalid list. */
export async function readBackup(folder: string): Promise<Backup | undefined> {
  const text = await readFile(join(folder, LIST), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const backup = parsed(text);
  if (backup === undefined) throw new RangeError(`${join(folder, LIST)} is not a list of a backup`);
  return backup;
}

/** Returns the backup and the number of new events. Throws RangeError where the folder has another history. */
export async function addToBackup(
  pool: pg.Pool,
  folder: string,
  options: BackupOptions,
): Promise<{ backup: Backup; added: number }> {
  const { log_id } = options;
  const { rows } = await pool.query<{ origin: string; head: string }>(
    `select origin, coalesce((select max(position) from eventstore.events where log_id = $1), 0)::text as head
       from eventstore.logs where log_id = $1`,
    [log_id],
  );
  const [log] = rows;
  if (!log) throw new RangeError(`there is no log ${log_id}`);
  const before = (await readBackup(folder)) ?? {
    format: "tallystick-backup/1",
    origin: log.origin,
    packs: [],
  };
  if (before.origin !== log.origin)
    throw new RangeError(
      `${folder} holds ${before.origin}, and this log is ${log.origin}: name another folder`,
    );
  await refuseOtherHistory(pool, folder, log_id, before.packs.at(-1));
  const segments = (options.segments ?? []).map((segment) => ({ segment, pack: packOf(segment, "parquet") }));
  const sealed = segments.at(-1)?.pack.last ?? 0;
  const known = new Set(before.packs.map(({ file }) => file));
  const missing = segments.filter(({ pack }) => !known.has(pack.file));
  // Segments replace packs with the same events; a pack that continues beyond them is rewritten from there.
  const kept = before.packs.filter((pack) => !isSegment(pack) && pack.first > sealed);
  const following = kept[0]?.first === sealed + 1 ? kept : [];
  const after = following.at(-1)?.last ?? sealed;
  if (missing.length === 0 && Number(log.head) === after) return { backup: before, added: 0 };
  await makeFolder(folder);
  for (const { segment, pack } of missing) await writeFileOf(folder, pack, segment);
  const packs = [...segments.map(({ pack }) => pack), ...following];
  if (Number(log.head) > after) packs.push(await writeRest(pool, folder, after, Number(log.head), options));
  const backup: Backup = { ...before, packs };
  await writeList(folder, backup);
  await removeOthers(folder, backup);
  return { backup, added: (packs.at(-1)?.last ?? 0) - (before.packs.at(-1)?.last ?? 0) };
}

const packOf = (
  { first, last, log_hash, sha256, bytes }: Omit<BackupPack, "file">,
  form: string,
): BackupPack => ({
  file: `log-${first}-${last}-${sha256.slice(0, 16)}.${form}`,
  ...{ first, last, log_hash, sha256, bytes },
});

async function writeFileOf(folder: string, pack: BackupPack, { write }: BackupSegment): Promise<void> {
  const aside = join(folder, `${randomUUID()}.parquet`);
  try {
    await write(aside);
    const { sha256 } = await digestOf(aside);
    if (sha256 !== pack.sha256) throw new RangeError(`the segment ${pack.file} has the SHA-256 ${sha256}`);
    await syncFile(aside);
    await rename(aside, join(folder, pack.file));
  } finally {
    await rm(aside, { force: true });
  }
}

async function writeRest(
  pool: pg.Pool,
  folder: string,
  after: number,
  to: number,
  { log_id, beside, progress }: BackupOptions,
): Promise<BackupPack> {
  const aside = join(folder, `${randomUUID()}.ndjson.gz`);
  try {
    const report = (done: number) => progress?.(Math.min(done, to - after), to - after);
    const { head } = await exportFile(pool, { log_id, from: after + 1, beside, progress: report }, aside);
    const facts = { first: after + 1, last: head.position, log_hash: head.hash, ...(await digestOf(aside)) };
    const pack = packOf(facts, "ndjson.gz");
    await syncFile(aside);
    await rename(aside, join(folder, pack.file));
    return pack;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Files that the list no longer names. */
async function removeOthers(folder: string, { packs }: Backup): Promise<void> {
  const named = new Set(packs.map(({ file }) => file));
  for (const name of await readdir(folder))
    if ((FILE.test(name) && !named.has(name)) || ASIDE.test(name))
      await rm(join(folder, name), { force: true });
}

async function refuseOtherHistory(
  pool: pg.Pool,
  folder: string,
  log_id: number,
  pack?: BackupPack,
): Promise<void> {
  if (!pack) return;
  const { rows } = await pool.query<{ hash: string }>(
    "select encode(log_hash, 'hex') as hash from eventstore.events where log_id = $1 and position = $2",
    [log_id, pack.last],
  );
  if (rows[0]?.hash !== pack.log_hash)
    throw new RangeError(
      `${folder} holds ${pack.last} events that this log lacks: it was cut or rewritten; keep the folder, and name another one`,
    );
}

async function writeList(folder: string, backup: Backup): Promise<void> {
  const aside = join(folder, `${randomUUID()}.json`);
  await writeFile(aside, `${JSON.stringify(backup, null, 2)}\n`, { flag: "wx", flush: true });
  await rename(aside, join(folder, LIST));
  await syncFile(folder);
}

/** SHA-256 in hex. */
export async function digestOf(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return { sha256: hash.digest("hex"), bytes: (await stat(path)).size };
}

function parsed(text: string): Backup | undefined {
  try {
    const { format, origin, packs } = JSON.parse(text) as Record<string, unknown>;
    if (format !== "tallystick-backup/1" || typeof origin !== "string" || !Array.isArray(packs))
      return undefined;
    return packs.every(isPack) ? { format, origin, packs } : undefined;
  } catch {
    return undefined;
  }
}

function isPack(value: unknown, index: number, all: readonly unknown[]): value is BackupPack {
  if (typeof value !== "object" || value === null) return false;
  const { file, first, last, log_hash, sha256, bytes } = value as Record<string, unknown>;
  const follows = index === 0 ? 1 : Number((all[index - 1] as BackupPack).last) + 1;
  return (
    typeof file === "string" &&
    // A name must not leave the folder.
    FILE.test(file) &&
    first === follows &&
    Number.isSafeInteger(last) &&
    (last as number) >= follows &&
    typeof log_hash === "string" &&
    HASH.test(log_hash) &&
    typeof sha256 === "string" &&
    HASH.test(sha256) &&
    Number.isSafeInteger(bytes)
  );
}
