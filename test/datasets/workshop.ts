/** A test's own data folder, with imports into it and a store over it. */
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { path7za } from "7zip-bin";
import { onTestFinished } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { publish, takeBuildSpace } from "../../src/datasets/build-space.ts";
import { buildImport, type ImportRequest } from "../../src/datasets/import.ts";
import { buildSandbox, SMALL, sizeAt } from "../../src/datasets/sandbox.ts";
import { buildSandboxLv } from "../../src/datasets/sandbox-lv.ts";
import { openVintages, type VintageStore } from "../../src/datasets/vintage-store.ts";

const run = promisify(execFile);

export const limits = { threads: 2, memory_mb: 512 };
export const bulkFixture = new URL("fixtures/full_v2_202402.csv", import.meta.url).pathname;
export const sdmxFixture = new URL("fixtures/ds-045409.csv", import.meta.url).pathname;

export async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Writes lines as a file of the folder, each with its newline. */
export async function fileOf(dir: string, name: string, lines: string[]): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

/** The file as a 7z archive in the folder, as Eurostat packs its bulk files; `switches` are those of 7za. */
export async function packed7z(dir: string, file: string, switches: string[] = []): Promise<string> {
  const program = join(dir, "7za");
  await copyFile(path7za, program);
  await chmod(program, 0o700);
  const archive = join(dir, "full_v2_202402.7z");
  await run(program, ["a", ...switches, archive, file]);
  return archive;
}

export type ImportOptions = Partial<Omit<ImportRequest, "files" | "currentVintage">> & {
  replaces?: string | null;
  beforeWrite?: (path: string) => void;
};

/** Builds and publishes an import; `replaces` is the released vintage. */
export async function importFiles(dataDir: string, files: string[], options: ImportOptions = {}) {
  const { replaces = null, beforeWrite, ...rest } = options;
  const space = await takeBuildSpace(dataDir, { beforeWrite });
  try {
    const built = await buildImport(space, { files, limits, currentVintage: async () => replaces, ...rest });
    await publish(space, built);
    return built;
  } finally {
    await space.release();
  }
}

export async function makeSandbox(dataDir: string, scale: number | "fresh") {
  const space = await takeBuildSpace(dataDir);
  try {
    const built = await buildSandbox(space, {
      replaces: null,
      limits,
      size: scale === "fresh" ? SMALL : sizeAt(scale),
    });
    await publish(space, built);
    return built;
  } finally {
    await space.release();
  }
}

/** A store over the folder that serves these vintages. */
export async function storeOf(dataDir: string, ...vintages: string[]): Promise<VintageStore> {
  const store = await openVintages({ ...limits, dataDir });
  onTestFinished(() => store.close());
  for (const vintage of vintages) await store.serve(vintage);
  return store;
}

/** All rows of a table of a served dataset. */
export async function tableOf(store: VintageStore, dataset: string, table: string) {
  const lease = store.lease(dataset);
  try {
    const parts = lease.partitions.map(({ database }) => `from ${database}.${table}`);
    return await lease.query<Record<string, unknown>>(`${parts.join(" union all ")} order by all`);
  } finally {
    lease.release();
  }
}

/** The work's refusal. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const outcome = await work.then(
    () => new Error("it was not refused"),
    (error: unknown) => error,
  );
  if (outcome instanceof Refusal) return outcome;
  throw outcome;
}

/** Latvia at CN8, split from a vintage of the sandbox in the folder. */
export async function makeSandboxLv(dataDir: string, basis: string) {
  const space = await takeBuildSpace(dataDir);
  try {
    const built = await buildSandboxLv(space, { basis, replaces: null, limits });
    await publish(space, built);
    return built;
  } finally {
    await space.release();
  }
}
