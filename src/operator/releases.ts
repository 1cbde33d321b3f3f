/** Builds datasets from files or a generator, and releases them in the log for every process. */
import { type App, operatorMeta } from "../core/app.ts";
import { Refusal, refuse } from "../core/model/refusal.ts";
import {
  type BuildSpace,
  type BuiltVintage,
  isWanted,
  publish,
  takeBuildSpace,
} from "../datasets/build-space.ts";
import type { DuckdbLimits } from "../datasets/duckdb.ts";
import type { ImportReport } from "../datasets/import.ts";
import { type LostFiles, releaseFacts } from "../datasets/manifest.ts";
import type { Progress } from "../datasets/progress.ts";
import { type EcbRates, ecbRates } from "../datasets/reference/ecb-rates.ts";
import { readReference } from "../datasets/reference/files.ts";
import type { Reference } from "../datasets/reference/table.ts";
import { retainedSince, sweepVintages } from "../datasets/retention.ts";
import { buildSandbox, SANDBOX, type SandboxSize } from "../datasets/sandbox.ts";
import { buildSandboxLv, SANDBOX_LV } from "../datasets/sandbox-lv.ts";
import { sweepSnapshots } from "../datasets/snapshots.ts";
import type { StagedMonth } from "../datasets/staged-month.ts";
import * as reference from "../domain/reference/dataset.ts";
import * as dataset from "../domain/trade/dataset.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import type { ReporterCode } from "../domain/trade/reporters.ts";
import { releasesProjection, releasesSince } from "../projections/trade/releases.ts";

/** Releases belong to the operator, so no tenant's feed has them. */
export const OPERATOR = "operator";

export type BuildOptions = {
  data_dir: string;
  limits: DuckdbLimits;
  progress?: Progress;
  signal?: AbortSignal;
};

export type VintageRelease = { facts: dataset.ReleaseFacts; unchanged: boolean };

/**
 * Imports files as the next vintage of their dataset. `conflict` while another import runs for longer than a
 * minute.
 */
export async function importFiles(
  app: App,
  files: string[],
  options: BuildOptions & { reporters?: ReporterCode[]; afresh?: boolean },
): Promise<VintageRelease & { report: ImportReport }> {
  const { data_dir, ...rest } = options;
  // Otherwise the release would be refused only after reading many files.
  await app.accepting.check();
  // File layouts take long to load, and a service that imports nothing does not need them.
  const { buildImport } = await import("../datasets/import.ts");
  return inBuildSpace(options, async (space) => {
    const built = await buildImport(space, {
      ...rest,
      files,
      currentVintage: (name) => currentVintage(app, name),
      rates: () => currentRates(app, data_dir),
    });
    return { ...(await release(app, space, built, "import")), report: built.report };
  });
}

/** Like importFiles, for months read before; waits for other imports to end. `lost` months are left out. */
export async function importStaged(
  app: App,
  staged: readonly StagedMonth[],
  options: BuildOptions & { reporters?: ReporterCode[]; lost?: LostFiles | undefined },
): Promise<VintageRelease & { report: ImportReport }> {
  const { data_dir: _, ...rest } = options;
  await app.accepting.check();
  const { buildImport } = await import("../datasets/import.ts");
  return inBuildSpace(
    options,
    async (space) => {
      const currentVintageOf = (name: string) => currentVintage(app, name);
      const built = await buildImport(space, {
        ...rest,
        files: [],
        staged,
        currentVintage: currentVintageOf,
      });
      return { ...(await release(app, space, built, "import")), report: built.report };
    },
    SPARE_MS,
  );
}

/** Creates and releases the synthetic default dataset. */
export async function releaseSandbox(
  app: App,
  options: BuildOptions & { size?: SandboxSize },
): Promise<VintageRelease> {
  const { data_dir, ...rest } = options;
  return inSpareSpace(options, async (space, signal) => {
    const replaces = await currentVintage(app, SANDBOX);
    const built = await buildSandbox(space, { ...rest, signal, replaces });
    return release(app, space, built, "sandbox");
  });
}

/** Creates and releases Latvia's CN8 trade, split from the current sandbox; `conflict` if there is none. */
export async function releaseSandboxLv(app: App, options: BuildOptions): Promise<VintageRelease> {
  const { data_dir, ...rest } = options;
  return inSpareSpace(options, async (space, signal) => {
    const basis = await currentVintage(app, SANDBOX);
    if (basis === null) return refuse("conflict", "there is no sandbox to split: make it first");
    const replaces = await currentVintage(app, SANDBOX_LV);
    const built = await buildSandboxLv(space, { ...rest, signal, basis, replaces });
    return release(app, space, built, "sandbox");
  });
}

async function inBuildSpace<T>(
  options: BuildOptions,
  work: (space: BuildSpace) => Promise<T>,
  wait_ms = 60_000,
): Promise<T> {
  const space = await takeBuildSpace(options.data_dir, { wait_ms, signal: options.signal });
  try {
    return await work(space);
  } finally {
    await space.release();
  }
}

/** Like inBuildSpace, for work that can wait: an import takes the space, and the work restarts afterwards. */
async function inSpareSpace<T>(
  options: BuildOptions,
  work: (space: BuildSpace, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { data_dir, signal: given } = options;
  for (;;) {
    const way = new AbortController();
    const signal = given ? AbortSignal.any([given, way.signal]) : way.signal;
    const space = await takeBuildSpace(data_dir, { wait_ms: SPARE_MS, signal: given, gives_way: true });
    const looking = setInterval(() => {
      isWanted(data_dir).then((wanted) => wanted && way.abort(new Error("an import goes first")));
    }, LOOK_MS);
    try {
      return await work(space, signal);
    } catch (error) {
      if (!way.signal.aborted || given?.aborted) throw error;
    } finally {
      clearInterval(looking);
      await space.release();
    }
  }
}

/** The duration of an import of many years. */
const SPARE_MS = 6 * 3_600_000;
const LOOK_MS = 250;

/** Files come before the event, so that every released file can be opened. */
async function release(
  app: App,
  space: BuildSpace,
  built: BuiltVintage,
  operation: string,
): Promise<VintageRelease> {
  await publish(space, built);
  const facts = releaseFacts(built.manifest, built.replaces, app.clock.now());
  const target = { tenant: OPERATOR, id: facts.dataset };
  const { result } = await app.decide(dataset, target, dataset.release(facts), {
    meta: operatorMeta(operation),
  });
  // A failed sweep does not undo the release; the next one sweeps again.
  await sweep(app, space).catch(() => undefined);
  return { facts, unchanged: result.events.length === 0 };
}

/** Deletes data beyond the reach of snapshots. */
async function sweep(app: App, space: BuildSpace): Promise<void> {
  if (!(await app.caughtUp(releasesProjection))) return;
  const now = app.clock.now();
  const kept = await releasesSince(app.pool, retainedSince(now));
  const keep = new Set(kept.map(({ vintage }) => vintage));
  await sweepVintages(space, keep, now);
  await sweepSnapshots(space.dataDir, keep, now);
}

export async function currentVintage(app: App, name: string): Promise<string | null> {
  const current = await app.load(dataset, { tenant: OPERATOR, id: name });
  return current?.vintage ?? null;
}

/** The last imported ECB rates. */
async function currentRates(app: App, dataDir: string): Promise<Reference<EcbRates> | undefined> {
  const current = await app.load(reference, { tenant: OPERATOR, id: ecbRates.name });
  return current && readReference(dataDir, current.vintage);
}

/** True if a dataset was released and its files can be opened. */
export async function isUsable(app: App, name: string): Promise<boolean> {
  const vintage = await currentVintage(app, name);
  if (vintage === null) return false;
  try {
    (await app.vintage_store.leaseVintage(vintage)).release();
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.type === tradeProblems["dataset-missing"]) return false;
    throw error;
  }
}
