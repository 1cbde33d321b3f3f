/** Refuses queries whose result depends on the machine or the time, so that no honest node fails a check for that. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { OF_PROCESSOR, ROWS_OF_ARGUMENTS, STEADY } from "./functions.ts";

const MOST_REASON = 500;

/** Words that are functions where no column has their name. */
const BARE = new Set(
  "current_date current_time current_timestamp localtime localtimestamp current_schema current_catalog".split(
    " ",
  ),
);

/** Functions whose text argument names the function to apply. */
const BY_NAME = new Set("list_aggregate list_aggr array_aggregate array_aggr aggregate".split(" "));

type SqlNode = Record<string, unknown>;
type QueryReading = { isOrdered: boolean } | { refused: string };

/**
 * Tests whether a query ends in an order, or says why it is refused: it is no single select, or its result may
 * differ between runs.
 */
export async function readQuery(
  connection: DuckDBConnection,
  query: string,
  tables: readonly string[],
): Promise<QueryReading> {
  const tree = await treeOf(connection, query);
  if (tree.error)
    return {
      refused: `is not one select: ${tree.error_message ?? "it cannot be read"}`.slice(0, MOST_REASON),
    };
  if (tree.statements?.length !== 1) return { refused: "is not one select: there are more" };
  const found: QueryParts = { named: new Set(), refused: undefined };
  collect(tree.statements[0], found, new Set(tables));
  const refused = found.refused ?? unsteadyAmong(found.named);
  return refused === undefined ? { isOrdered: endsInOrder(tree.statements[0]!) } : { refused };
}

type Tree = { error?: boolean; error_message?: string; statements?: SqlNode[] };

async function treeOf(connection: DuckDBConnection, query: string): Promise<Tree> {
  const answer = await connection.runAndReadAll("select json_serialize_sql(cast($1 as varchar)) as tree", [
    query,
  ]);
  return JSON.parse(String(answer.getRowObjects()[0]!.tree)) as Tree;
}

const endsInOrder = (statement: SqlNode): boolean =>
  ((statement.node as SqlNode | undefined)?.modifiers as SqlNode[] | undefined)?.some(
    ({ type }) => type === "ORDER_MODIFIER",
  ) ?? false;

/** Refuses every function that is not on the list. */
function unsteadyAmong(named: ReadonlySet<string>): string | undefined {
  const name = [...named].find((name) => !STEADY.has(name) && !ROWS_OF_ARGUMENTS.has(name));
  if (name === undefined) return undefined;
  return OF_PROCESSOR.has(name)
    ? `uses ${name}, whose last digit depends on the processor: use the kind js`
    : `uses ${name}, which is not among the functions that answer the same at any time: docs/compute.md says which are`;
}

/** `named`: function names. */
type QueryParts = { named: Set<string>; refused: string | undefined };

/** `readable`: the tables in scope, its own and those defined by the query around it. */
function collect(part: unknown, found: QueryParts, readable: ReadonlySet<string>): void {
  if (Array.isArray(part)) for (const one of part) collect(one, found, readable);
  if (typeof part !== "object" || part === null || Array.isArray(part)) return;
  const { cte_map, ...rest } = part as SqlNode;
  const within = new Set(readable);
  const { map = [] } = (cte_map ?? {}) as { map?: CteEntry[] };
  for (const { key, value } of map) {
    const name = key.toLowerCase();
    // Only a recursive query reads itself; otherwise its name refers to another table.
    const isRecursive = value.query?.node?.type === "RECURSIVE_CTE_NODE";
    collect(value, found, isRecursive ? new Set([...within, name]) : within);
    within.add(name);
  }
  look(rest, found, within);
  for (const one of Object.values(rest)) collect(one, found, within);
}

type CteEntry = { key: string; value: { query?: { node?: { type?: unknown } } } };

function look(part: SqlNode, found: QueryParts, readable: ReadonlySet<string>): void {
  const { function_name, type, class: kind, column_names, children, sample } = part;
  const refuse = (reason: string) => {
    found.refused ??= reason;
  };
  const reads = (what: string) => refuse(`reads ${what.slice(0, 100)}, which is none of its tables`);
  if (typeof function_name === "string" && type !== "TABLE_FUNCTION") {
    const name = function_name.toLowerCase();
    // `age` with one argument measures until today.
    found.named.add(name === "age" && (children as unknown[] | undefined)?.length === 1 ? "today" : name);
    if (BY_NAME.has(name)) {
      const applied = constantText((children as SqlNode[] | undefined)?.[1]);
      if (applied === undefined) refuse(`uses ${name} without saying in plain text what it applies`);
      else found.named.add(applied.toLowerCase());
    }
  }
  if (kind === "COLUMN_REF" && type === "COLUMN_REF" && Array.isArray(column_names)) {
    const name = String(column_names.at(-1)).toLowerCase();
    if (BARE.has(name)) found.named.add(name === "current_catalog" ? "current_schema" : name);
  }
  if (sample !== undefined && sample !== null) found.named.add("random");
  if (type === "BASE_TABLE") {
    const { catalog_name, schema_name, table_name } = part;
    const isPlain = [catalog_name, schema_name].every((name) => name === undefined || name === "");
    if (!isPlain) reads(`${schema_name}.${table_name}`);
    else if (!readable.has(String(table_name).toLowerCase())) reads(String(table_name).toLowerCase());
  }
  if (type === "TABLE_FUNCTION") {
    const name = String((part.function as SqlNode | undefined)?.function_name).toLowerCase();
    if (!ROWS_OF_ARGUMENTS.has(name)) reads(`${name}()`);
  }
  if (type === "SHOW_REF") reads("what describes tables");
}

function constantText(part: SqlNode | undefined): string | undefined {
  const { value } = (part?.value ?? {}) as { value?: unknown };
  return part?.class === "CONSTANT" && typeof value === "string" ? value : undefined;
}
