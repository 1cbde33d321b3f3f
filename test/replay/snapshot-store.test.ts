/** Snapshots are made once, whole or not at all, from vintages that are served or not. */
import { once } from "node:events";
import { mkdtemp, open, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { partitionPath } from "../../src/datasets/manifest.ts";
import { SnapshotStore, snapshotsDir, sweepSnapshots } from "../../src/datasets/snapshots.ts";
import { openVintages, type VintageStore } from "../../src/datasets/vintage-store.ts";
import { fileOf, importFiles, refusalOf, sdmxFixture, storeOf } from "../datasets/workshop.ts";
import { startProgram } from "../support/compiled.ts";

const RELEASED = "2026-01-01T00:00:00.000Z";
const DATASET = "comext-ds-045409";
const SERVED = 3;

/** Three vintages of one dataset; the last is the current one. */
const made: string[] = [];
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-snapshots-"));
  const text = await readFile(sdmxFixture, "utf8");
  for (let n = 1; n <= SERVED; n++) {
    const file = await fileOf(dir, `v${n}.csv`, text.replace("5000.0", `${n}.0`).trimEnd().split("\n"));
    const { manifest } = await importFiles(dir, [file], { reporters: ["DE"], replaces: made.at(-1) ?? null });
    made.push(manifest.vintage);
  }
  return () => rm(dir, { recursive: true, force: true });
});

let vintages: VintageStore;
let snapshots: SnapshotStore;
beforeEach(async () => {
  await rm(snapshotsDir(dir), { recursive: true, force: true });
  vintages = await storeOf(dir, made[SERVED - 1]!);
  snapshots = openSnapshots();
});

function openSnapshots(patience_ms?: number): SnapshotStore {
  const store = new SnapshotStore({
    data_dir: dir,
    vintages,
    ...(patience_ms !== undefined && { patience_ms }),
  });
  onTestFinished(() => store.close());
  return store;
}

/** The existing files, drafts included. */
const files = () => readdir(snapshotsDir(dir)).catch(() => [] as string[]);

async function attached(): Promise<number> {
  const lease = vintages.lease(DATASET);
  try {
    return (await lease.query("select 1 from duckdb_databases() where database_name like 'p%'")).length;
  } finally {
    lease.release();
  }
}

describe("a snapshot", () => {
  test("of a vintage that is not served is made once, and its files are released", async () => {
    const [first, second] = await Promise.all([
      snapshots.open(made[0]!, RELEASED),
      snapshots.open(made[0]!, RELEASED),
    ]);
    expect(first).toEqual(second);
    expect(await files()).toEqual([`${made[0]}.${first.sha256}.parquet`]);
    expect(await snapshots.open(made[0]!, RELEASED)).toEqual(first);
    expect(await openSnapshots().open(made[0]!, RELEASED)).toEqual(first);
    await expect.poll(attached).toBe(1);
    expect(vintages.open().map(({ vintage }) => vintage)).toEqual([made[SERVED - 1]]);
  });

  test("is created even if the first request times out with a 503", async () => {
    const hasty = openSnapshots(0);
    expect(await refusalOf(hasty.open(made[0]!, RELEASED))).toMatchObject({
      code: "unavailable",
      type: { slug: "snapshot-being-made" },
      retry_after_s: 30,
    });
    await expect.poll(files).toEqual([expect.stringMatching(/\.parquet$/)]);
    expect((await hasty.open(made[0]!, RELEASED)).bytes).toBeGreaterThan(100);
  });

  test("of a vintage without files is refused, and leaves nothing", async () => {
    const refusal = await refusalOf(snapshots.open("ab".repeat(32), RELEASED));
    expect(refusal).toMatchObject({ code: "unavailable", type: { slug: "dataset-missing" } });
    expect(await files()).toEqual([]);
  });

  test("damaged on the disk is made again", async () => {
    const { path, sha256 } = await snapshots.open(made[0]!, RELEASED);
    const file = await open(path, "r+");
    await file.write(Buffer.from("XXXX"), 0, 4, 8);
    await file.close();
    const again = await openSnapshots().open(made[0]!, RELEASED);
    expect(again.sha256).toBe(sha256);
    await rm(path);
    expect((await snapshots.open(made[0]!, RELEASED)).sha256).toBe(sha256);
  });

  test("whose maker is killed is absent, and is made by the next request", async () => {
    const maker = startProgram("test/replay/killed-snapshot.ts", [dir, made[0]!], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void maker.kill("SIGKILL"));
    await once(maker.stdout!, "data");
    maker.kill("SIGKILL");
    await once(maker, "exit");
    const left = await files();
    expect(left).toEqual([expect.stringMatching(/^making-[0-9a-f]{16}$/)]);
    const { path } = await snapshots.open(made[0]!, RELEASED);
    expect((await files()).sort()).toEqual([...left, path.slice(snapshotsDir(dir).length + 1)].sort());
  });

  test("is interrupted when the service stops", async () => {
    const opening = refusalOf(snapshots.open(made[0]!, RELEASED));
    await snapshots.close();
    expect(await opening).toMatchObject({ code: "unavailable", message: "the service is stopping" });
    expect(await files()).toEqual([]);
  });
});

test("the sweep deletes files that no stored vintage needs, and drafts of the day before", async () => {
  const kept = await snapshots.open(made[0]!, RELEASED);
  const old = await snapshots.open(made[1]!, RELEASED);
  const draft = join(snapshotsDir(dir), "making-0123456789abcdef");
  await writeFile(draft, "");
  const keep = new Set([made[0]!]);
  expect(await sweepSnapshots(dir, keep, new Date())).toBe(0);
  const before = new Date(Date.now() - 2 * 86_400_000);
  for (const path of [kept.path, old.path, draft]) await utimes(path, before, before);
  expect(await sweepSnapshots(dir, keep, new Date())).toBe(2);
  expect(await files()).toEqual([kept.path.slice(snapshotsDir(dir).length + 1)]);
});

describe("leases by vintage", () => {
  test("stay valid while vintages are replaced, and release all of them in the end", async () => {
    let swapping = true;
    const reader = async (at: number) => {
      while (swapping) {
        const lease = await vintages.leaseVintage(made[at]!);
        const { database } = lease.partitions[0]!;
        const rows = await lease.query<{ value_eur: number }>(
          `select value_eur from ${database}.cells where flow = 'IMPORT' and partner = 'FR'`,
        );
        expect([lease.manifest.vintage, rows]).toEqual([made[at], [{ value_eur: at + 1 }]]);
        lease.release();
        lease.release();
      }
    };
    const readers = [0, 1, 2, 0, 1, 2].map(reader);
    for (let swap = 0; swap < 30; swap++) {
      await vintages.serve(made[swap % SERVED]!);
      await new Promise((wake) => setTimeout(wake, 5));
    }
    swapping = false;
    await Promise.all(readers);
    await expect.poll(attached).toBe(1);
  });

  test("check the files as serving does", async () => {
    const [first] = (await vintages.leaseVintage(made[0]!)).manifest.partitions;
    const path = partitionPath(dir, first!);
    const bytes = await readFile(path);
    onTestFinished(() => writeFile(path, bytes));
    await writeFile(path, Buffer.from(bytes.map((byte, at) => (at === 9_000 ? byte ^ 1 : byte))));
    const other = await storeOf(dir);
    expect(await refusalOf(other.leaseVintage(made[0]!))).toMatchObject({
      type: { slug: "dataset-missing" },
    });
  });
});

test("a snapshot with too little memory is refused, naming the setting and its value", async () => {
  const small = openVintages({ dataDir: dir, threads: 1, memory_mb: 1 });
  onTestFinished(() => small.close());
  const store = new SnapshotStore({ data_dir: dir, vintages: small });
  const refusal = await refusalOf(store.open(made[0]!, RELEASED));
  expect(refusal.type.slug).toBe("memory-limit");
  expect(refusal.message).toMatch(/more memory than the 1 MB of DUCKDB_MEMORY_MB: .*raise DUCKDB_MEMORY_MB$/);
  expect(await files()).toEqual([]);
});
