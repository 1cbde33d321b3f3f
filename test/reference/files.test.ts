import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import {
  readReference,
  storeText,
  sweepReferences,
  textOfTable,
} from "../../src/datasets/reference/files.ts";
import { ReferenceStore } from "../../src/datasets/reference/store.ts";
import { perVintage, sandboxOf } from "../../src/datasets/reference/table.ts";
import { type Tide, tides } from "./toy.ts";

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), "tallystick-reference-"))));
afterAll(() => rm(dir, { recursive: true, force: true }));

const rows: Tide[] = [
  { day: "2024-01-02", metres: 2.5 },
  { day: "2024-01-01", metres: 1.5 },
];
const real = { dataset: "tides", source: "a harbour office", synthetic: false };
const kept = async (about = real, given = rows) => {
  const { reference, text } = textOfTable(tides, about, given);
  await storeText(dir, reference.vintage, text);
  return reference;
};
const pathOf = (vintage: string) => join(dir, "reference", `${vintage}.ndjson.gz`);

describe("a vintage of a reference table", () => {
  test("is a file named by its SHA-256", async () => {
    const { vintage } = await kept();
    const text = gunzipSync(await readFile(pathOf(vintage)));
    expect(createHash("sha256").update(text).digest("hex")).toBe(vintage);
    expect(text.toString().split("\n")).toEqual([
      '{"format":"TS/REFERENCE/1","dataset":"tides","source":"a harbour office","synthetic":false,"as_of":"2024-01-02","rows":2}',
      '{"day":"2024-01-01","metres":1.5}',
      '{"day":"2024-01-02","metres":2.5}',
      "",
    ]);
  });

  test("is the same for any order of its rows, and survives a round trip", async () => {
    const reference = await kept();
    expect(textOfTable(tides, real, rows.toReversed()).reference.vintage).toBe(reference.vintage);
    expect(await readReference<Tide>(dir, reference.vintage)).toEqual(reference);
  });

  test("has each key once", () =>
    expect(() => textOfTable(tides, real, [...rows, { day: "2024-01-02", metres: 9 }])).toThrow(
      /tides: 2024-01-02 occurs twice/,
    ));

  test.each([
    ["gone", (path: string) => rm(path)],
    ["cut off", async (path: string) => writeFile(path, (await readFile(path)).subarray(0, 40))],
    ["rewritten", (path: string) => writeFile(path, gzipSync('{"day":"2024-01-01","metres":3}\n'))],
  ])("whose file is %s is unavailable, and the earlier one stays served", async (_, spoil) => {
    const store = new ReferenceStore({ data_dir: dir, allow_synthetic: false });
    const first = await kept();
    await store.serve(first.vintage);
    const next = await kept(real, [{ day: "2025-01-01", metres: 7 }]);
    await spoil(pathOf(next.vintage));
    const refused = await store.serve(next.vintage).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refusal);
    expect((refused as Refusal).type.slug).toBe("dataset-missing");
    expect(store.get(tides).vintage).toBe(first.vintage);
  });

  test("is stored while it is needed or new, and is then deleted", async () => {
    const [old, needed] = [await kept(real, [{ day: "2020-01-01", metres: 1 }]), await kept()];
    const now = new Date();
    await sweepReferences(dir, new Set([needed.vintage]), now);
    expect(await readdir(join(dir, "reference"))).toContain(`${old.vintage}.ndjson.gz`);
    const before = new Date(now.getTime() - 2 * 86_400_000);
    await Promise.all([old, needed].map(({ vintage }) => utimes(pathOf(vintage), before, before)));
    await sweepReferences(dir, new Set([needed.vintage]), now);
    const left = await readdir(join(dir, "reference"));
    expect(left).toContain(`${needed.vintage}.ndjson.gz`);
    expect(left).not.toContain(`${old.vintage}.ndjson.gz`);
  });
});

describe("the tables of a process", () => {
  const invented = { dataset: sandboxOf(tides), source: "invented", synthetic: true };

  test("answer from the real table, else from the sandbox's where that is allowed", async () => {
    const sandbox = await kept(invented, tides.sandbox());
    const store = new ReferenceStore({ data_dir: dir, allow_synthetic: true });
    expect(() => store.get(tides)).toThrow(/tides is not loaded/);
    expect(store.vintages([tides])).toBeUndefined();
    await store.serve(sandbox.vintage);
    expect(store.get(tides).synthetic).toBe(true);
    const found = await kept();
    await store.serve(found.vintage);
    expect(store.get(tides)).toMatchObject({ synthetic: false, as_of: "2024-01-02" });
    expect(store.vintages([tides])).toBe(found.vintage);
    const strict = new ReferenceStore({ data_dir: dir, allow_synthetic: false });
    await strict.serve(sandbox.vintage);
    expect(strict.find(tides)).toBeUndefined();
  });

  test("are indexed once for each vintage", async () => {
    let times = 0;
    const byDay = perVintage((given: readonly Tide[]) => {
      times++;
      return new Map(given.map((row) => [row.day, row.metres]));
    });
    const reference = await kept();
    expect(byDay(reference).get("2024-01-01")).toBe(1.5);
    expect(byDay(reference).get("2024-01-02")).toBe(2.5);
    expect(times).toBe(1);
  });
});
