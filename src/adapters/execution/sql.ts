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
    const refused = await refusalOf(connection, query, Object.keys(tables));
    if (refused) return { exit: "ok", output: { error: refused } };
    const reader = await connection.runAndReadAll(query);
    const rows = reader.getRowObjectsJson() as Record<string, never>[];
    if (rows.length > MOST_ROWS) return { exit: "limit", output: { limit: "rows" } };
    return { exit: "ok", output: { rows: isOrdered(query) ? rows : inOrder(rows) } };
  } catch (error) {
    const told = String((error as Error).message).split("\n")[0]!;
    // Where memory ends is the machine's and the build's: no verdict rests on it.
    if (/out of memory/i.test(told)) throw error;
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
async function refusalOf(
  connection: DuckDBConnection,
  query: string,
  tables: readonly string[],
): Promise<string | undefined> {
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
  const read = new Set<string>();
  const own = new Set(tables);
  collect(tree, { named, read, own });
  const listed = await connection.runAndReadAll(
    "select distinct function_name as name from duckdb_functions() where coalesce(stability, 'CONSISTENT') <> 'CONSISTENT'",
  );
  const unsteady = new Set(listed.getRowObjects().map(({ name }) => String(name)));
  for (const name of named)
    if (unsteady.has(name) || UNSTEADY.has(name))
      return `uses ${name}, which answers otherwise at another time`;
  for (const name of read)
    if (!own.has(name)) return `reads ${name.slice(0, 100)}, which is none of its tables`;
  return undefined;
}

/** Functions that make rows of their arguments alone. Others tell of the machine, or run a text that nobody has read. */
const OF_ARGUMENTS = new Set(["range", "generate_series", "unnest", "json_each", "json_tree"]);

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

/** `named`: functions and columns. `read`: what rows come from, `own`: from where they may. */
type Found = { named: Set<string>; read: Set<string>; own: Set<string> };

type Part = Record<string, unknown>;

function collect(part: unknown, found: Found): void {
  if (Array.isArray(part)) for (const one of part) collect(one, found);
  else if (typeof part === "object" && part !== null) {
    look(part as Part, found);
    for (const one of Object.values(part)) collect(one, found);
  }
}

function look(part: Part, { named, read, own }: Found): void {
  const { function_name, type, class: kind, column_names, children, sample } = part;
  if (typeof function_name === "string") named.add(unsteadyName(function_name.toLowerCase(), children));
  // current_timestamp without parentheses is read as a column.
  if (kind === "COLUMN_REF" && type === "COLUMN_REF" && Array.isArray(column_names))
    named.add(String(column_names.at(-1)).toLowerCase());
  if (sample !== undefined && sample !== null) named.add("random");
  if (type === "BASE_TABLE") {
    const { catalog_name, schema_name, table_name } = part;
    const isPlain = [catalog_name, schema_name].every((name) => name === undefined || name === "");
    read.add(isPlain ? String(table_name).toLowerCase() : `${schema_name}.${table_name}`);
  }
  if (type === "TABLE_FUNCTION") {
    const name = String((part.function as Part | undefined)?.function_name).toLowerCase();
    if (!OF_ARGUMENTS.has(name)) read.add(`${name}()`);
  }
  const { map } = (part.cte_map ?? {}) as { map?: { key: unknown }[] };
  for (const { key } of map ?? []) own.add(String(key).toLowerCase());
}

/** Since when something is, to the present day: that is age with one time. */
const unsteadyName = (name: string, children: unknown): string =>
  name === "age" && Array.isArray(children) && children.length === 1 ? "today" : name;

const isOrdered = (query: string): boolean => /\border\s+by\b[^)]*$/i.test(query);

const inOrder = (rows: Record<string, never>[]) =>
  rows
    .map((row) => [JSON.stringify(row), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row);
