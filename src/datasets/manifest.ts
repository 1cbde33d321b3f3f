/**
 * The parts of a vintage. A vintage is one immutable state of a dataset: a manifest names its partitions, one
 * DuckDB file per year, which vintages share if unchanged.
 *
 *   <data dir>/vintages/<vintage>.json           the manifest
 *   <data dir>/vintages/partitions/<file>        the partitions
 *   <data dir>/vintages/building-<random>/       a running import; removed after a kill
 *   <data dir>/vintages/staged/                  a history's parsed months, until their year is built
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { sha256 } from "../core/model/fields.ts";
import { refuse } from "../core/model/refusal.ts";
import type { Coverage } from "../domain/trade/coverage.ts";
import { controlTotals, type ReleaseFacts, released } from "../domain/trade/dataset.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import { reporterCodes } from "../domain/trade/reporters.ts";
import { flows } from "../domain/trade/units.ts";

const period = z.int();

const partition = z.strictObject({
  year: z.int(),
  /** SHA-256 over its rows in order, independent of the bytes DuckDB chose. */
  content_sha256: sha256,
  rows: z.int(),
  totals: controlTotals,
  file: z.string().regex(/^[0-9a-z.-]+$/),
  file_sha256: sha256,
  bytes: z.int(),
});

export const manifest = z.strictObject({
  format: z.literal(2),
  vintage: sha256,
  dataset: z.string(),
  source: z.string(),
  synthetic: z.boolean(),
  partitions: z.array(partition).min(1),
  coverage: z.strictObject({
    months: z.strictObject({ from: period, to: period }),
    reporters: z.array(
      z.strictObject({
        reporter: z.enum(reporterCodes),
        from: period,
        to: period,
        provisional: z.array(period),
        missing: z.array(period),
      }),
    ),
    products: z.strictObject({
      national: z.boolean(),
      complete_below: z.array(z.string()),
      codes: z.array(z.string()),
    }),
    spoken: z.array(
      z.strictObject({
        products: z.array(z.string()),
        partners: z.array(z.string()).optional(),
        reporters: z.array(z.enum(reporterCodes)),
        flows: z.array(z.enum(flows)),
        from: period,
        to: period,
      }),
    ),
    procedures: z
      .array(
        z.strictObject({
          reporters: z.array(z.enum(reporterCodes)),
          flows: z.array(z.enum(flows)),
          from: period,
          to: period,
        }),
      )
      .optional(),
  }),
  inputs: released.shape.inputs,
});

/** A stored manifest; a question may bind the meaning of codes to its coverage. */
export type Manifest = Omit<z.infer<typeof manifest>, "coverage"> & { coverage: Coverage };
export type PartitionEntry = z.infer<typeof partition>;

export const vintagesDir = (dataDir: string) => join(dataDir, "vintages");
export const partitionsDir = (dataDir: string) => join(vintagesDir(dataDir), "partitions");
/** Parsed months whose year is not built yet. */
export const stagedDir = (dataDir: string) => join(vintagesDir(dataDir), "staged");
export const manifestPath = (dataDir: string, vintage: string) =>
  join(vintagesDir(dataDir), `${vintage}.json`);
export const partitionPath = (dataDir: string, entry: PartitionEntry) =>
  join(partitionsDir(dataDir), entry.file);

/** A vintage's name: SHA-256 of a JSON array that anyone can rebuild from the release event. */
export function vintageDigest(
  named: Pick<Manifest, "dataset" | "source" | "synthetic"> & {
    partitions: Pick<PartitionEntry, "year" | "content_sha256">[];
  },
): string {
  const partitions = named.partitions.map(({ year, content_sha256 }) => [year, content_sha256]);
  const identity = ["TS/VINTAGE/1", named.dataset, named.source, named.synthetic, partitions];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

/** The release event's facts. */
export function releaseFacts(built: Manifest, replaces: string | null, releasedAt: Date): ReleaseFacts {
  const sum = (of: (entry: PartitionEntry) => number) => built.partitions.reduce((n, e) => n + of(e), 0);
  return {
    dataset: built.dataset,
    source: built.source,
    synthetic: built.synthetic,
    vintage: built.vintage,
    periods: built.coverage.months,
    rows: sum((entry) => entry.rows),
    control_totals: {
      import_eur: sum(({ totals }) => totals.import_eur),
      export_eur: sum(({ totals }) => totals.export_eur),
      import_kg: Math.round(sum(({ totals }) => totals.import_kg) * 1000) / 1000,
      export_kg: Math.round(sum(({ totals }) => totals.export_kg) * 1000) / 1000,
    },
    partitions: built.partitions.map(({ year, content_sha256, rows }) => ({ year, content_sha256, rows })),
    inputs: built.inputs,
    replaces,
    released_at: releasedAt.toISOString(),
  };
}

/** A published manifest; `unavailable` (dataset-missing) if it is missing or does not match its name. */
export async function readManifest(dataDir: string, vintage: string): Promise<Manifest> {
  const found = await manifestOrFault(dataDir, vintage);
  return typeof found === "string" ? missing(vintage, found) : found;
}

/** A manifest, or why it is unusable. */
async function manifestOrFault(dataDir: string, vintage: string): Promise<Manifest | string> {
  const path = manifestPath(dataDir, vintage);
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return `${path} cannot be read`;
  const parsed = manifest.safeParse(jsonOrUndefined(text));
  if (!parsed.success) return `${path} is damaged or of another format`;
  if (parsed.data.vintage !== vintage || vintageDigest(parsed.data) !== vintage)
    return `${path} does not match its digest`;
  return parsed.data;
}

/** Checks a partition's bytes against its digest; `unavailable` (dataset-missing) if they differ. */
export async function verifyPartition(
  dataDir: string,
  vintage: string,
  entry: PartitionEntry,
): Promise<void> {
  const fault = await faultOf(dataDir, entry);
  if (fault !== undefined) missing(vintage, fault);
}

/** Why a partition's file is unusable; undefined if it is intact. */
async function faultOf(dataDir: string, entry: PartitionEntry): Promise<string | undefined> {
  const path = partitionPath(dataDir, entry);
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) return `${path} is gone`;
  if (size !== entry.bytes || (await fileDigest(path)) !== entry.file_sha256) return `${path} is damaged`;
  return undefined;
}

/** The unusable files of a released vintage, and why: single years, or the manifest and so everything. */
export type LostFiles = { vintage: string; parts: ReadonlyMap<number | "manifest", string> };

/** The intact and the lost parts of a released vintage. */
export async function examineVintage(
  dataDir: string,
  vintage: string,
): Promise<{ manifest: Manifest | undefined; whole: PartitionEntry[]; lost: LostFiles }> {
  const found = await manifestOrFault(dataDir, vintage);
  if (typeof found === "string")
    return { manifest: undefined, whole: [], lost: { vintage, parts: new Map([["manifest", found]]) } };
  const whole: PartitionEntry[] = [];
  const parts = new Map<number, string>();
  for (const entry of found.partitions) {
    const fault = await faultOf(dataDir, entry);
    if (fault === undefined) whole.push(entry);
    else parts.set(entry.year, fault);
  }
  return { manifest: found, whole, lost: { vintage, parts } };
}

export async function fileDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}

/** Refuses because a released vintage's files are unusable, and names the remedy. */
export function missing(vintage: string, why: string): never {
  return refuse(
    tradeProblems["dataset-missing"],
    `the files of vintage ${vintage.slice(0, 12)} are not usable (${why}): import its files again with --afresh (a history: by \`fetch comext --import\` of all its months), or make the sandbox again`,
    { retry_after_s: 30 },
  );
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
