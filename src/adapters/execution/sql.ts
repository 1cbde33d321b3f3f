/**
 * The kind sql: one DuckDB query over the input's rows. It reaches nothing outside, and refuses everything that
 * differs between runs.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ExecutionResult } from "../../core/model/ports/executor.ts";
import type { KindInput } from "../../domain/compute/kinds.ts";
import { readQuery } from "./steady.ts";

const MEMORY = "256MB";
const MOST_ERROR = 500;
const MOST_ROWS = 10_000;

export async function runSql({ query, tables }: KindInput<"sql">): Promise<ExecutionResult> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const database = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: MEMORY,
    temp_directory: "",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await database.connect();
  try {
    for (const [name, table] of Object.entries(tables)) await load(connection, name, table);
    // The sign of NaN depends on the processor, so a division by zero gives null.
    await connection.run("set ieee_floating_point_ops = false");
    await connection.run("set enable_external_access = false");
    await connection.run("set lock_configuration = true");
    const read = await readQuery(connection, query, Object.keys(tables));
    if ("refused" in read) return { exit: "ok", output: { error: read.refused } };
    // Reading stops at the answer's limit; unlimited rows would exhaust this process's memory.
    const reader = await connection.streamAndReadUntil(query, MOST_ROWS + 1);
    const rows = reader.getRowObjectsJson() as Record<string, never>[];
    if (rows.length > MOST_ROWS) return { exit: "limit", output: { limit: "rows" } };
    return { exit: "ok", output: { rows: read.isOrdered ? rows : inOrder(rows) } };
  } catch (error) {
    const text = String((error as Error).message).split("\n")[0]!;
    // Memory limits depend on the machine and build, so no verdict rests on them.
    if (/^Out of Memory Error/i.test(text)) throw error;
    return { exit: "ok", output: { error: text.slice(0, MOST_ERROR) } };
  }
}

async function load(
  connection: DuckDBConnection,
  name: string,
  { columns, rows }: KindInput<"sql">["tables"][string],
): Promise<void> {
  await connection.run(
    `create table ${name} (${columns.map((one) => `${one.name} ${one.type}`).join(", ")})`,
  );
  // DuckDB parses each cell of the JSON text as its column's type, or names the cell that it cannot parse.
  const cells = columns
    .map(({ type }, at) => `cast(json_extract_string(r, '$[${at}]') as ${type})`)
    .join(", ");
  await connection.run(`insert into ${name} select ${cells} from (select unnest(cast($1 as json[])) as r)`, [
    JSON.stringify(rows),
  ]);
}

const inOrder = (rows: Record<string, never>[]) =>
  rows
    .map((row) => [JSON.stringify(row), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row);
