import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, open, readdir, readFile, rm, truncate, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { publish, takeBuildSpace } from "../../src/datasets/build-space.ts";
import { buildImport } from "../../src/datasets/import.ts";
import {
  type Manifest,
  manifestPath,
  partitionPath,
  partitionsDir,
  vintagesDir,
} from "../../src/datasets/manifest.ts";
import { sweepVintages } from "../../src/datasets/retention.ts";
import { startProgram } from "../support/compiled.ts";
import { scaled } from "../support/scale.ts";
import {
  fileOf,
  importFiles,
  limits,
  makeSandbox,
  refusalOf,
  sdmxFixture,
  storeOf,
  tableOf,
  tempDir,
} from "./workshop.ts";

const DATASET = "comext-ds-045409";
const options = { reporters: ["DE" as const] };

/** An import of the fixture that tests copy; created once. */
let made: Promise<{ dir: string; manifest: Manifest }> | undefined;
afterAll(async () => {
  if (made) await rm((await made).dir, { recursive: true, force: true });
});

async function importOnce() {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-vintages-"));
  return { dir, manifest: (await importFiles(dir, [sdmxFixture], options)).manifest };
}

/** A test's own folder with the fixture imported. */
async function imported(): Promise<{ dir: string; manifest: Manifest }> {
  made ??= importOnce();
  const original = await made;
  const dir = await tempDir();
  await cp(original.dir, dir, { recursive: true });
  return { dir, manifest: original.manifest };
}

/** The fixture with one changed value, as a separate file. */
async function revised(dir: string, value: string): Promise<string> {
  const text = (await readFile(sdmxFixture, "utf8")).replace("5000.0", value).trimEnd();
  return fileOf(dir, `revised-${value}.csv`, text.split("\n"));
}

/** The contents of a vintages folder, without the lock. */
async function filesIn(dataDir: string): Promise<string[]> {
  const names = [...(await readdir(vintagesDir(dataDir))), ...(await readdir(partitionsDir(dataDir)))];
  return names.filter((name) => !name.startsWith("import.lock")).sort();
}

describe("an interrupted import", () => {
  test("that was killed leaves the old vintage served and nothing unfinished", async () => {
    const { dir, manifest } = await imported();
    const before = await filesIn(dir);
    const importer = startProgram(
      "test/datasets/import-forever.ts",
      [dir, manifest.vintage, await revised(dir, "6000.0")],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    onTestFinished(() => void importer.kill("SIGKILL"));
    await once(importer.stdout!, "data");
    const busy = await refusalOf(importFiles(dir, [sdmxFixture], options));
    expect(busy.code).toBe("conflict");
    expect(busy.message).toMatch(new RegExp(`another import is running \\(process ${importer.pid}\\)`));

    importer.kill("SIGKILL");
    await once(importer, "exit");
    const store = await storeOf(dir, manifest.vintage);
    expect(await tableOf(store, DATASET, "cells")).toContainEqual(
      expect.objectContaining({ value_eur: 5000 }),
    );
    expect((await filesIn(dir)).filter((name) => name.startsWith("building-"))).toHaveLength(1);

    await importFiles(dir, [sdmxFixture], { ...options, replaces: manifest.vintage });
    expect(await filesIn(dir)).toEqual(before);
  });

  test("that was aborted stops with the reason and leaves nothing", async () => {
    const dir = await tempDir();
    const stop = new AbortController();
    const progress = (stage: string) => stage === "check" && stop.abort(new Error("stopped"));
    await expect(
      importFiles(dir, [sdmxFixture], { ...options, progress, signal: stop.signal }),
    ).rejects.toThrow("stopped");
    expect(await filesIn(dir)).toEqual(["partitions"]);
  });
});

describe("two simultaneous imports", () => {
  test("refuse the second, or let it wait if requested", async () => {
    const dir = await tempDir();
    const space = await takeBuildSpace(dir);
    expect(await refusalOf(takeBuildSpace(dir))).toMatchObject({
      code: "conflict",
      type: { slug: "import-running" },
    });
    const waiting = takeBuildSpace(dir, { wait_ms: 5_000 });
    await space.release();
    await (await waiting).release();
  });
});

describe("a full disk", () => {
  const full = () => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  };

  test.each(["input-0", "year-2024", "partitions", ".json"])(
    "at %s refuses the import, and the old vintage stays",
    async (at) => {
      const { dir, manifest } = await imported();
      const before = await filesIn(dir);
      const beforeWrite = (path: string) => path.includes(at) && full();
      const work = importFiles(dir, [await revised(dir, "6000.0")], {
        ...options,
        replaces: manifest.vintage,
        beforeWrite,
      });
      expect(await refusalOf(work)).toMatchObject({ code: "unavailable", type: { slug: "disk-full" } });
      const store = await storeOf(dir, manifest.vintage);
      expect(await tableOf(store, DATASET, "cells")).toHaveLength(3);
      // A published partition without a manifest is unused; retention deletes it later.
      const orphans = (await filesIn(dir)).filter((name) => !before.includes(name));
      expect(orphans.filter((name) => !name.endsWith(".duckdb"))).toEqual([]);
    },
  );

  test("that is real refuses the build of a sandbox", async ({ skip }) => {
    const dir = await tempDir();
    const mount = join(dir, "small");
    await mkdir(mount);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", mount], { stdio: "ignore" });
    } catch {
      skip("a tmpfs cannot be mounted here");
    }
    onTestFinished(() => void execFileSync("umount", ["-l", mount]));
    const { manifest } = await importFiles(mount, [sdmxFixture], options);
    const before = await filesIn(mount);
    const refusal = await refusalOf(makeSandbox(mount, 0.02));
    expect(refusal).toMatchObject({ code: "unavailable", type: { slug: "disk-full" } });
    expect(refusal.message).toMatch(/no space left on the disk/);
    expect(await filesIn(mount)).toEqual(before);
    const store = await storeOf(mount, manifest.vintage);
    expect(await tableOf(store, DATASET, "cells")).toHaveLength(3);
  });
});

test("an import with too little memory is refused with the remedy", async () => {
  const dir = await tempDir();
  const refusal = await refusalOf(
    importFiles(dir, [sdmxFixture], { ...options, limits: { threads: 1, memory_mb: 4 } }),
  );
  expect(refusal).toMatchObject({ code: "unavailable", type: { slug: "memory-limit" } });
  expect(refusal.message).toMatch(/more memory than the 4 MB of IMPORT_MEMORY_MB: .*raise IMPORT_MEMORY_MB$/);
  expect(await filesIn(dir)).toEqual(["partitions"]);
});

describe("changed files", () => {
  test.each(["changed", "cut off", "gone", "manifest changed", "manifest gone"])(
    "%s: serving refuses with dataset-missing",
    async (how) => {
      const { dir, manifest } = await imported();
      const path = partitionPath(dir, manifest.partitions[0]!);
      const named = manifestPath(dir, manifest.vintage);
      if (how === "gone") await rm(path);
      if (how === "manifest gone") await rm(named);
      if (how === "cut off") await truncate(path, 8192);
      if (how === "changed") await flip(path, 20_000);
      if (how === "manifest changed") await flip(named, 100);
      const store = await storeOf(dir);
      expect(await refusalOf(store.serve(manifest.vintage))).toMatchObject({
        code: "unavailable",
        type: { slug: "dataset-missing" },
      });
      expect(store.open()).toEqual([]);

      const onTop = importFiles(dir, [sdmxFixture], { ...options, replaces: manifest.vintage });
      expect(await refusalOf(onTop)).toMatchObject({
        code: "unavailable",
        type: { slug: "dataset-missing" },
      });
      const mended = await importFiles(dir, [sdmxFixture], {
        ...options,
        replaces: manifest.vintage,
        afresh: true,
      });
      expect(mended.manifest.vintage).toBe(manifest.vintage);
      await store.serve(manifest.vintage);
      expect(await tableOf(store, DATASET, "cells")).toHaveLength(3);
    },
  );

  test("changed while served: the affected query reports dataset-missing", async () => {
    const { dir, manifest } = await imported();
    const store = await storeOf(dir, manifest.vintage);
    const path = partitionPath(dir, manifest.partitions[0]!);
    const file = await open(path, "r+");
    const { size } = await file.stat();
    await file.write(Buffer.alloc(size - 12_288, 0x5a), 0, size - 12_288, 12_288);
    await file.close();
    expect(await refusalOf(tableOf(store, DATASET, "cells"))).toMatchObject({
      code: "unavailable",
      type: { slug: "dataset-missing" },
    });
    expect(store.open()).toEqual([]);
    await importFiles(dir, [sdmxFixture], { ...options, replaces: manifest.vintage, afresh: true });
    await store.serve(manifest.vintage);
    expect(await tableOf(store, DATASET, "cells")).toHaveLength(3);
  });

  async function flip(path: string, at: number): Promise<void> {
    const file = await open(path, "r+");
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    await file.write(Buffer.from([byte[0]! ^ 1]), 0, 1, at);
    await file.close();
  }
});

const READERS = scaled(6, 4);
const SWAPS = scaled(20, 12);

test("readers see one vintage or the other during a swap, and none fails", async () => {
  const dir = await tempDir();
  // Both rows of a vintage have its number, so an answer that mixes two is detected.
  const variant = async (n: number, replaces: string | null) => {
    const text = (await readFile(sdmxFixture, "utf8"))
      .replace("5000.0", `${n}.0`)
      .replace("2000.0", `${n}.0`);
    const file = await fileOf(dir, `v${n}.csv`, text.trimEnd().split("\n"));
    return (await importFiles(dir, [file], { ...options, replaces })).manifest.vintage;
  };
  const vintages: string[] = [];
  for (let n = 1; n <= 4; n++) vintages.push(await variant(n, vintages.at(-1) ?? null));
  const store = await storeOf(dir, vintages[0]!);

  let swapping = true;
  const seen = new Set<number>();
  const reader = async () => {
    while (swapping) {
      const lease = store.lease(DATASET);
      const { database } = lease.partitions[0]!;
      const expected = vintages.indexOf(lease.manifest.vintage) + 1;
      for (let read = 0; read < 2; read++) {
        const rows = await lease.query<{ value_eur: number }>(
          `select value_eur from ${database}.cells where flow = 'IMPORT'`,
        );
        expect(rows.map(({ value_eur }) => value_eur)).toEqual([expected, expected]);
        await new Promise((wake) => setTimeout(wake, 1));
      }
      seen.add(expected);
      lease.release();
    }
  };
  const readers = Array.from({ length: READERS }, reader);
  for (let swap = 0; swap < SWAPS; swap++) {
    await store.serve(vintages[swap % 4]!);
    await new Promise((wake) => setTimeout(wake, 10));
  }
  swapping = false;
  await Promise.all(readers);
  expect(seen.size).toBe(4);
  const lease = store.lease(DATASET);
  const attached = () =>
    lease.query("select database_name from duckdb_databases() where database_name like 'p%'");
  await expect.poll(attached).toHaveLength(1);
  lease.release();
});

test("queries beyond the waiting limit are refused, and the others are answered", async () => {
  const { dir, manifest } = await imported();
  const { openVintages } = await import("../../src/datasets/vintage-store.ts");
  const store = await openVintages({ ...limits, dataDir: dir, max_queries: 1, max_waiting: 2 });
  onTestFinished(() => store.close());
  await store.serve(manifest.vintage);
  const lease = store.lease(DATASET);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, () =>
      lease.query("select count(*) as n from range(3000000) r(i) where i % 7 = 0"),
    ),
  );
  lease.release();
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
    "rejected",
  ]);
  const [refused] = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(refused?.reason).toMatchObject({ code: "unavailable", type: { slug: "busy" } });
});

test("retention deletes old unneeded files, and preserves shared years", async () => {
  const dir = await tempDir();
  const first = await importFiles(dir, [sdmxFixture], options);
  const second = await importFiles(dir, [await revised(dir, "6000.0")], {
    ...options,
    replaces: first.manifest.vintage,
  });
  const space = await takeBuildSpace(dir);
  onTestFinished(() => space.release());
  const keep = new Set([second.manifest.vintage]);
  expect(await sweepVintages(space, keep, new Date())).toEqual({ vintages: 0, partitions: 0 });
  const old = new Date(Date.now() - 3 * 86_400_000);
  for (const { manifest } of [first, second]) {
    await utimes(manifestPath(dir, manifest.vintage), old, old);
    for (const entry of manifest.partitions) await utimes(partitionPath(dir, entry), old, old);
  }
  expect(await sweepVintages(space, keep, new Date())).toEqual({ vintages: 1, partitions: 1 });
  await storeOf(dir, second.manifest.vintage);
});

test("a built vintage is invisible until it is published", async () => {
  const dir = await tempDir();
  const space = await takeBuildSpace(dir);
  const built = await buildImport(space, {
    files: [sdmxFixture],
    limits,
    currentVintage: async () => null,
    ...options,
  });
  const store = await storeOf(dir);
  expect((await refusalOf(store.serve(built.manifest.vintage))).type.slug).toBe("dataset-missing");
  await publish(space, built);
  await space.release();
  expect((await store.serve(built.manifest.vintage)).vintage).toBe(built.manifest.vintage);
});
