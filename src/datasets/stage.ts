/** Staging: one unpacked file checked line by line and added, typed, to the table `stage.measures`. Any fault refuses the whole import. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { type FieldError, refuse } from "../domain/refusal.ts";
import { reporterCodes } from "../domain/trade/reporters.ts";
import { checksOf } from "./checks.ts";
import { literal, row, rows } from "./duckdb.ts";
import { comextBulk, type Layout } from "./layouts.ts";
import type { Unpacked } from "./unpack.ts";

/** How many faults of a file are told at once. */
const TOLD = 20;

export type Staged = {
  rows: number;
  /** Rows that were understood and left out on purpose, by reason. */
  left_out: { total_product: number; other_reporter: number; supplementary: number };
};

/**
 * `measures` holds a row for each line kept: both amounts (bulk), or the one that its indicator names (SDMX).
 * `variant` is a 64-bit hash of the columns that tell lines of one cell apart.
 */
export const stageDdl = `
  create table stage.measures (
    file usmallint, line uinteger, variant ubigint,
    reporter varchar, flow varchar, period integer, partner varchar, product varchar,
    value_eur bigint, quantity_kg decimal(18, 3)
  )`;

export async function stageFile(
  connection: DuckDBConnection,
  layout: Layout,
  file: Unpacked,
  ordinal: number,
): Promise<Staged> {
  await readRaw(connection, layout, file);
  await checkRows(connection, layout, file);
  await connection.run(`insert into stage.measures ${typed(layout, ordinal)}`);
  const { reporter, product } = keyColumns(layout);
  const leftOut = await row<Staged["left_out"] & { rows: number }>(
    connection,
    `select count(*) as rows,
       count(*) filter (${product} = 'TOTAL') as total_product,
       count(*) filter (${product} <> 'TOTAL' and ${reporter} not in (${reporterList})) as other_reporter,
       count(*) filter (${product} <> 'TOTAL' and ${reporter} in (${reporterList}) and not ${measured(layout)})
         as supplementary
     from stage.raw`,
  );
  await connection.run("drop table stage.raw");
  const { rows: read, ...left_out } = leftOut;
  return { rows: read, left_out };
}

const reporterList = reporterCodes.map((code) => `'${code}'`).join(", ");

const keyColumns = (layout: Layout) =>
  layout === comextBulk
    ? { reporter: '"REPORTER"', product: '"PRODUCT_NC"' }
    : { reporter: '"reporter"', product: '"product"' };

const measured = (layout: Layout) => (layout === comextBulk ? "true" : `"indicators" <> 'SUP_QUANTITY'`);

/** Every line as text; a line with too few or too many columns is refused. Without quoting, a line is a row. */
async function readRaw(connection: DuckDBConnection, layout: Layout, file: Unpacked): Promise<void> {
  const columns = layout.columns.map((name) => `'${name}': 'VARCHAR'`).join(", ");
  const kept = [...new Set(checksOf(layout).map(({ column }) => `"${column}"`))];
  const apart = layout.variant_columns.map((name) => `"${name}"`);
  await connection.run(
    `create table stage.raw as select ${kept.join(", ")}, hash(${apart.join(", ")}) as variant from read_csv(${literal(file.path)},
       auto_detect = false, header = true, delim = ',', quote = '', escape = '', nullstr = '',
       columns = {${columns}}, store_rejects = true, rejects_table = 'rejects', rejects_scan = 'reject_scans')`,
  );
  const rejects = await rows<{ line: number; column_name: string | null; error_message: string }>(
    connection,
    `select line, first(column_name) as column_name, first(error_message) as error_message
     from rejects group by line order by line limit ${TOLD}`,
  );
  await connection.run("drop table rejects; drop table reject_scans");
  if (rejects.length > 0) {
    refuseLines(
      file,
      rejects.map(({ line, column_name, error_message }) => ({
        line,
        column: column_name ?? "",
        what: error_message.split("\n")[0]!,
      })),
    );
  }
  const { read } = await row<{ read: number }>(connection, "select count(*) as read from stage.raw");
  if (read !== file.lines - 1)
    throw new Error(`${file.name}: ${file.lines} lines, but ${read} rows were read`);
  if (read === 0) refuse("invalid", `${file.name} holds a header and nothing else`);
}

async function checkRows(connection: DuckDBConnection, layout: Layout, file: Unpacked): Promise<void> {
  const checks = checksOf(layout);
  const first = checks.map(({ good }, at) => `when not coalesce(${good}, false) then ${at}`).join(" ");
  const found = checks.map(({ column }, at) => `when ${at} then "${column}"`).join(" ");
  const bad = await rows<{ line: number; failed: number; found: string | null }>(
    connection,
    `select line, failed, case failed ${found} end as found from (
       select rowid + 2 as line, case ${first} end as failed, * from stage.raw
     ) where failed is not null order by line limit ${TOLD}`,
  );
  if (bad.length === 0) return;
  refuseLines(
    file,
    bad.map(({ line, failed, found }) => {
      const { column, message } = checks[failed]!;
      const text = found === null ? "(empty)" : JSON.stringify(found.slice(0, 60));
      return { line, column, what: `${column} ${text}: ${message(found ?? "")}` };
    }),
  );
}

export type LineFault = { line: number; column: string; what: string };

/** Refuses a file, naming the first faults by file, line (the header is line 1) and column. */
export function refuseLines(file: { name: string }, faults: LineFault[]): never {
  const errors: FieldError[] = faults.map(({ line, column, what }) => ({
    path: `${file.name}:${line}${column && `:${column}`}`,
    message: what,
  }));
  const { line, what } = faults[0]!;
  const more =
    faults.length > 1 ? ` (and ${faults.length > TOLD - 1 ? "many" : faults.length - 1} more lines)` : "";
  return refuse("invalid", `${file.name} line ${line}: ${what}${more}; nothing was imported`, { errors });
}

const flowText = (column: string) => `case ${column} when '1' then 'IMPORT' else 'EXPORT' end`;

function typed(layout: Layout, ordinal: number): string {
  const { reporter, product } = keyColumns(layout);
  const kept = `${product} <> 'TOTAL' and ${reporter} in (${reporterList}) and ${measured(layout)}`;
  if (layout === comextBulk) {
    return `select ${ordinal}, rowid + 2, variant, "REPORTER", ${flowText('"FLOW"')}, "PERIOD"::integer, "PARTNER",
        "PRODUCT_NC", split_part("VALUE_EUR", '.', 1)::bigint, "QUANTITY_KG"::decimal(18, 3)
      from stage.raw where ${kept}`;
  }
  return `select ${ordinal}, rowid + 2, variant, "reporter", ${flowText('"flow"')},
      replace("TIME_PERIOD", '-', '')::integer, "partner", "product",
      case "indicators" when 'VALUE_IN_EUROS' then split_part("OBS_VALUE", '.', 1)::bigint end,
      case "indicators" when 'QUANTITY_IN_100KG' then ("OBS_VALUE"::decimal(17, 5) * 100)::decimal(18, 3) end
    from stage.raw where ${kept}`;
}

/** Equal lines count once, and how many were dropped is told; lines that contradict each other refuse the import. */
export async function dropDuplicates(
  connection: DuckDBConnection,
  files: { name: string }[],
): Promise<number> {
  await connection.run(
    `create table stage.lines as
       select variant, reporter, flow, period, partner, product, count(*) as times,
         min(struct_pack(file, line)) as first, max(struct_pack(file, line)) as last,
         min(value_eur) as value_eur, min(quantity_kg) as quantity_kg,
         min(value_eur) <> max(value_eur) or min(quantity_kg) <> max(quantity_kg) as contradicts
       from stage.measures group by variant, reporter, flow, period, partner, product;
     drop table stage.measures`,
  );
  const contradictions = await rows<Contradiction>(
    connection,
    `select first.file, first.line, last.file as last_file, last.line as last_line,
       concat_ws(' ', reporter, partner, product, flow, period) as cell
     from stage.lines where contradicts order by first limit ${TOLD}`,
  );
  const [contradiction] = contradictions;
  if (contradiction) {
    refuseLines(
      files[contradiction.last_file]!,
      contradictions
        .filter(({ last_file }) => last_file === contradiction.last_file)
        .map(({ last_line, file, line, cell }) => ({
          line: last_line,
          column: "",
          what: `${cell} stands in ${files[file]!.name} line ${line} already, with another amount`,
        })),
    );
  }
  const { surplus } = await row<{ surplus: number }>(
    connection,
    "select (sum(times) - count(*))::bigint as surplus from stage.lines",
  );
  return surplus;
}

type Contradiction = { file: number; line: number; last_file: number; last_line: number; cell: string };

/** Adds statistical procedures up and joins values with masses: one row a cell. A mass of nothing for something is unknown, not zero. */
export async function foldCells(connection: DuckDBConnection, files: { name: string }[]): Promise<void> {
  await connection.run(
    `create table stage.incoming as
       select reporter, substr(product, 1, 2) as hs2, flow, period, partner, product,
         sum(value_eur)::bigint as value_eur, nullif(sum(quantity_kg), 0)::decimal(18, 3) as quantity_kg,
         length(partner) > 2 as is_aggregate, min(first) as first
       from stage.lines group by all`,
  );
  const orphans = await rows<{ line: number; file: number }>(
    connection,
    `select first.line, first.file from stage.incoming where value_eur is null order by first limit 1`,
  );
  for (const { line, file } of orphans) {
    refuseLines(files[file]!, [
      { line, column: "indicators", what: "a quantity whose value is in none of the files" },
    ]);
  }
}

/** The reporters must be the 27, or exactly the subset that was stated. */
export async function checkReporters(
  connection: DuckDBConnection,
  stated: readonly string[] | undefined,
): Promise<void> {
  const found = (
    await rows<{ reporter: string }>(connection, "select distinct reporter from stage.incoming order by 1")
  ).map(({ reporter }) => reporter);
  const expected = stated ?? reporterCodes;
  const absent = expected.filter((code) => !found.includes(code));
  const surplus = found.filter((code) => !expected.includes(code));
  if (absent.length > 0) {
    refuse(
      "invalid",
      `no rows of the reporters ${absent.join(", ")}: if that is meant, state which reporters are in the files with --reporters ${found.join(",")}`,
    );
  }
  if (surplus.length > 0) refuse("invalid", `rows of ${surplus.join(", ")}, which --reporters does not name`);
}
