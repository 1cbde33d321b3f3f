/**
 * The vintages that a process serves. One in-memory DuckDB attaches their partitions read-only, each once for all
 * vintages that share it. Readers lease a vintage. A replaced one stays attached until its last lease ends, so a
 * swap blocks nobody and no answer mixes two vintages.
 */

import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { coreProblems } from "../core/model/problem.ts";
import { Refusal, refuse } from "../core/model/refusal.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import type { ExpectedDataset } from "./builds.ts";
import {
  type DuckdbLimits,
  interruptible,
  isFullDisk,
  literal,
  openDuckdb,
  type Params,
  rows,
} from "./duckdb.ts";
import {
  type Manifest,
  missing,
  type PartitionEntry,
  partitionPath,
  readManifest,
  verifyPartition,
} from "./manifest.ts";
import { rollupPath, rollupsDir } from "./rollups/file.ts";
import { makeRollup } from "./rollups/make.ts";
import { YearRollup } from "./rollups/year.ts";

export type StoreOptions = DuckdbLimits & {
  dataDir: string;
  /** Concurrent queries; more wait. DuckDB uses libuv's threads, so this is below their number. */
  max_queries?: number;
  /** Queries that may wait before further ones are refused. */
  max_waiting?: number;
};

const MAX_WAITING = 1_000;

/** A partition's name in queries, its tables that have rows, and its roll-up if any. */
export type OpenPartition = {
  year: number;
  database: string;
  filled: ReadonlySet<string>;
  rollup: YearRollup | undefined;
};

/** Real datasets that are loaded where the sandbox answers, each with the reason why it does not. */
export type RealData = readonly { dataset: string; why: string }[];

/** A vintage that does not change until it is released. */
export type Lease = {
  manifest: Manifest;
  real_data?: RealData | undefined;
  partitions: OpenPartition[];
  query<Row>(sql: string, params?: Params, signal?: AbortSignal): Promise<Row[]>;
  release(): void;
};

/** The source of answers: the served vintages, or those that a request names. */
export type Vintages = Pick<VintageStore, "open" | "awaited" | "lease">;

/** Past vintages that stay open until others replace them, because checking their files takes seconds. */
const MOST_PAST = 4;

type AttachedPartition = {
  database: string;
  holders: number;
  ready: Promise<ReadonlySet<string>>;
  rollup?: Promise<YearRollup | undefined>;
};
type ServedVintage = { manifest: Manifest; partitions: OpenPartition[]; holders: number };

export class VintageStore {
  readonly #options: Required<StoreOptions>;
  #instance: Promise<DuckDBInstance> | undefined;
  readonly #idle: DuckDBConnection[] = [];
  readonly #waiting: { start: () => void; fail: (error: Error) => void }[] = [];
  readonly #attached = new Map<string, AttachedPartition>();
  /** Files that are being detached: DuckDB does not attach a file twice. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #served = new Map<string, ServedVintage>();
  readonly #expected = new Map<string, ExpectedDataset>();
  /** The last requested one comes last. */
  readonly #past = new Map<string, Promise<ServedVintage>>();
  #running = 0;
  #named = 0;
  #closed = false;
  #ended: () => void = () => {};

  constructor(options: StoreOptions) {
    this.#options = { max_queries: options.threads, max_waiting: MAX_WAITING, ...options };
  }

  /** The memory limit of its queries. */
  get memory_mb(): number {
    return this.#options.memory_mb;
  }

  /** The served manifests, one per dataset. */
  open(): Manifest[] {
    return [...this.#served.values()].map(({ manifest }) => manifest);
  }

  /** Announces datasets to be served. */
  expect(datasets: readonly ExpectedDataset[]): void {
    for (const expected of datasets) {
      const known = this.#expected.get(expected.dataset);
      const released = expected.released || (known?.released ?? false);
      this.#expected.set(expected.dataset, { ...known, ...expected, released });
    }
  }

  /** The announced datasets that are not served: they are being built or opened, or their files are missing. */
  awaited(): ExpectedDataset[] {
    return [...this.#expected.values()].filter(({ dataset }) => !this.#served.has(dataset));
  }

  /**
   * Opens a vintage, checking each file against its digest, and serves it instead of its dataset's earlier one.
   * Missing roll-ups are created. `unavailable` (dataset-missing) leaves the earlier one.
   */
  async serve(vintage: string): Promise<Manifest> {
    const opened = await this.#take(vintage, { rolls_up: true });
    const { dataset } = opened.manifest;
    const before = this.#served.get(dataset);
    this.#served.set(dataset, opened);
    if (before) this.#letGo(before);
    return opened.manifest;
  }

  /** A dataset's served vintage; `unavailable` (dataset-missing) if there is none. */
  lease(dataset: string): Lease {
    const served = this.#served.get(dataset);
    if (!served) {
      return refuse(tradeProblems["dataset-missing"], `dataset ${dataset} is not loaded (yet)`, {
        retry_after_s: 5,
      });
    }
    served.holders++;
    return this.#leaseOf(served);
  }

  /**
   * Any vintage with intact files, served or not; its files are checked as usual, and closed with the lease.
   * `unavailable` (dataset-missing) if they are unusable.
   */
  async leaseVintage(vintage: string): Promise<Lease> {
    const served = [...this.#served.values()].find(({ manifest }) => manifest.vintage === vintage);
    if (served) return this.lease(served.manifest.dataset);
    return this.#leaseOf(await this.#take(vintage));
  }

  /** Like leaseVintage, for a vintage that is likely to be requested again: the last few stay open. */
  async leasePast(vintage: string): Promise<Lease> {
    const served = [...this.#served.values()].find(({ manifest }) => manifest.vintage === vintage);
    if (served) return this.lease(served.manifest.dataset);
    const opening = this.#past.get(vintage) ?? this.#take(vintage);
    this.#past.delete(vintage);
    this.#past.set(vintage, opening);
    try {
      const opened = await opening;
      opened.holders++;
      return this.#leaseOf(opened);
    } catch (error) {
      if (this.#past.get(vintage) === opening) this.#past.delete(vintage);
      throw error;
    } finally {
      this.#letGoOfPast();
    }
  }

  #letGoOfPast(): void {
    for (const [vintage, opening] of [...this.#past].slice(0, -MOST_PAST)) {
      this.#past.delete(vintage);
      opening.then(
        (opened) => this.#letGo(opened),
        () => undefined,
      );
    }
  }

  /** Opens a vintage for one user; a single request for a past one need not wait for its roll-ups. */
  async #take(vintage: string, { rolls_up } = { rolls_up: false }): Promise<ServedVintage> {
    const manifest = await readManifest(this.#options.dataDir, vintage);
    const partitions: OpenPartition[] = [];
    try {
      for (const entry of manifest.partitions) {
        partitions.push(await this.#attach(vintage, entry, rolls_up));
      }
    } catch (error) {
      this.#detach(partitions);
      throw error;
    }
    return { manifest, partitions, holders: 1 };
  }

  /** A lease that ends one use of the vintage. */
  #leaseOf(served: ServedVintage): Lease {
    let held = true;
    const { vintage } = served.manifest;
    return {
      manifest: served.manifest,
      partitions: served.partitions,
      query: (sql, params, signal) => this.#query(vintage, sql, params, signal),
      release: () => {
        if (held) this.#letGo(served);
        held = false;
      },
    };
  }

  /** Lets running queries end, refuses waiting ones, and closes the database. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const { fail } of this.#waiting.splice(0)) fail(busy("the service is stopping"));
    if (this.#running > 0) await new Promise<void>((ended) => (this.#ended = ended));
    for (const connection of this.#idle.splice(0)) connection.closeSync();
    for (const { rollup } of this.#attached.values()) await (await rollup)?.close();
    (await this.#instance)?.closeSync();
  }

  async #query<Row>(vintage: string, sql: string, params?: Params, signal?: AbortSignal): Promise<Row[]> {
    await this.#turn();
    try {
      const connection = this.#idle.pop() ?? (await this.#connect());
      try {
        return await interruptible(connection, signal, () => rows<Row>(connection, sql, params));
      } finally {
        this.#idle.push(connection);
      }
    } catch (error) {
      // The files were intact when opened, so the disk fails now.
      if (
        error instanceof Error &&
        /^(IO|FATAL|Serialization) Error/.test(error.message) &&
        !isFullDisk(error)
      ) {
        this.#withdraw(vintage);
        missing(vintage, error.message.split("\n")[0]!);
      }
      throw error;
    } finally {
      this.#endTurn();
    }
  }

  /** Stops serving a vintage, so that it is reopened and checked before it is served again. */
  #withdraw(vintage: string): void {
    for (const [dataset, served] of this.#served) {
      if (served.manifest.vintage !== vintage) continue;
      this.#served.delete(dataset);
      this.#letGo(served);
    }
    const past = this.#past.get(vintage);
    this.#past.delete(vintage);
    past?.then(
      (opened) => this.#letGo(opened),
      () => undefined,
    );
  }

  async #turn(): Promise<void> {
    if (this.#closed) throw busy("the service is stopping");
    if (this.#running < this.#options.max_queries) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= this.#options.max_waiting) throw busy("too many data queries are waiting");
    await new Promise<void>((start, fail) => this.#waiting.push({ start, fail }));
  }

  /** The next waiting query starts. */
  #endTurn(): void {
    const next = this.#waiting.shift();
    if (next) next.start();
    else if (--this.#running === 0) this.#ended();
  }

  async #attach(vintage: string, entry: PartitionEntry, rolls_up: boolean): Promise<OpenPartition> {
    let attached = this.#attached.get(entry.file);
    if (!attached) {
      const database = `p${++this.#named}_${entry.year}`;
      attached = { database, holders: 0, ready: this.#open(vintage, entry, database) };
      this.#attached.set(entry.file, attached);
    }
    attached.holders++;
    try {
      const filled = await attached.ready;
      const rollup = await this.#rollupOf(vintage, entry, attached, rolls_up);
      return { year: entry.year, database: attached.database, filled, rollup };
    } catch (error) {
      if (--attached.holders === 0 && this.#attached.get(entry.file) === attached) {
        this.#attached.delete(entry.file);
      }
      throw error;
    }
  }

  async #open(vintage: string, entry: PartitionEntry, database: string): Promise<ReadonlySet<string>> {
    const path = partitionPath(this.#options.dataDir, entry);
    await verifyPartition(this.#options.dataDir, vintage, entry);
    await this.#leaving.get(entry.file);
    const connection = await this.#connect();
    try {
      await connection.run(`attach ${literal(path)} as ${database} (read_only)`);
      const tables = await rows<{ table_name: string }>(
        connection,
        `select table_name from duckdb_tables() where database_name = ${literal(database)} and estimated_size > 0`,
      );
      return new Set(tables.map(({ table_name }) => table_name));
    } catch (error) {
      return missing(vintage, `${path}: ${error instanceof Error ? error.message : error}`);
    } finally {
      connection.closeSync();
    }
  }

  /** The roll-up of an attached partition: opened, or created if allowed. */
  async #rollupOf(
    vintage: string,
    entry: PartitionEntry,
    attached: AttachedPartition,
    make: boolean,
  ): Promise<YearRollup | undefined> {
    const open = async () => {
      const found = await YearRollup.open(rollupPath(this.#options.dataDir, entry), entry);
      return found?.onFailure((error) => {
        for (const { manifest, partitions } of [...this.#served.values()])
          if (partitions.some(({ database }) => database === attached.database))
            this.#withdraw(manifest.vintage);
        return missing(vintage, error.message);
      });
    };
    const opening = attached.rollup ?? open();
    attached.rollup = opening;
    const found = await opening;
    if (found || !make) return found;
    // One of several waiting readers creates it.
    if (attached.rollup === opening)
      attached.rollup = this.#makeRollup(entry, attached.database).then((made) =>
        made ? open() : undefined,
      );
    return attached.rollup;
  }

  /** True if it could be created; otherwise the partition answers for its year. */
  async #makeRollup(entry: PartitionEntry, database: string): Promise<boolean> {
    try {
      await this.#turn();
    } catch {
      return false;
    }
    try {
      const connection = await this.#connect();
      const making = makeRollup(connection, database, rollupsDir(this.#options.dataDir), entry);
      return await making.finally(() => connection.closeSync());
    } catch {
      return false;
    } finally {
      this.#endTurn();
    }
  }

  #letGo(served: ServedVintage): void {
    if (--served.holders === 0) this.#detach(served.partitions);
  }

  #detach(partitions: OpenPartition[]): void {
    for (const { database } of partitions) {
      for (const [file, attached] of this.#attached) {
        if (attached.database !== database || --attached.holders > 0) continue;
        this.#attached.delete(file);
        attached.rollup?.then((rollup) => rollup?.close()).catch(() => undefined);
        const left = this.#close(database).finally(() => this.#leaving.delete(file));
        this.#leaving.set(file, left);
      }
    }
  }

  async #connect(): Promise<DuckDBConnection> {
    this.#instance ??= openDuckdb(this.#options);
    return (await this.#instance).connect();
  }

  async #close(database: string): Promise<void> {
    if (this.#closed) return;
    try {
      const connection = await this.#connect();
      await connection.run(`detach ${database}`).finally(() => connection.closeSync());
    } catch {
      // A failed detach costs some memory until the process ends, and blocks no reader.
    }
  }
}

export const openVintages = (options: StoreOptions): VintageStore => new VintageStore(options);

const busy = (why: string) => new Refusal(coreProblems.busy, why, { retry_after_s: 1 });
