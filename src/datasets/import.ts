/** Imports files: the new vintage is the current one, with the files' part replaced. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { refuse } from "../core/model/refusal.ts";
import type { ReporterCode } from "../domain/trade/reporters.ts";
import type { BuildSpace, BuiltVintage } from "./build-space.ts";
import { refuseBeyondExact, refuseBeyondWorld, refuseNested, refuseRagged } from "./consistency.ts";
import { coverageOf } from "./coverage.ts";
import { type DuckdbLimits, explainShortage, importMemory, literal, rows, withDuckdb } from "./duckdb.ts";
import { loadRates, type RatesSource } from "./exchange.ts";
import { detectLayout, importable } from "./layouts/detect.ts";
import type { Layout, LeftOut } from "./layouts/layout.ts";
import { tallystickSnapshot } from "./layouts/snapshot.ts";
import {
  examineVintage,
  type LostFiles,
  type Manifest,
  missing,
  type PartitionEntry,
  partitionPath,
  vintageDigest,
} from "./manifest.ts";
import { type PartitionDetails, type PartitionRows, writePartition } from "./partition.ts";
import { type Progress, step } from "./progress.ts";
import { sortedAtOnce } from "./spans.ts";
import { markSpoken } from "./spoken.ts";
import { checkReporters, foldCells, noneLeftOut, refuseOrphans, stageDdl, stageFile } from "./stage.ts";
import { openStaged, type StagedMonth } from "./staged-month.ts";
import { type UnpackedFile, unpack } from "./unpack.ts";

export type ImportRequest = {
  files: string[];
  /** Months parsed before, instead of files. */
  staged?: readonly StagedMonth[];
  /** The released vintage that this import is based on. */
  currentVintage: (dataset: string) => Promise<string | null>;
  /** The files' reporters, if not all 27. */
  reporters?: ReporterCode[];
  /** The ECB's rates, for amounts in other currencies. */
  rates?: RatesSource;
  /** Use the files alone, without the current vintage. */
  afresh?: boolean;
  /** The lost part of the current vintage; it is left out unless it was restored. */
  lost?: LostFiles | undefined;
  limits: DuckdbLimits;
  progress?: Progress;
  signal?: AbortSignal;
};

export type ImportReport = {
  rows_read: number;
  /** Duplicate lines, counted once. */
  equal_duplicates: number;
  left_out: LeftOut;
  elapsed_ms: number;
  rows_per_s: number;
};

/** The release event names every file, and an event's size is limited. */
const MAX_FILES = 2_000;

/** A file's kind is reported before its faults. */
export const looking = {
  onFormat: (name: string, format: string) =>
    refuse("invalid", `${name} looks like ${format}, which cannot be imported. Importable: ${importable()}`),
  onHeader: detectLayout,
};

/** Builds the vintage in the build space; nothing is visible before `publish`. Any bad line refuses everything. */
export async function buildImport(
  space: BuildSpace,
  request: ImportRequest,
): Promise<BuiltVintage & { report: ImportReport }> {
  if (request.files.length === 0 && !request.staged?.length)
    refuse("invalid", "name at least one file to import");
  if (request.files.length > MAX_FILES) {
    refuse(
      "invalid",
      `${request.files.length} files in one import; at most ${MAX_FILES}: import them in several commands`,
    );
  }
  const started = performance.now();
  try {
    return await withDuckdb({ ...request, dir: join(space.dir, "spill") }, async (connection) => {
      const { layout, inputs, left_out, rates, equal_duplicates } = request.staged
        ? await openStaged(connection, request.staged)
        : await readFiles(connection, space, request);
      step(request, "check", 0, 1);
      await markSpoken(connection, layout, request.reporters);
      const replaces = await request.currentVintage(layout.dataset);
      const base = await openBase(connection, space, request, replaces);
      await refuseBeyondExact(connection, inputs, base);
      await refuseOrphans(connection, inputs);
      await checkReporters(connection, request.reporters);
      step(request, "check", 1, 1);
      const built = {
        ...(await merge(connection, space, request, { layout, inputs: [...inputs, ...rates], base })),
        replaces,
      };
      const rows_read = inputs.reduce((sum, { rows }) => sum + rows, 0);
      const elapsed_ms = Math.round(performance.now() - started);
      const rows_per_s = Math.round((rows_read * 1000) / elapsed_ms);
      return { ...built, report: { rows_read, equal_duplicates, left_out, elapsed_ms, rows_per_s } };
    });
  } catch (error) {
    return explainShortage(error, space.dataDir, importMemory(request.limits));
  }
}

/** An import's input: the cells of its files in `stage`, and the report about them. */
export type ImportInput = {
  layout: Layout;
  inputs: Manifest["inputs"];
  left_out: LeftOut;
  /** The conversion rates. */
  rates: Manifest["inputs"];
  equal_duplicates: number;
};

async function readFiles(
  connection: DuckDBConnection,
  space: BuildSpace,
  request: ImportRequest,
): Promise<ImportInput> {
  await connection.run(`attach ${literal(join(space.dir, "stage.duckdb"))} as stage; ${stageDdl}`);
  const inputs: Manifest["inputs"] = [];
  const left_out = noneLeftOut();
  let first: { name: string; layout: Layout } | undefined;
  const rates: Manifest["inputs"] = [];
  for (const [ordinal, input] of request.files.entries()) {
    const at = ordinal / request.files.length;
    step(request, "read", at, 1);
    const file: UnpackedFile = await unpack(space, input, ordinal, {
      ...looking,
      parquetAsCsv: (parquet, csv) => parquetAsCsv(connection, parquet, csv),
      signal: request.signal,
    });
    const layout = detectLayout(file.name, file.header);
    if (!first && layout.currency) rates.push(await loadRates(connection, layout.currency, request.rates));
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
  const equal_duplicates = await foldCells(connection, inputs);
  return { layout: first!.layout, inputs, left_out, rates, equal_duplicates };
}

/** Rows as CSV; the mark of a snapshot's aggregates follows from the partner. */
async function parquetAsCsv(connection: DuckDBConnection, parquet: string, csv: string): Promise<void> {
  const from = `read_parquet(${literal(parquet)})`;
  const columns = (await rows<{ column_name: string }>(connection, `describe select * from ${from}`)).map(
    ({ column_name }) => column_name,
  );
  const isSnapshot = tallystickSnapshot.columns.every((column) => columns.includes(column));
  const wanted = isSnapshot ? tallystickSnapshot.columns.map((column) => `"${column}"`).join(", ") : "*";
  await connection.run(`copy (select ${wanted} from ${from}) to ${literal(csv)} (format csv, header)`);
}

/** A dataset's guarantee about its products, by what its files are complete for. */
const promises = {
  months: { national: true, complete_below: [""], every_month: true },
  products: { national: false, complete_below: [], every_month: false },
  partners: { national: true, complete_below: [], every_month: false },
  pairs: { national: false, complete_below: [], every_month: false },
};

async function merge(
  connection: DuckDBConnection,
  space: BuildSpace,
  request: ImportRequest,
  { layout, inputs, base }: { layout: Layout; inputs: Manifest["inputs"]; base: PartitionEntry[] },
): Promise<Omit<BuiltVintage, "replaces">> {
  const touched = await rows<{ year: number }>(
    connection,
    "select distinct period // 100 as year from spoken order by year",
  );
  const partitions = new Map(base.map((entry) => [entry.year, entry]));
  const new_files: string[] = [];
  for (const [done, { year }] of touched.entries()) {
    step(request, "write", done, touched.length);
    const earlier = partitions.get(year);
    const details = await mergedDetails(connection, year, earlier, layout);
    const rows_at_once = sortedAtOnce(request.limits);
    const merged = { ...mergedRows(year, earlier, layout), ...(details && { details }), rows_at_once };
    await refuseBeyondWorld(connection, merged);
    const written = await writePartition(connection, space, year, merged);
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
    promises[layout.speaks_for],
  );
  refuseNested(coverage.products.codes);
  if (layout.speaks_for === "pairs") refuseRagged(coverage);
  const named = { dataset: layout.dataset, source: layout.source, synthetic: false, partitions: entries };
  const manifest: Manifest = { format: 2, vintage: vintageDigest(named), ...named, coverage, inputs };
  return { manifest, new_files };
}

/** Attaches the base partitions after checking them against their manifest; lost ones are left out. */
async function openBase(
  connection: DuckDBConnection,
  space: BuildSpace,
  request: ImportRequest,
  vintage: string | null,
): Promise<PartitionEntry[]> {
  if (vintage === null || request.afresh) return [];
  const { whole, lost } = await examineVintage(space.dataDir, vintage);
  const known = request.lost?.vintage === vintage ? request.lost.parts : new Map();
  for (const [part, why] of lost.parts) if (!known.has(part)) missing(vintage, why);
  for (const entry of whole) {
    await connection
      .run(`attach ${literal(partitionPath(space.dataDir, entry))} as base_${entry.year} (read_only)`)
      .catch((error) => missing(vintage, String(error)));
  }
  return whole;
}

const replacedKey = {
  months: "reporter, flow, period",
  products: "reporter, flow, period, product",
  partners: "reporter, flow, period, product, partner",
  pairs: "reporter, flow, period, product, partner",
};

/** A year of the base vintage without its replaced rows, plus the new ones. */
function mergedRows(year: number, earlier: PartitionEntry | undefined, layout: Layout): PartitionRows {
  const key = replacedKey[layout.speaks_for];
  const merged = (table: string, isAggregate: boolean) => {
    const incoming = `select * exclude (is_aggregate) from stage.incoming
      where is_aggregate = ${isAggregate} and period // 100 = ${year}`;
    if (!earlier) return incoming;
    return `${incoming} union all by name (from base_${year}.${table}
      anti join (from replaced where is_aggregate = ${isAggregate}) using (${key}))`;
  };
  const spoken = `select * from spoken where period // 100 = ${year}`;
  return {
    cells: merged("cells", false),
    aggregates: merged("aggregates", true),
    spoken: earlier
      ? `${spoken} union all by name (from base_${year}.spoken anti join replaced using (${key}))`
      : spoken,
    of_partners: layout.speaks_for === "partners" || layout.speaks_for === "pairs",
  };
}

/** The year's procedures and supplementary quantities; undefined for a layout without them. */
async function mergedDetails(
  connection: DuckDBConnection,
  year: number,
  earlier: PartitionEntry | undefined,
  { speaks_for, cell }: Layout,
): Promise<PartitionDetails | undefined> {
  if (cell.quantity_su === undefined) return undefined;
  const key = replacedKey[speaks_for];
  const stored = new Set(
    earlier &&
      (
        await rows<{ table_name: string }>(
          connection,
          `select table_name from duckdb_tables() where database_name = 'base_${year}'`,
        )
      ).map(({ table_name }) => table_name),
  );
  const procedures = `select *, substr(product, 1, 2) as hs2 from stage.procedures where period // 100 = ${year}`;
  const units = `from stage.units where period // 100 = ${year}`;
  const months = `select distinct reporter, flow, period from stage.cells
    where period // 100 = ${year} and ${cell.procedure !== undefined}`;
  return {
    procedures: stored.has("procedures")
      ? `${procedures} union all by name (from base_${year}.procedures
          anti join (from replaced where not is_aggregate) using (${key}))`
      : procedures,
    units: stored.has("units") ? `${units} union from base_${year}.units` : units,
    procedure_months: stored.has("procedure_months")
      ? `${months} union from base_${year}.procedure_months`
      : months,
  };
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
