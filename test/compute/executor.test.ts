/** What is run for strangers: the same comes to the same, limits end it, and there is no way out. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { processExecutor } from "../../src/adapters/executor.ts";
import { type BuiltIn, readKind } from "../../src/domain/compute/kinds.ts";
import { chainOf } from "./compute-house.ts";

/** How refusals begin; a fault of our own would read otherwise. */
const REFUSED = /^(?:is not one select: |uses \w+, which|Permission Error: |Catalog Error: Table with name)/;

const executor = processExecutor();
const run = (kind: BuiltIn, input: object, limit_s = 60) =>
  executor.run({ kind, input: readKind(kind, input), limit_s });
const js = (code: string, more: object = {}) => run("js", { code, ...more });

describe("sha256-chain", () => {
  test("hashes what the round before came to", async () => {
    const input = { seed: createHash("sha256").update("seed").digest("hex"), n: 1_000 };
    expect(await run("sha256-chain", input)).toEqual({ exit: "ok", output: chainOf(input) });
  });
});

describe("js", () => {
  test("answers what the program returns", async () => {
    expect(await js("return args.map((n) => n * n)", { args: [1, 2, 3] })).toEqual({
      exit: "ok",
      output: { value: [1, 4, 9] },
    });
    expect(await js("throw new TypeError('no')")).toEqual({ exit: "ok", output: { error: "TypeError: no" } });
    expect(await js("return")).toEqual({ exit: "ok", output: { value: null } });
  });

  test("has no clock, no chance, no host and no way to them", async () => {
    const names = [
      "Date",
      "process",
      "require",
      "fetch",
      "setTimeout",
      "performance",
      "WebAssembly",
      "std",
      "os",
    ];
    const code = `return [${names.map((name) => `typeof ${name}`).join(", ")}, typeof Math.random,
      typeof (function () {}).constructor("return this")().process]`;
    expect(await js(code)).toEqual({
      exit: "ok",
      output: { value: Array.from({ length: names.length + 2 }, () => "undefined") },
    });
  });

  test.each([
    ["an endless loop", "for (;;);", "ticks"],
    ["a regular expression that explodes", "return /(a+)+$/.test('a'.repeat(40) + 'b')", "ticks"],
    ["memory without end", "const all = []; for (;;) all.push('x'.repeat(100_000) + all.length)", "memory"],
  ])("%s ends by its limit, the same each time", async (_, code, limit) => {
    const limits = { ticks: 300, memory_mb: 16 };
    for (const _ of [1, 2]) expect(await js(code, { limits })).toEqual({ exit: "limit", output: { limit } });
  });

  test("recursion without end harms nobody", async () => {
    const ran = await js("return (function f() { return f() + 1 })()");
    expect(["ok", "failed"]).toContain(ran.exit);
    expect(JSON.stringify(ran)).not.toContain("value");
  });
});

describe("sql", () => {
  const tables = {
    t: {
      columns: [
        { name: "a", type: "bigint" },
        { name: "b", type: "varchar" },
      ],
      rows: [
        [2, "two"],
        [1, "one"],
        [null, null],
      ],
    },
  };
  const sql = (query: string) => run("sql", { query, tables });

  test("answers rows, sorted where the query does not say how", async () => {
    expect(await sql("select b from t where a is not null")).toEqual({
      exit: "ok",
      output: { rows: [{ b: "one" }, { b: "two" }] },
    });
    expect(await sql("select b from t where a is not null order by a desc")).toEqual({
      exit: "ok",
      output: { rows: [{ b: "two" }, { b: "one" }] },
    });
  });

  test.each([
    "select * from read_csv('/etc/passwd')",
    "select * from '/etc/passwd'",
    "copy t to '/tmp/out'",
    "attach '/tmp/other.db'",
    "install httpfs",
    "set enable_external_access = true",
    "select 1; select 2",
    "select random()",
    "select now()",
    "select current_timestamp",
    "select uuid()",
    "select * from t using sample 1",
    "select getenv('HOME')",
  ])("refuses %s", async (query) => {
    expect(await sql(query)).toEqual({ exit: "ok", output: { error: expect.stringMatching(REFUSED) } });
  });
});

test("what takes too long is killed, and no verdict", async () => {
  const input = { seed: "00".repeat(32), n: 10_000_000 };
  expect(await run("sha256-chain", input, 0.2)).toEqual({ exit: "failed", reason: "it took too long" });
});
