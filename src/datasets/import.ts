/** An import: files in, a vintage out that is the current one with what the files replace replaced. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { refuse } from "../domain/refusal.ts";
import type { ReporterCode } from "../domain/trade/reporters.ts";
import type { BuildSpace, Built } from "./build-space.ts";
import { coverageOf } from "./coverage.ts";
import { type DuckdbLimits, explainShortage, interruptible, literal, openDuckdb, rows } from "./duckdb.ts";
import { detectLayout, type Layout } from "./layouts.ts";
import {
  type Manifest,
  missing,
  type PartitionEntry,
  partitionPath,
  readManifest,
  verifyPartition,
  vintageDigest,
} from "./manifest.ts";
import { writePartition } from "./partition.ts";
import { type Progress, step } from "./progress.ts";
import { checkReporters, dropDuplicates, foldCells, type Staged, stageDdl, stageFile } from "./stage.ts";
import { type Unpacked, unpack } from "./unpack.ts";

export type ImportRequest = {
  files: string[];
  /** The vintage of a dataset that is released now, which this import builds upon. */
  currentVintage: (dataset: string) => Promise<string | null>;
  /** The reporters in the files, where they are not all 27. */
  reporters?: ReporterCode[];
  /** Start from nothing but the files, leaving out what the current vintage holds. */
  afresh?: boolean;
  limits: DuckdbLimits;
  progress?: Progress;
  signal?: AbortSignal;
};

export type ImportReport = {
  rows_read: number;
  /** Lines equal to another line, counted once. */
  equal_duplicates: number;
  left_out: Staged["left_out"];
  elapsed_ms: number;
  rows_per_s: number;
};

/** Builds the vintage in the build space; nothing is visible before `publish`. Any bad line refuses all of it. */
export async function buildImport(
  space: BuildSpace,
  request: ImportRequest,
): Promise<Built & { report: ImportReport }> {
  if (request.files.length === 0) refuse("invalid", "name at least one file to import");
  const started = performance.now();
  const instance = await openDuckdb(request.limits, join(space.dir, "spill"));
  const connection = await instance.connect();
  try {
    return await interruptible(connection, request.signal, async () => {
      await connection.run(`attach ${literal(join(space.dir, "stage.duckdb"))} as stage; ${stageDdl}`);
      const { layout, inputs, left_out } = await readFiles(connection, space, request);
      step(request, "check", 0, 1);
      await markReplaced(connection, layout);
      const equal_duplicates = await dropDuplicates(connection, inputs);
      await foldCells(connection, inputs);
      await checkReporters(connection, request.reporters);
      step(request, "check", 1, 1);
      const built = await merge(connection, space, request, layout, inputs);
      const rows_read = inputs.reduce((sum, { rows }) => sum + rows, 0);
      const elapsed_ms = Math.round(performance.now() - started);
      const rows_per_s = Math.round((rows_read * 1000) / elapsed_ms);
      return { ...built, report: { rows_read, equal_duplicates, left_out, elapsed_ms, rows_per_s } };
    });
  } catch (error) {
    return explainShortage(error, space.dataDir);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

type Read = { layout: Layout; inputs: Manifest["inputs"]; left_out: Staged["left_out"] };

async function readFiles(
  connection: DuckDBConnection,
  space: BuildSpace,
  request: ImportRequest,
): Promise<Read> {
  const inputs: Manifest["inputs"] = [];
  const left_out = { total_product: 0, other_reporter: 0, supplementary: 0 };
  let first: { name: string; layout: Layout } | undefined;
  for (const [ordinal, input] of request.files.entries()) {
    const at = ordinal / request.files.length;
    step(request, "read", at, 1);
    const file: Unpacked = await unpack(space, input, ordinal, request.signal);
    const layout = detectLayout(file.name, file.header);
    first ??= { name: file.name, layout };
    if (layout !== first.layout) {
      refuse(
        "invalid",
        `${file.name} is ${layout.name}, but ${first.name} is ${first.layout.name}: one import reads one layout`,
      );
    }
    const staged = await stageFile(connection, layout, file, ordinal);
    for (const [reason, count] of Object.entries(staged.left_out)) {
      left_out[reason as keyof typeof left_out] += count;
    }
    inputs.push({ name: file.name, sha256: file.sha256, bytes: file.bytes, rows: staged.rows });
    await rm(file.path);
  }
  step(request, "read", 1, 1);
  return { layout: first!.layout, inputs, left_out };
}

async function merge(
  connection: DuckDBConnection,
  space: BuildSpace,
  request: ImportRequest,
  layout: Layout,
  inputs: Manifest["inputs"],
): Promise<Built> {
  const replaces = await request.currentVintage(layout.dataset);
  const base = await openBase(connection, space, request, replaces);
  const touched = await rows<{ year: number }>(
    connection,
    "select distinct period // 100 as year from stage.incoming order by year",
  );
  const partitions = new Map(base.map((entry) => [entry.year, entry]));
  const new_files: string[] = [];
  for (const [done, { year }] of touched.entries()) {
    step(request, "write", done, touched.length);
    const earlier = partitions.get(year);
    const written = await writePartition(connection, space, year, mergedRows(year, earlier, layout));
    if (written.content_sha256 === earlier?.content_sha256) {
      await rm(join(space.dir, written.file));
    } else {
      partitions.set(year, written);
      new_files.push(written.file);
    }
  }
  step(request, "write", touched.length, touched.length);
  const entries = [...partitions.values()].sort((a, b) => a.year - b.year);
  const coverage = await coverageOf(
    connection,
    await attachAll(connection, space, entries, new_files),
    layout.whole_months ? { national: true, complete_below: [""] } : { national: false, complete_below: [] },
  );
  const named = { dataset: layout.dataset, source: layout.source, synthetic: false, partitions: entries };
  const manifest: Manifest = { format: 1, vintage: vintageDigest(named), ...named, coverage, inputs };
  return { manifest, replaces, new_files };
}

/** Attaches the partitions that are built upon, after checking that each is what its manifest says. */
async function openBase(
  connection: DuckDBConnection,
  space: BuildSpace,
  request: ImportRequest,
  vintage: string | null,
): Promise<PartitionEntry[]> {
  if (vintage === null || request.afresh) return [];
  const { partitions } = await readManifest(space.dataDir, vintage);
  for (const entry of partitions) {
    await verifyPartition(space.dataDir, vintage, entry);
    await connection
      .run(`attach ${literal(partitionPath(space.dataDir, entry))} as base_${entry.year} (read_only)`)
      .catch((error) => missing(vintage, String(error)));
  }
  return partitions;
}

/**
 * What the files speak for: every combination of a file's products with its reporters, flows and months; all
 * products where its layout holds whole months. Rows of partners and of aggregates are spoken for apart, so that a
 * file of WORLD rows leaves the partners' rows alone.
 */
async function markReplaced(connection: DuckDBConnection, layout: Layout): Promise<void> {
  const spoken = `select distinct length(partner) > 2 as is_aggregate, reporter, flow, period`;
  await connection.run(
    layout.whole_months
      ? `create temp table replaced as ${spoken} from stage.measures`
      : `create temp table replaced as select distinct is_aggregate, reporter, flow, period, product
           from (${spoken}, file from stage.measures)
           join (select distinct length(partner) > 2 as is_aggregate, file, product from stage.measures)
             using (file, is_aggregate)`,
  );
}

function mergedRows(year: number, earlier: PartitionEntry | undefined, layout: Layout) {
  const key = layout.whole_months ? "reporter, flow, period" : "reporter, flow, period, product";
  const merged = (table: string, isAggregate: boolean) => {
    const incoming = `select * exclude (is_aggregate, first) from stage.incoming
      where is_aggregate = ${isAggregate} and period // 100 = ${year}`;
    if (!earlier) return incoming;
    return `${incoming} union all by name (from base_${year}.${table}
      anti join (from replaced where is_aggregate = ${isAggregate}) using (${key}))`;
  };
  return { cells: merged("cells", false), aggregates: merged("aggregates", true) };
}

async function attachAll(
  connection: DuckDBConnection,
  space: BuildSpace,
  entries: PartitionEntry[],
  newFiles: string[],
): Promise<string[]> {
  const databases: string[] = [];
  for (const entry of entries) {
    if (newFiles.includes(entry.file)) {
      await connection.run(`attach ${literal(join(space.dir, entry.file))} as new_${entry.year} (read_only)`);
      databases.push(`new_${entry.year}`);
    } else {
      databases.push(`base_${entry.year}`);
    }
  }
  return databases;
}
