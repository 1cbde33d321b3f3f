/** Which queries come to the same wherever and whenever they are run: what is refused, so that no honest node loses a check by its machine. */
import type { DuckDBConnection } from "@duckdb/node-api";

const MOST_REASON = 500;

/** Functions that make rows of their arguments alone. Others tell of the machine, or run a text that nobody has read. */
const OF_ARGUMENTS = new Set(["range", "generate_series", "unnest", "json_each", "json_tree"]);

/** Functions that DuckDB's own list calls consistent, and that answer otherwise from run to run or machine to machine. */
const UNSTEADY = new Set([
  ..."current_date current_time current_timestamp localtime localtimestamp get_current_timestamp now today".split(
    " ",
  ),
  ..."current_localtime current_localtimestamp version pragma_version current_setting getenv".split(" "),
  ..."duckdb_settings duckdb_memory pragma_database_size reservoir_quantile".split(" "),
  // Whether a NaN is negative is the processor's.
  "signbit",
]);

/**
 * Functions whose last digit is the C library's, which picks another one by the processor (with fused multiplication and addition, or
 * without), and those that a compiler may fuse on one processor and not on another.
 */
const OF_PROCESSOR = new Set([
  ..."sin cos tan cot asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp ln log log2 log10".split(" "),
  ..."pow power ** ^ cbrt gamma lgamma entropy equi_width_bins approx_quantile quantile_cont".split(" "),
  ..."stddev stddev_pop stddev_samp variance var_pop var_samp sem corr covar_pop covar_samp".split(" "),
  ..."regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy".split(" "),
  ..."kurtosis kurtosis_pop skewness jaro_winkler_similarity array_cross_product <-> <=> <#>".split(" "),
  ...["list", "array"].flatMap((of) =>
    "distance cosine_similarity cosine_distance inner_product dot_product negative_inner_product negative_dot_product"
      .split(" ")
      .map((name) => `${of}_${name}`),
  ),
]);

/** Words that are read as columns and are functions where no column has their name. */
const BARE = new Set(
  "current_date current_time current_timestamp localtime localtimestamp current_schema current_catalog".split(
    " ",
  ),
);

/** Functions that are told by a text which function they are to apply. */
const BY_NAME = new Set("list_aggregate list_aggr array_aggregate array_aggr aggregate".split(" "));

type Part = Record<string, unknown>;
type Read = { isOrdered: boolean } | { refused: string };

/** Whether a query ends in an order, or why it is not run: it is no single select, or asks for what another run would answer otherwise. */
export async function readQuery(
  connection: DuckDBConnection,
  query: string,
  tables: readonly string[],
): Promise<Read> {
  const tree = await treeOf(connection, query);
  if (tree.error)
    return {
      refused: `is not one select: ${tree.error_message ?? "it cannot be read"}`.slice(0, MOST_REASON),
    };
  if (tree.statements?.length !== 1) return { refused: "is not one select: there are more" };
  const found: Found = { named: new Set(), refused: undefined };
  collect(tree.statements[0], found, new Set(tables));
  const refused = (await unsteadyAmong(connection, found)) ?? found.refused;
  return refused === undefined ? { isOrdered: endsInOrder(tree.statements[0]!) } : { refused };
}

type Tree = { error?: boolean; error_message?: string; statements?: Part[] };

async function treeOf(connection: DuckDBConnection, query: string): Promise<Tree> {
  const told = await connection.runAndReadAll("select json_serialize_sql(cast($1 as varchar)) as tree", [
    query,
  ]);
  return JSON.parse(String(told.getRowObjects()[0]!.tree)) as Tree;
}

const endsInOrder = (statement: Part): boolean =>
  ((statement.node as Part | undefined)?.modifiers as Part[] | undefined)?.some(
    ({ type }) => type === "ORDER_MODIFIER",
  ) ?? false;

/** Why one of these functions is refused, or one that a macro among them is made of. */
async function unsteadyAmong(connection: DuckDBConnection, found: Found): Promise<string | undefined> {
  const { consistent, macros } = await listed(connection);
  for (const name of found.named) {
    if (UNSTEADY.has(name) || consistent.get(name) === false)
      return `uses ${name}, which answers otherwise at another time`;
    if (OF_PROCESSOR.has(name))
      return `uses ${name}, whose last digit is another on another processor: the kind js computes it the same everywhere`;
    // A set is walked on while it grows.
    for (const definition of macros.get(name) ?? [])
      collect((await treeOf(connection, `select ${definition}`)).statements, found, new Set());
  }
  return undefined;
}

/** What DuckDB says of its functions: whether each is consistent, and what macros are made of. */
async function listed(connection: DuckDBConnection) {
  const told = await connection.runAndReadAll(
    `select function_name as name, bool_and(coalesce(stability, 'CONSISTENT') = 'CONSISTENT') as consistent,
       list(distinct macro_definition) filter (where function_type = 'macro') as macros
     from duckdb_functions() where function_type <> 'table' group by all`,
  );
  const consistent = new Map<string, boolean>();
  const macros = new Map<string, string[]>();
  for (const { name, consistent: is, macros: made } of told.getRowObjectsJson() as Listed[]) {
    consistent.set(name, is);
    if (made) macros.set(name, made);
  }
  return { consistent, macros };
}

type Listed = { name: string; consistent: boolean; macros: string[] | null };

/** `named`: functions. */
type Found = { named: Set<string>; refused: string | undefined };

/** `readable`: the tables that are there where this part stands, its own and those that the query has made around it. */
function collect(part: unknown, found: Found, readable: ReadonlySet<string>): void {
  if (Array.isArray(part)) for (const one of part) collect(one, found, readable);
  if (typeof part !== "object" || part === null || Array.isArray(part)) return;
  const { cte_map, ...rest } = part as Part;
  const within = new Set(readable);
  const { map = [] } = (cte_map ?? {}) as { map?: Made[] };
  for (const { key, value } of map) {
    const name = key.toLowerCase();
    // Only what is recursive reads itself; else that name within it is another table's.
    const isRecursive = value.query?.node?.type === "RECURSIVE_CTE_NODE";
    collect(value, found, isRecursive ? new Set([...within, name]) : within);
    within.add(name);
  }
  look(rest, found, within);
  for (const one of Object.values(rest)) collect(one, found, within);
}

type Made = { key: string; value: { query?: { node?: { type?: unknown } } } };

function look(part: Part, found: Found, readable: ReadonlySet<string>): void {
  const { function_name, type, class: kind, column_names, children, sample } = part;
  const refuse = (reason: string) => {
    found.refused ??= reason;
  };
  const reads = (what: string) => refuse(`reads ${what.slice(0, 100)}, which is none of its tables`);
  if (typeof function_name === "string" && type !== "TABLE_FUNCTION") {
    const name = function_name.toLowerCase();
    // Since when something is, to the present day: that is age with one time.
    found.named.add(name === "age" && (children as unknown[] | undefined)?.length === 1 ? "today" : name);
    if (BY_NAME.has(name)) {
      const applied = constantText((children as Part[] | undefined)?.[1]);
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
    const name = String((part.function as Part | undefined)?.function_name).toLowerCase();
    if (!OF_ARGUMENTS.has(name)) reads(`${name}()`);
  }
  if (type === "SHOW_REF") reads("what describes tables");
}

function constantText(part: Part | undefined): string | undefined {
  const { value } = (part?.value ?? {}) as { value?: unknown };
  return part?.class === "CONSTANT" && typeof value === "string" ? value : undefined;
}
