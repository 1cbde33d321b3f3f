/** The allowed functions of the kind sql, compared with DuckDB's own list. */
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { OF_PROCESSOR, STEADY } from "../../src/adapters/execution/functions.ts";
import { runSql } from "../../src/adapters/execution/sql.ts";

/** Names about time, chance, the machine or the session. */
const UNSTEADY =
  /now|today|current|local|random|uuidv|gen_|seed|sleep|txid|^version|setting|getvariable|serialize|nextval|currval|pg_(?!typeof)|stats/;

test("each allowed function is in DuckDB, marked consistent, and independent of time, chance and machine", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const answer = await connection.runAndReadAll(
    `select lower(function_name) as name, bool_and(coalesce(stability, 'CONSISTENT') = 'CONSISTENT') as consistent
     from duckdb_functions() where function_type <> 'pragma' group by all`,
  );
  const rows = answer.getRowObjectsJson() as { name: string; consistent: boolean }[];
  const consistent = new Set(rows.flatMap((row) => (row.consistent ? [row.name] : [])));
  expect([...STEADY].filter((name) => !consistent.has(name))).toEqual([]);
  expect([...STEADY].filter((name) => UNSTEADY.test(name) || OF_PROCESSOR.has(name))).toEqual([]);
});

test("an error that quotes the text of an out-of-memory error is an ordinary result", async () => {
  const query = "select cast('out of memory' as int)";
  const { exit, output } = await runSql({ query, tables: {} });
  expect([exit, output.error]).toEqual(["ok", expect.stringContaining("Could not convert")]);
});

test.each([
  "select json_serialize_plan('select now()', optimize := true)",
  "select list_aggregate([1.5], 'sum'), json_serialize_sql('select 1')",
  "select i from range(2) t(i) where now() > timestamptz '2020-01-01'",
  "select list_transform([1], lambda x: x + epoch(now())::int)",
  "select sleep_ms(1)",
  "select nextval('s')",
  "select txid_current()",
  "select getvariable('a')",
  "select stats(1)",
])("a function outside of the list is refused by name: %s", async (query) => {
  const { output } = await runSql({ query, tables: {} });
  expect(output.error).toMatch(
    /^uses \w+, which is not among the functions that answer the same at any time/,
  );
});
