/** Code of strangers: equal runs give equal results, limits end them, and there is no escape. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { processExecutor } from "../../src/adapters/executor.ts";
import { type BuiltIn, readKind } from "../../src/domain/compute/kinds.ts";
import { chainOf } from "./compute-setup.ts";
import { sqlInProcess } from "./in-process.ts";

/** The prefix of refusals; a fault of our own reads otherwise. */
const REFUSED =
  /^(?:is not one select: |uses \w+, which|Permission Error: |reads \S+, which is none of its tables)/;

const executor = processExecutor();
const run = (kind: BuiltIn, input: object, limit_s = 60) =>
  executor.run({ kind, input: readKind(kind, input), limit_s });
const js = (code: string, more: object = {}) => run("js", { code, ...more });

describe("sha256-chain", () => {
  test("hashes the previous round's result", async () => {
    const input = { seed: createHash("sha256").update("seed").digest("hex"), n: 1_000 };
    expect(await run("sha256-chain", input)).toEqual({ exit: "ok", output: chainOf(input) });
  });
});

describe("js", () => {
  test("returns the program's value", async () => {
    expect(await js("return args.map((n) => n * n)", { args: [1, 2, 3] })).toEqual({
      exit: "ok",
      output: { value: [1, 4, 9] },
    });
    expect(await js("throw new TypeError('no')")).toEqual({ exit: "ok", output: { error: "TypeError: no" } });
    expect(await js("return")).toEqual({ exit: "ok", output: { value: null } });
  });

  test("has no clock, no random numbers, no host and no access to them", async () => {
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
    ["memory without end, in small pieces", "const all = []; for (;;) all.push({ all, b: [1] })", "memory"],
    [
      "memory without end, doubled",
      "let s = 'x'.repeat(1_000); for (;;) { s += s; s.charCodeAt(s.length - 1) }",
      "memory",
    ],
  ])("stops %s at its limit, the same each time", async (_, code, limit) => {
    const limits = { ticks: 3_000, memory_mb: 16 };
    for (const _ of [1, 2]) expect(await js(code, { limits })).toEqual({ exit: "limit", output: { limit } });
  });

  test.each([
    ["a text without a form in UTF-8", "return '\\ud800'"],
    [
      "nesting deeper than a result may be",
      "let all = []; for (let n = 0; n < 200; n++) all = [all]; return all",
    ],
    ["an answer that is no object", "Object.prototype.toJSON = () => 5; return 1"],
    ["an answer that is a list", "Object.prototype.toJSON = () => [1]; return 1"],
    ["a number that is none", "Object.prototype.toJSON = undefined; return JSON.rawJSON ? 1 : '\\udfff'"],
  ])("refuses %s without a canonical form, the same each time", async (_, code) => {
    const answer = { exit: "ok", output: { error: expect.stringMatching(/canonical form|InternalError/) } };
    expect(await js(code)).toEqual(answer);
  });

  test("keeps code that leaves its function inside the sandbox", async () => {
    const out = `return 1 }), (function () { globalThis.JSON = { stringify: () => "no" }; })(), (function () { return typeof process`;
    const ran = await js(out);
    expect(ran).toEqual({ exit: "ok", output: { value: "undefined" } });
    expect((await js("}); throw 1; (function () {")).exit).toBe("ok");
  });

  test("survives endless recursion", async () => {
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

  test("returns rows, sorted if the query has no order", async () => {
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
    "select * from query('select random()')",
    "select age(timestamp '2020-01-01')",
    "select list_transform([1], x -> random())",
    "select * from pragma_platform()",
    "select * from duckdb_databases()",
    "select * from duckdb_settings()",
    "from duckdb_logs",
    "select * from information_schema.tables",
    "select * from t, (select * from pg_catalog.pg_class)",
    "select * from glob('/*')",
    "select * from read_text('/proc/self/environ')",
    "select * from which_secret('s3://x', 's3')",
    "call pragma_version()",
    "pragma database_list",
  ])("refuses %s", async (query) => {
    const refused = { exit: "ok", output: { error: expect.stringMatching(REFUSED) } };
    expect(await sqlInProcess(query, tables)).toEqual(refused);
  });

  test.each(["select * from read_csv('/etc/passwd')", "select random()"])(
    "refuses %s in its own process as in this one",
    async (query) => {
      const refused = await sqlInProcess(query, tables);
      expect(refused).toMatchObject({ output: { error: expect.stringMatching(REFUSED) } });
      expect(await sql(query)).toEqual(refused);
    },
  );

  test("reads the query's tables, its own results, and rows of its arguments", async () => {
    const query = "with own as (select 1 as n) select own.n, T.a, i from own, T, range(2) r(i) where T.a = 1";
    expect(await sql(query)).toEqual({
      exit: "ok",
      output: {
        rows: [
          { n: 1, a: "1", i: "0" },
          { n: 1, a: "1", i: "1" },
        ],
      },
    });
  });

  test("hides the machine's time zone", async () => {
    expect(await sql("select timestamptz '2024-07-01 12:00:00+02'::varchar as t")).toEqual({
      exit: "ok",
      output: { rows: [{ t: "2024-07-01 10:00:00+00" }] },
    });
  });

  test("has no verdict when memory runs out, since another machine may have more", async () => {
    expect(await sql("select list(i) from range(100000000) r(i)")).toMatchObject({ exit: "failed" });
  });
});

test("a run that takes too long is killed without a verdict", async () => {
  const input = { seed: "00".repeat(32), n: 10_000_000 };
  expect(await run("sha256-chain", input, 0.2)).toEqual({ exit: "failed", reason: "it took too long" });
});
