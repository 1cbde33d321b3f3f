/** The kind sql: one query of DuckDB over the rows of the input. Nothing outside is reached, and nothing that differs from run to run is answered. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { KindInput } from "../../domain/compute/kinds.ts";
import type { Ran } from "../../domain/ports.ts";

const MEMORY = "256MB";
const MOST_ERROR = 500;
const MOST_ROWS = 10_000;

export async function runSql({ query, tables }: KindInput<"sql">): Promise<Ran> {
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
    await connection.run("set enable_external_access = false");
    await connection.run("set lock_configuration = true");
    const refused = await refusalOf(connection, query);
    if (refused) return { exit: "ok", output: { error: refused } };
    const reader = await connection.runAndReadAll(query);
    const rows = reader.getRowObjectsJson() as Record<string, never>[];
    if (rows.length > MOST_ROWS) return { exit: "limit", output: { limit: "rows" } };
    return { exit: "ok", output: { rows: isOrdered(query) ? rows : inOrder(rows) } };
  } catch (error) {
    const told = String((error as Error).message).split("\n")[0]!;
    if (/out of memory/i.test(told)) return { exit: "limit", output: { limit: "memory" } };
    return { exit: "ok", output: { error: told.slice(0, MOST_ERROR) } };
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
  // The rows as JSON text: DuckDB reads each cell as its column's type, or says which it cannot.
  const cells = columns
    .map(({ type }, at) => `cast(json_extract_string(r, '$[${at}]') as ${type})`)
    .join(", ");
  await connection.run(`insert into ${name} select ${cells} from (select unnest(cast($1 as json[])) as r)`, [
    JSON.stringify(rows),
  ]);
}

/** Why a query is not run: it is no single select, or asks for what another run would answer otherwise. */
async function refusalOf(connection: DuckDBConnection, query: string): Promise<string | undefined> {
  const told = await connection.runAndReadAll("select json_serialize_sql(cast($1 as varchar)) as tree", [
    query,
  ]);
  const tree = JSON.parse(String(told.getRowObjects()[0]!.tree)) as {
    error?: boolean;
    error_message?: string;
    statements?: unknown[];
  };
  if (tree.error)
    return `is not one select: ${tree.error_message ?? "it cannot be read"}`.slice(0, MOST_ERROR);
  if (tree.statements?.length !== 1) return "is not one select: there are more";
  const named = new Set<string>();
  collect(tree, named);
  const listed = await connection.runAndReadAll(
    "select distinct function_name as name from duckdb_functions() where coalesce(stability, 'CONSISTENT') <> 'CONSISTENT'",
  );
  const unsteady = new Set(listed.getRowObjects().map(({ name }) => String(name)));
  for (const name of named)
    if (unsteady.has(name) || UNSTEADY.has(name))
      return `uses ${name}, which answers otherwise at another time`;
  return undefined;
}

/** Words that are no functions to DuckDB's list, and answer otherwise from run to run or machine to machine. */
const UNSTEADY = new Set([
  "current_date",
  "current_time",
  "current_timestamp",
  "localtime",
  "localtimestamp",
  "get_current_timestamp",
  "now",
  "today",
  "version",
  "pragma_version",
  "duckdb_settings",
  "duckdb_memory",
  "pragma_database_size",
  "current_setting",
  "getenv",
]);

function collect(part: unknown, named: Set<string>): void {
  if (Array.isArray(part)) for (const one of part) collect(one, named);
  else if (typeof part === "object" && part !== null) {
    const { function_name, type, class: kind, column_names } = part as Record<string, unknown>;
    if (typeof function_name === "string") named.add(function_name.toLowerCase());
    // current_timestamp without parentheses is read as a column.
    if (kind === "COLUMN_REF" && type === "COLUMN_REF" && Array.isArray(column_names))
      named.add(String(column_names.at(-1)).toLowerCase());
    if ("sample" in part && (part as { sample: unknown }).sample !== null) named.add("random");
    for (const one of Object.values(part)) collect(one, named);
  }
}

const isOrdered = (query: string): boolean => /\border\s+by\b[^)]*$/i.test(query);

const inOrder = (rows: Record<string, never>[]) =>
  rows
    .map((row) => [JSON.stringify(row), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row);
