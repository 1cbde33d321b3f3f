/** Roll-ups next to the partitions of a vintage: created if missing, and never used when damaged, stale or wrong. */
import { createHash } from "node:crypto";
import { copyFile, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { publish, takeBuildSpace } from "../../src/datasets/build-space.ts";
import { openDuckdb, row } from "../../src/datasets/duckdb.ts";
import { type Manifest, manifestPath } from "../../src/datasets/manifest.ts";
import { sweepVintages } from "../../src/datasets/retention.ts";
import { rollupPath, rollupsDir } from "../../src/datasets/rollups/file.ts";
import { MassSum } from "../../src/datasets/rollups/sums.ts";
import { YearRollup } from "../../src/datasets/rollups/year.ts";
import type { VintageStore } from "../../src/datasets/vintage-store.ts";
import { timeline, timelineInput } from "../../src/projections/trade/answers/series.ts";
import { sources, sourcesInput } from "../../src/projections/trade/answers/sources.ts";
import { fromTables } from "../support/from-tables.ts";
import { drawing } from "../trade/random-datasets.ts";
import { bulkFixture, fileOf, importFiles, limits, storeOf, tempDir } from "./workshop.ts";

const dataset = "comext-bulk";

/** Two years of one reporter; `kg` is the mass of each row. */
async function twoYears(dir: string, { eur = 5_000_000, kg = 12.345 } = {}): Promise<Manifest> {
  const header = (await readFile(bulkFixture, "utf8")).split("\n")[0]!;
  const months = [202311, 202312, 202401, 202402];
  const files = months.map((period, at) =>
    fileOf(dir, `full_v2_${period}.csv`, [
      header,
      ...["RU", "US"].map(
        (partner, one) =>
          `DE,${partner},E,39161000,58310,2221,2221,220,211210,07,1,1,NO_SU,${period},${eur * (one + 1) + at},1,${kg},0`,
      ),
    ]),
  );
  return (await importFiles(dir, await Promise.all(files), { reporters: ["DE"] })).manifest;
}

const isRolledUp = (store: VintageStore) => {
  const lease = store.lease(dataset);
  lease.release();
  return lease.partitions.map(({ rollup }) => rollup !== undefined);
};

/** A roll-up's answers from memory and from its file, next to the tables' answers. */
async function answers(store: VintageStore) {
  const ask = async (vintages: Parameters<typeof timeline>[0]["vintages"]) => {
    const trade = { vintages, allow_synthetic: true };
    const input = { reporters: ["DE"], dataset } as const;
    const months = await timeline(trade, timelineInput.parse(input));
    return JSON.stringify([months, await sources(trade, sourcesInput.parse({ year: 2024, dataset }))]);
  };
  return { rolledUp: await ask(store), plain: await ask(fromTables(store)) };
}

test("an import creates one roll-up per year, which answers like the tables", async () => {
  const dir = await tempDir();
  const { vintage, partitions } = await twoYears(dir);
  expect(await readdir(rollupsDir(dir))).toHaveLength(2);
  for (const entry of partitions) {
    const rollup = await YearRollup.open(rollupPath(dir, entry), entry);
    expect(rollup?.year).toBe(entry.year);
    await rollup?.close();
  }
  const store = await storeOf(dir, vintage);
  expect(isRolledUp(store)).toEqual([true, true]);
  const { rolledUp, plain } = await answers(store);
  expect(rolledUp).toBe(plain);
  expect(rolledUp).toContain("15000002");
});

describe("a vintage without roll-ups, as of an earlier version", () => {
  test("gets them when served, and answers as before", async () => {
    const dir = await tempDir();
    const { vintage } = await twoYears(dir);
    await rm(rollupsDir(dir), { recursive: true });
    const store = await storeOf(dir, vintage);
    expect(isRolledUp(store)).toEqual([true, true]);
    expect(await readdir(rollupsDir(dir))).toHaveLength(2);
    const { rolledUp, plain } = await answers(store);
    expect(rolledUp).toBe(plain);
  });

  test("is answered from its tables if only requested by name", async () => {
    const dir = await tempDir();
    const { vintage } = await twoYears(dir);
    await rm(rollupsDir(dir), { recursive: true });
    const store = await storeOf(dir);
    const lease = await store.leasePast(vintage);
    expect(lease.partitions.map(({ rollup }) => rollup)).toEqual([undefined, undefined]);
    lease.release();
    expect(await readdir(rollupsDir(dir)).catch(() => [])).toEqual([]);
    // Served later it gets a roll-up, though its partitions are open already.
    await store.serve(vintage);
    expect(isRolledUp(store)).toEqual([true, true]);
  });

  test("is served from its tables if none can be written", async () => {
    const dir = await tempDir();
    const { vintage } = await twoYears(dir);
    await rm(rollupsDir(dir), { recursive: true });
    await writeFile(rollupsDir(dir), "a file where the folder would be");
    const store = await storeOf(dir, vintage);
    expect(isRolledUp(store)).toEqual([false, false]);
    const { rolledUp, plain } = await answers(store);
    expect(rolledUp).toBe(plain);
  });
});

/** Changes the bytes after the digest and corrects the digest. */
async function forge(path: string, change: (bytes: Buffer) => void): Promise<void> {
  const bytes = await readFile(path);
  change(bytes);
  bytes.write(createHash("sha256").update(bytes.subarray(64)).digest("hex"), 0);
  await writeFile(path, bytes);
}

describe("an invalid roll-up is created again", () => {
  const harms: Record<string, (path: string, other: string) => Promise<void>> = {
    "a byte is another": async (path) => {
      const bytes = await readFile(path);
      bytes[bytes.length - 100]! ^= 1;
      await writeFile(path, bytes);
    },
    "its end is cut off": async (path) => writeFile(path, (await readFile(path)).subarray(0, -8)),
    "it is empty": (path) => writeFile(path, ""),
    "it is another year's": (path, other) => copyFile(other, path),
    "it is of other content": (path) =>
      forge(path, (bytes) => {
        const at = bytes.indexOf('"content_sha256":"') + 18;
        bytes.write(bytes[at] === 48 ? "1" : "0", at);
      }),
    "its sums are not those of the manifest": (path) =>
      forge(path, (bytes) => {
        const begin = 72 + Number.parseInt(bytes.toString("latin1", 64, 72), 16);
        const totals = new Float64Array(
          bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + begin + 24 * 8),
        );
        const at = totals.findIndex((value) => value > 0);
        bytes.writeDoubleLE(totals[at]! + 1, begin + 8 * at);
      }),
  };
  test.each(Object.keys(harms))("%s", async (harm) => {
    const dir = await tempDir();
    const { vintage, partitions } = await twoYears(dir);
    const [first, second] = partitions.map((entry) => rollupPath(dir, entry)) as [string, string];
    const whole = await readFile(first);
    await harms[harm]!(first, second);
    expect(await YearRollup.open(first, partitions[0]!)).toBeUndefined();
    const store = await storeOf(dir, vintage);
    expect(isRolledUp(store)).toEqual([true, true]);
    expect(await readFile(first)).toEqual(whole);
    const { rolledUp, plain } = await answers(store);
    expect(rolledUp).toBe(plain);
  });
});

test("amounts too large for exact sums are left to the tables", async () => {
  const dir = await tempDir();
  const { vintage } = await twoYears(dir, { kg: 5_000_000_000_000.123 });
  expect(await readdir(rollupsDir(dir)).catch(() => [])).toEqual([]);
  const store = await storeOf(dir, vintage);
  expect(isRolledUp(store)).toEqual([false, false]);
  const { rolledUp, plain } = await answers(store);
  expect(rolledUp).toBe(plain);
});

test("a vintage can be dropped and served again while its roll-ups are read", async () => {
  const dir = await tempDir();
  const { vintage } = await twoYears(dir);
  const next = await twoYears(dir, { eur: 7_000_000 });
  const store = await storeOf(dir, vintage);
  for (let swap = 0; swap < 6; swap++) {
    const [answer] = await Promise.all([answers(store), store.serve(swap % 2 ? vintage : next.vintage)]);
    expect([answer.rolledUp, answer.plain].every((text) => /15000002|21000002/.test(text))).toBe(true);
  }
});

test("roll-ups are deleted with the vintages that need them", async () => {
  const dir = await tempDir();
  const kept = await twoYears(dir);
  const gone = await twoYears(dir, { eur: 7_000_000 });
  const old = new Date(Date.now() - 3 * 86_400_000);
  await utimes(manifestPath(dir, gone.vintage), old, old);
  for (const name of await readdir(rollupsDir(dir))) await utimes(join(rollupsDir(dir), name), old, old);
  const draft = join(rollupsDir(dir), "making-of-a-killed-process");
  await writeFile(draft, "");
  const space = await takeBuildSpace(dir);
  await sweepVintages(space, new Set([kept.vintage]), new Date());
  for (const entry of kept.partitions) await stat(rollupPath(dir, entry));
  for (const entry of gone.partitions) await expect(stat(rollupPath(dir, entry))).rejects.toThrow();
  // A file in progress must not be deleted.
  await stat(draft);
  await utimes(draft, old, old);
  await sweepVintages(space, new Set([kept.vintage]), new Date());
  await expect(stat(draft)).rejects.toThrow();
  await space.release();
});

test("a vintage published without roll-ups still exists", async () => {
  const dir = await tempDir();
  const { vintage } = await twoYears(dir);
  const text = await readFile(manifestPath(dir, vintage), "utf8");
  const space = await takeBuildSpace(dir);
  await publish(space, { manifest: JSON.parse(text), replaces: null, new_files: [] });
  await space.release();
  const store = await storeOf(dir, vintage);
  expect(isRolledUp(store)).toEqual([true, true]);
});

test("masses add up to the same number as in DuckDB", async () => {
  const draw = drawing(7);
  const instance = await openDuckdb(limits);
  const connection = await instance.connect();
  for (let times = 0; times < 60; times++) {
    const largest = 10 ** (1 + Math.floor(draw.next() * 14));
    const grams = Array.from({ length: 1 + Math.floor(draw.next() * 600) }, () =>
      Math.floor(draw.next() * largest),
    );
    const sum = new MassSum();
    const halves = [new MassSum(), new MassSum()];
    for (const [at, one] of grams.entries()) {
      sum.add(one);
      halves[at & 1]!.add(one);
    }
    sum.add(Number.NaN);
    const list = grams
      .map((one) => `${Math.floor(one / 1000)}.${String(one % 1000).padStart(3, "0")}`)
      .join(", ");
    const { kg } = await row<{ kg: number }>(
      connection,
      `select sum(one)::double as kg from (select unnest([${list}]::decimal(18, 3)[]) as one)`,
    );
    expect(sum.kg()).toBe(kg);
    expect(new MassSum().addAll(halves[0]!).addAll(halves[1]!).kg()).toBe(kg);
  }
  expect(new MassSum().kg()).toBeNull();
  connection.closeSync();
  instance.closeSync();
});
