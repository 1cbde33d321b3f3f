/**
 * Vintages as Parquet files, each created on first request and stored as long as its vintage:
 *
 *   <data dir>/snapshots/<vintage>.<sha256>.parquet   a snapshot under the digest of its bytes
 *   <data dir>/snapshots/making-<random>              one in progress; removed after a kill
 */

import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { syncFile } from "../../eventstore/system/sync-file.ts";
import { coreProblems } from "../core/model/problem.ts";
import { Refusal, refuse } from "../core/model/refusal.ts";
import { replayProblems } from "../domain/replay/problems.ts";
import { procedureDigits } from "../domain/trade/procedures.ts";
import { explainShortage, literal } from "./duckdb.ts";
import { fileDigest, type Manifest } from "./manifest.ts";
import type { Lease, OpenPartition, VintageStore } from "./vintage-store.ts";

/** A snapshot's columns in order, with their Parquet types. */
export const snapshotColumns = {
  reporter: "string",
  partner: "string",
  product: "string",
  flow: "string",
  period: "int32",
  value_eur: "int64",
  quantity_kg: "decimal(18,3)",
  is_aggregate: "boolean",
  unit: "string",
  quantity_in_units: "decimal(18,3)",
  inward_eur: "int64",
  inward_kg: "decimal(18,3)",
  outward_eur: "int64",
  outward_kg: "decimal(18,3)",
  other_eur: "int64",
  other_kg: "decimal(18,3)",
} as const;

/** A complete and checked snapshot file. */
export type Snapshot = { path: string; sha256: string; bytes: number };

/** Shorter than the usual timeout of proxies. */
const PATIENCE_MS = 50_000;

export const snapshotsDir = (dataDir: string) => join(dataDir, "snapshots");
const NAME = /^([0-9a-f]{64})\.([0-9a-f]{64})\.parquet$/;

export class SnapshotStore {
  readonly #options: { data_dir: string; vintages: VintageStore; patience_ms: number };
  readonly #making = new Map<string, Promise<Snapshot>>();
  /** Files whose bytes this process has checked against their names. */
  readonly #checked = new Map<string, Promise<Snapshot | undefined>>();
  readonly #stop = new AbortController();
  /** The last snapshot in progress: one at a time leaves capacity for other queries. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: { data_dir: string; vintages: VintageStore; patience_ms?: number }) {
    this.#options = { patience_ms: PATIENCE_MS, ...options };
  }

  /**
   * A vintage's snapshot, created if missing. A slow one is `unavailable` (snapshot-being-made), but its creation
   * continues.
   */
  async open(vintage: string, released_at: string): Promise<Snapshot> {
    const found = await this.#find(vintage);
    if (found) return found;
    let making = this.#making.get(vintage);
    if (!making) {
      making = this.#inTurn(() => this.#make(vintage, released_at)).finally(() =>
        this.#making.delete(vintage),
      );
      this.#making.set(vintage, making);
    }
    return withPatience(making, this.#options.patience_ms);
  }

  /** Interrupts the snapshot in progress. */
  async close(): Promise<void> {
    this.#stop.abort(new Refusal(coreProblems.busy, "the service is stopping", { retry_after_s: 1 }));
    await this.#last;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #find(vintage: string): Promise<Snapshot | undefined> {
    const dir = snapshotsDir(this.#options.data_dir);
    const names = await readdir(dir).catch(() => []);
    for (const name of names.filter((one) => NAME.exec(one)?.[1] === vintage)) {
      const path = join(dir, name);
      if (!this.#checked.has(path)) this.#checked.set(path, checked(path, NAME.exec(name)![2]!));
      const snapshot = await this.#checked.get(path);
      const bytes = await sizeOf(path);
      if (snapshot && snapshot.bytes === bytes) return snapshot;
      this.#checked.delete(path);
      await rm(path, { force: true });
    }
    return undefined;
  }

  async #make(vintage: string, released_at: string): Promise<Snapshot> {
    const { data_dir, vintages } = this.#options;
    const dir = snapshotsDir(data_dir);
    const draft = join(dir, `making-${randomBytes(8).toString("hex")}`);
    const lease = await vintages.leaseVintage(vintage);
    try {
      await mkdir(dir, { recursive: true });
      // Created first, so that a folder's error is not blamed on the vintage's files.
      await (await open(draft, "wx")).close();
      await lease.query(copySql(lease, draft, released_at), undefined, this.#stop.signal);
      await syncFile(draft);
      const sha256 = await fileDigest(draft);
      const path = join(dir, `${vintage}.${sha256}.parquet`);
      await rename(draft, path);
      await syncFile(dir);
      const snapshot = { path, sha256, bytes: (await stat(path)).size };
      this.#checked.set(path, Promise.resolve(snapshot));
      return snapshot;
    } catch (error) {
      return explainShortage(error, data_dir, { name: "DUCKDB_MEMORY_MB", mb: vintages.memory_mb });
    } finally {
      lease.release();
      await rm(draft, { force: true });
    }
  }
}

/** The file, if its bytes match its name. */
async function checked(path: string, sha256: string): Promise<Snapshot | undefined> {
  const found = await fileDigest(path).catch(() => undefined);
  const bytes = await sizeOf(path);
  return found === sha256 && bytes !== undefined ? { path, sha256, bytes } : undefined;
}

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );

async function withPatience<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((wake) => {
    timer = setTimeout(() => wake("late"), ms);
  });
  try {
    const first = await Promise.race([work, late]);
    if (first !== "late") return first;
  } finally {
    clearTimeout(timer);
  }
  work.catch(() => undefined);
  return refuse(
    replayProblems["snapshot-being-made"],
    "the snapshot is being made, and nothing was charged: request it again later",
    {
      retry_after_s: 30,
    },
  );
}

/** One file over all partitions in order, with its description in the key-value metadata. */
function copySql(lease: Lease, draft: string, released_at: string): string {
  const { dataset, vintage, source, synthetic }: Manifest = lease.manifest;
  const facts = { dataset, vintage, source, synthetic: String(synthetic), released_at };
  const metadata = Object.entries(facts).map(([name, value]) => `${name}: ${literal(value)}`);
  return `copy (${lease.partitions.map(recordsOf).join(" union all ")}) to ${literal(draft)}
    (format parquet, compression zstd, use_tmp_file false, kv_metadata {${metadata.join(", ")}})`;
}

/** A year's rows as detailed as the source; chapters without finer rows have two digits. */
function recordsOf(partition: OpenPartition): string {
  const { database } = partition;
  const columns = (product: string, is_aggregate: boolean, details = noDetails) =>
    `select reporter, partner, ${product} as product, flow, period::integer as period, value_eur, quantity_kg,
       ${is_aggregate} as is_aggregate, ${details.join(", ")}`;
  const detailed = (table: string) => `${database}.${table} rows ${detailsOf(partition)}`;
  return `${columns("product", false, details)} from ${detailed("cells")}
    union all ${columns("hs2", false)} from ${database}.chapter_partners
      where hs2 not in (select distinct hs2 from ${database}.cells)
    union all ${columns("product", true, details)} from ${detailed("aggregates")}`;
}

const AMOUNTS = ["inward", "outward", "other"].flatMap((name) => [
  { name: `${name}_eur`, type: "bigint" },
  { name: `${name}_kg`, type: "decimal(18, 3)" },
]);
const details = ["unit", "quantity_in_units", ...AMOUNTS.map(({ name }) => name)];
const noDetails = [
  "null::varchar as unit",
  "null::decimal(18, 3) as quantity_in_units",
  ...AMOUNTS.map(({ name, type }) => `null::${type} as ${name}`),
];

/**
 * Joins units and procedures to `rows`. A product of several units in a month has none; a procedure's amounts are null
 * in months that state no procedures, and 0 EUR where they state others.
 */
function detailsOf({ database, filled }: OpenPartition): string {
  const key = "reporter, flow, period, partner, product";
  const { normal, inward, outward } = procedureDigits;
  const isOf = {
    inward: `procedure = ${inward}`,
    outward: `procedure = ${outward}`,
    other: `procedure not in (${normal}, ${inward}, ${outward})`,
  };
  const of = (table: keyof typeof EMPTY) =>
    filled.has(table) ? `${database}.${table}` : `(select * from ${EMPTY[table]} where false)`;
  const sums = Object.entries(isOf).map(
    ([name, condition]) =>
      `(sum(value_eur) filter (${condition}))::bigint as of_${name}_eur,
       (sum(quantity_kg) filter (${condition}))::decimal(18, 3) as of_${name}_kg`,
  );
  // A cell of one procedure names it; a cell of several has rows in the table of procedures.
  const procedure = filled.has("procedure_months") ? "rows.procedure" : "null::utinyint";
  const amounts = Object.entries(isOf).flatMap(([name, condition]) => {
    const isWhole = condition.replace("procedure", procedure);
    return [
      `if(months.period is null, null, if(${isWhole}, value_eur, coalesce(of_${name}_eur, 0)))::bigint as ${name}_eur`,
      `if(${isWhole}, quantity_kg, of_${name}_kg)::decimal(18, 3) as ${name}_kg`,
    ];
  });
  const quantity = filled.has("units") ? "quantity_su" : "null";
  return `left join (
      select product, period, min(unit) as unit, true as is_single from ${of("units")} group by all having count(*) = 1
    ) units using (product, period)
    left join (select ${key}, ${sums.join(", ")} from ${of("procedures")} group by all) procedures using (${key})
    left join ${of("procedure_months")} months using (reporter, flow, period),
    lateral (select if(is_single, ${quantity}, null)::decimal(18, 3) as quantity_in_units, ${amounts.join(", ")}) named`;
}

/** Typed rows in place of a table that a partition does not have. */
const EMPTY = {
  units: "(select '' as product, 0 as period, '' as unit)",
  procedures: `(select '' as reporter, '' as flow, 0 as period, '' as partner, '' as product, 0 as procedure,
    0::bigint as value_eur, 0::decimal(18, 3) as quantity_kg)`,
  procedure_months: "(select '' as reporter, '' as flow, 0 as period)",
};

/** Deletes the snapshots of vintages that are not in `keep`, and abandoned drafts; files younger than a day stay. */
export async function sweepSnapshots(dataDir: string, keep: ReadonlySet<string>, now: Date): Promise<number> {
  const cutoff = now.getTime() - 86_400_000;
  const dir = snapshotsDir(dataDir);
  let swept = 0;
  for (const name of await readdir(dir).catch(() => [])) {
    const vintage = NAME.exec(name)?.[1];
    const path = join(dir, name);
    if ((vintage !== undefined && keep.has(vintage)) || (await stat(path)).mtimeMs > cutoff) continue;
    await rm(path, { force: true });
    swept++;
  }
  return swept;
}
