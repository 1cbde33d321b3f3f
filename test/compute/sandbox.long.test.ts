/** Programs against the sandbox: to see the machine, to exceed its limits, or to differ between machines. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { processExecutor } from "../../src/adapters/executor.ts";
import { type BuiltIn, type KindInput, readKind } from "../../src/domain/compute/kinds.ts";
import { scaled } from "../support/scale.ts";
import { until } from "../support/until.ts";
import { sqlInProcess } from "./in-process.ts";

const executor = processExecutor();
const run = (kind: BuiltIn, input: object, by = executor) =>
  by.run({ kind, input: readKind(kind, input), limit_s: 60 });
const sql = (query: string, tables = {}, by = executor) => run("sql", { query, tables }, by);
const js = (code: string, more: object = {}) => run("js", { code, ...more });

describe("sql: reads", () => {
  test.each([
    // A name of the query is a table only in its scope, never a function or another schema's table.
    `with "query()" as (select 1) select * from query('select random()')`,
    `with "pragma_platform()" as (select 1) select * from pragma_platform()`,
    `with "information_schema.tables" as (select 1) select * from information_schema.tables`,
    "select (with duckdb_databases as (select 1) select 1), d.* from duckdb_databases d",
    "with duckdb_databases as (select * from duckdb_databases) select * from duckdb_databases",
    "select * from (show databases)",
    "select * from (summarize select 1)",
    "with a as (select * from b), b as (select 1) select * from a",
  ])("see nothing of the machine: %s", async (query) => {
    expect(await sqlInProcess(query)).toEqual({
      exit: "ok",
      output: { error: expect.stringMatching(/^reads .+, which is none of its tables$/) },
    });
  });

  test("see what the query defines in scope, and themselves in a recursion", async () => {
    const query = `with recursive n as (select 1 as i union all select i + 1 from n where i < 3), m as (select max(i) as top from N)
      select i, (with s as (select * from m) select top from s) as top from n`;
    expect(await sql(query)).toEqual({
      exit: "ok",
      output: { rows: [1, 2, 3].map((i) => ({ i, top: 3 })) },
    });
  });
});

describe("sql: results", () => {
  test.each([
    // Macros expand to their parts.
    "select ago(interval 1 day)",
    "select pg_postmaster_start_time()",
    "select pg_conf_load_time()",
    "select current_localtime()",
    "select current_localtimestamp()",
    "select geomean(x) from (select 1.5::double as x)",
    // The last digit of the C library depends on the processor.
    "select sin(1.1)",
    "select exp(i) from range(3) r(i)",
    "select 1.1 ^ 2.2",
    "select 1.1 ** 2.2",
    "select pow(1.1, 2.2)",
    "select stddev(i) from range(9) r(i)",
    "select list_cosine_similarity([1.1], [2.2])",
    "select list_aggregate([1.5, 2.5], 'stddev')",
    "select list_aggregate([1.5, 2.5], 'std' || 'dev')",
    "select approx_quantile(i, 0.5) from range(9) r(i)",
    "select reservoir_quantile(i, 0.5) from range(9) r(i)",
    "select signbit('nan'::double)",
  ])("do not depend on time, chance or processor: %s", async (query) => {
    const why = /^uses \S+(?:, which is not among|, whose last digit| without saying)/;
    expect(await sqlInProcess(query)).toEqual({ exit: "ok", output: { error: expect.stringMatching(why) } });
  });

  test("are equal on a processor without fused multiplication", async () => {
    const older = processExecutor({
      environment: { GLIBC_TUNABLES: "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4,-AVX" },
    });
    const query = `with t as (select i, i::double / 7.3 + 0.1 as x from range(1, 5000) r(i))
      select md5(string_agg((sqrt(x) * x - x / 3.7 + degrees(x) + x % 1.3)::varchar, ',' order by i)) as digest,
        sum(x) as s, avg(x) as a, median(x) as m, product(x / 2500) as p, list_sum(list(x order by i)) as l from t`;
    const [here, there] = [await sql(query), await sql(query, {}, older)];
    expect(here).toMatchObject({
      exit: "ok",
      output: { rows: [{ digest: expect.stringMatching(/^\w{32}$/) }] },
    });
    expect(there).toEqual(here);
  });

  test("exclude division by zero, whose sign depends on the processor", async () => {
    const query = "select 1.0::double / 0 as a, (0.0::double / 0.0::double)::varchar as b";
    expect(await sql(query)).toEqual({ exit: "ok", output: { rows: [{ a: null, b: null }] } });
  });

  test("may name a column like a function", async () => {
    const columns = ["version", "now", "exp"].map((name) => ({ name, type: "bigint" }));
    const answered = await sql("select version, now, exp from t", { t: { columns, rows: [[1, 2, 3]] } });
    expect(answered).toEqual({ exit: "ok", output: { rows: [{ version: "1", now: "2", exp: "3" }] } });
  });

  test("keep the query's final order, whatever it orders by", async () => {
    const rows = [["b"], ["C"], ["a"]];
    const t = { columns: [{ name: "x", type: "varchar" }], rows };
    const answered = await sql("select x from t order by lower(x) desc", { t });
    expect(answered).toEqual({ exit: "ok", output: { rows: [{ x: "C" }, { x: "b" }, { x: "a" }] } });
    // The text in a literal is no order clause.
    const said = await sql("select x, 'order by x' as y from t", { t });
    expect(said).toMatchObject({ output: { rows: [{ x: "C" }, { x: "a" }, { x: "b" }] } });
  });
});

describe("sql: resources", () => {
  test("endless rows hit a limit before they exist", async () => {
    const query = "select i from range(100000000000) r(i)";
    expect(await sql(query)).toEqual({ exit: "limit", output: { limit: "rows" } });
  });

  test.skipIf(process.platform !== "linux")(
    "memory that DuckDB does not count ends at the system's limit",
    async () => {
      const query = "select count(*) from (select repeat('x', 1000000) s from range(3000) order by s)";
      expect(await sql(query)).toMatchObject({ exit: "failed" });
    },
  );
});

describe("js", () => {
  test.each([
    ["texts", "const all = []; for (;;) all.push('x'.repeat(1_000))"],
    ["texts that are joined", "const all = []; for (;;) all.push('x'.repeat(1_000) + all.length)"],
    ["typed arrays", "const all = []; for (;;) all.push(new Uint8Array(4_096))"],
    ["large numbers", "const all = []; for (;;) all.push(2n ** 20_000n + BigInt(all.length))"],
    ["a map", "const all = new Map(); for (let n = 0; ; n++) all.set(n, { n })"],
  ])("memory taken piece by piece ends at its limit: %s", async (_, code) => {
    const limits = { ticks: 100_000, memory_mb: 16 };
    expect(await js(code, { limits })).toEqual({ exit: "limit", output: { limit: "memory" } });
  });

  test.each([
    ["a search in a list of 2^53", "return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"],
    ["a list filled", "return Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 1)"],
    ["large numbers", "let x = 3n; for (;;) x = (x * x) % (2n ** 20_000n - 1n)"],
    ["texts searched", "const s = 'ab'.repeat(1e6); let n = 0; for (;;) n += s.lastIndexOf('ba' + n)"],
    ["a list joined", "const a = new Array(1e6); for (;;) a.join(',')"],
  ])("native loops count ticks: %s", async (_, code) => {
    const limits = { ticks: 1_000, memory_mb: 64 };
    const first = await js(code, { limits });
    expect(first).toEqual({ exit: "limit", output: { limit: expect.stringMatching(/^(ticks|memory)$/) } });
    expect(await js(code, { limits })).toEqual(first);
  });

  test("the available memory is the same each time", async () => {
    const code = "const all = []; try { for (;;) all.push('x'.repeat(1_000)) } catch { return all.length }";
    const first = await js(code);
    expect(first).toEqual({ exit: "ok", output: { value: expect.any(Number) } });
    expect(await js(code)).toEqual(first);
  });

  test.each([
    ["JSON read", "SyntaxError", "return JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))"],
    [
      "lists flattened",
      "InternalError",
      "let a = []; for (let n = 0; n < 100_000; n++) a = [a]; return a.flat(Infinity)",
    ],
    ["comparing", "InternalError", "return (function f() { return [1, 2].sort(() => f()) })()"],
    [
      "proxies",
      "InternalError",
      "let p = {}; for (let n = 0; n < 100_000; n++) p = new Proxy(p, {}); return p.x",
    ],
    [
      "generators",
      "InternalError",
      "function* g(n) { if (n) yield* g(n - 1); yield n } return [...g(100_000)]",
    ],
  ])("endless nesting is the program's own error: %s", async (_, name, code) => {
    expect(await js(code)).toEqual({ exit: "ok", output: { error: `${name}: stack overflow` } });
  });

  test.each([
    ["throw undefined", ": undefined"],
    ["throw { name: { toString: 1 }, message: 'm' }", ": m"],
    ["throw Symbol('s')", ": Symbol(s)"],
  ])("a thrown value need not be an error: %s", async (code, error) => {
    expect(await js(code)).toEqual({ exit: "ok", output: { error } });
  });

  test("a result that is too large is a limit, the same on every node", async () => {
    const code = "return 'x'.repeat(2 ** 20)";
    expect(await js(code)).toEqual({ exit: "limit", output: { limit: "result" } });
  });

  test("NaN has the same bytes however it arises", async () => {
    const code = `const f = new Float64Array([NaN, 0 / 0, -(0 / 0), Infinity - Infinity, Infinity * 0, Math.sqrt(-1), -NaN, Number("x")]);
      return [...new Set(new Uint32Array(f.buffer))].map((n) => n.toString(16)).sort()`;
    expect(await js(code)).toEqual({ exit: "ok", output: { value: ["0", "7ff80000"] } });
  });

  test("arguments keep a key that a literal would treat as a prototype", async () => {
    // Reading an input drops such a key; a worker may still receive one.
    const args = JSON.parse('{"__proto__": {"a": 1}}');
    const code = "return [Object.keys(args), args.a === undefined]";
    const input = { ...readKind("js", { code }), args } as KindInput<"js">;
    expect(await executor.run({ kind: "js", input, limit_s: 60 })).toEqual({
      exit: "ok",
      output: { value: [["__proto__"], true] },
    });
  });
});

test.skipIf(!existsSync("/bin/sh"))("a program whose service was killed ends by itself", async () => {
  const input = { seed: "00".repeat(32), n: Number.MAX_SAFE_INTEGER };
  const url = new URL("../../src/adapters/executor.ts", import.meta.url).href;
  const start = `import(${JSON.stringify(url)}).then(({ processExecutor }) => {
    processExecutor().run({ kind: "sha256-chain", input: ${JSON.stringify(input)}, limit_s: 1 });
    process.stdout.write("begun");
    setInterval(() => {}, 1_000);
  })`;
  const service = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), "-e", start], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  await new Promise((resolve) => service.stdout.once("data", resolve));
  const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8");
  const program = await until(() => {
    const answer = readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, "utf8");
    const children = answer
      .split(" ")
      .filter((pid) => pid !== "")
      .map(Number);
    return children.find((pid) => commandOf(pid).includes("execution")) ?? false;
  });
  service.kill("SIGKILL");
  await until(() => !existsSync(`/proc/${program}`));
});

describe("on other versions of Node", () => {
  const other = (process.env.NODE_BINARIES ?? "").split(",").filter((path) => path !== "");
  const PROGRAMS = scaled(200, 10);
  test.skipIf(other.length === 0)(
    `${PROGRAMS} programs give the same digests (NODE_BINARIES: their paths, separated by commas)`,
    async () => {
      const executors = [executor, ...other.map((node) => processExecutor({ node }))];
      const seen = new Set<string>();
      for (let n = 0; n < PROGRAMS; n++) {
        const [kind, input] = generated(n);
        const ran = await Promise.all(executors.map((by) => run(kind, input, by)));
        for (const { exit } of ran) expect(exit).not.toBe("failed");
        const digests = ran.map((one) => createHash("sha256").update(JSON.stringify(one)).digest("hex"));
        expect(new Set(digests), JSON.stringify(input)).toHaveProperty("size", 1);
        seen.add(digests[0]!);
      }
      // They do have different results.
      expect(seen.size).toBeGreaterThan(PROGRAMS / 2);
    },
    3_600_000,
  );
});

/** The nth program: half of them js, the others mostly sql. */
function generated(n: number): [BuiltIn, object] {
  const numbers = Array.from({ length: 40 }, (_, i) => ((n * 7_919 + i * 104_729) % 10_007) / 7);
  if (n % 10 === 9)
    return ["sha256-chain", { seed: createHash("sha256").update(String(n)).digest("hex"), n: 10 + n }];
  if (n % 2 === 0) return ["js", { code: JS[(n / 2) % JS.length]!, args: numbers }];
  const columns = [
    { name: "i", type: "bigint" },
    { name: "x", type: "double" },
    { name: "s", type: "varchar" },
  ];
  const rows = numbers.map((x, i) => [i % 7, x, `${["straße", "İ", "zoë", "x"][i % 4]}${i}`]);
  return ["sql", { query: SQL[((n - 1) / 2) % SQL.length]!, tables: { t: { columns, rows } } }];
}

const JS = [
  "return args.map((x) => [Math.sin(x), Math.exp(x / 100), x ** 1.7, Math.cbrt(x), Math.hypot(x, 3), Math.atan2(x, 2)])",
  "return args.map((x) => [x.toFixed(3), x.toPrecision(9), x.toString(7), String(x / 3e300), (x * 1e20).toLocaleString()])",
  "return args.toSorted((a, b) => (a * 7) % 11 - (b * 7) % 11)",
  "const m = new Map(args.map((x) => [Math.floor(x) % 9, x])); return [...m, ...new Set(args.map(Math.round))]",
  "return 'Straße İstanbul ΑΣ ñ'.normalize('NFD').toUpperCase().split(/\\p{M}/u).map((s) => [s, s.toLowerCase(), s.localeCompare('s')])",
  "try { null.x } catch (error) { return [error.name, error.message, error.stack] }",
  "return args.map((x) => (BigInt(Math.round(x)) ** 37n % 1000000007n).toString(16))",
  "return [...'a1b22c333'.matchAll(/(?<l>[a-z])(?<d>\\d+)/g)].map(({ groups, index }) => ({ ...groups, index }))",
  "function* g(n) { if (n > 0) { yield n; yield* g(n - args[0] / 99 - 1) } } return [...g(60)]",
  "const b = new DataView(new ArrayBuffer(16)); args.forEach((x, i) => b.setFloat32(i % 12, x)); return [...new Uint8Array(b.buffer)]",
  "let d = 0; try { (function f() { d++; f() })() } catch (error) { return [d, error.message] }",
  "for (;;) args.push(args.length)",
  "return JSON.parse(JSON.stringify({ ...args, k: [undefined, NaN, -0, 1e21, 5e-324, '\\u2028'] }))",
];

const SQL = [
  "select i, count(*) n, sum(x) s, avg(x) a, min(s) m from t group by i",
  "select x, row_number() over (partition by i order by x) r, lag(s) over (order by x) l from t",
  "select a.i, b.s from t a join t b on a.i = b.i where a.x < b.x order by a.x, b.s limit 30",
  "select string_agg(s, ',' order by s) a, list(x order by x) l, mode(i) m, median(x) e from t",
  "select upper(s) u, lower(s) l, reverse(s) r, length(s) n, md5(s) m, regexp_replace(s, '[a-z]+', '_') g from t",
  "select approx_count_distinct(s) n, count(distinct i) d, bit_xor(i) b, arg_max(s, x) g from t",
  "with recursive f as (select 0 a, 1 b union all select b, a + b from f where b < 1000000) select * from f",
  "select distinct i, i % 3 p from t union select 9, 9 except select 1, 1",
  "select cast(x as varchar) v, cast(x as decimal(12, 3)) d, round(x, 2) r, format('{:.4f}', x) f from t",
  "select i, s from t where s similar to '%[0-4]' or i in (select max(i) from t)",
  "select json_object('i', i, 's', s) j, struct_pack(x := x, l := [i, i + 1]) p from t",
  "select date '2024-02-28' + cast(i as int) d, strftime(timestamp '2024-01-01' + to_hours(i), '%A %j %H') f from t",
  "select cast(s as int) from t",
];
