/** Staging: one unpacked file checked line by line and added, typed, to the table `stage.measures`. Any fault refuses the whole import. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { type FieldError, refuse } from "../domain/refusal.ts";
import { reporterCodes } from "../domain/trade/reporters.ts";
import { literal, row, rows } from "./duckdb.ts";
import { type Layout, type LeftOut, leftOutReasons, OPEN_END } from "./layouts/layout.ts";
import type { Unpacked } from "./unpack.ts";

/** How many faults of a file are told at once. */
const TOLD = 20;

export type Staged = {
  rows: number;
  /** Rows that were understood and left out on purpose, by reason. */
  left_out: LeftOut;
};

/**
 * `measures` holds a row for each line kept, with both amounts or the one that the line states.
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
  const reason = leftOutReason(layout);
  const { cell } = layout;
  await connection.run(
    `insert into stage.measures
     select ${ordinal}, rowid + 2, variant, ${cell.reporter}, ${cell.flow}, ${cell.period}, ${cell.partner},
       ${cell.product}, ${cell.value_eur}, ${cell.quantity_kg}
     from stage.raw where ${reason} is null`,
  );
  const counted = await rows<{ reason: keyof LeftOut | null; lines: number }>(
    connection,
    `select ${reason} as reason, count(*) as lines from stage.raw group by all`,
  );
  await connection.run("drop table stage.raw");
  const left_out = noneLeftOut();
  for (const { reason, lines } of counted) if (reason !== null) left_out[reason] = lines;
  return { rows: file.lines - 1, left_out };
}

/** Nothing left out, for any reason. */
export const noneLeftOut = () =>
  Object.fromEntries(Object.keys(leftOutReasons).map((reason) => [reason, 0])) as LeftOut;

/** SQL for why a row is left out; null where it is kept. */
function leftOutReason({ left_out }: Layout): string {
  const cases = Object.entries(left_out).map(([reason, condition]) => `when ${condition} then '${reason}'`);
  return `case ${cases.join(" ")} end`;
}

/** Every line as text; a line with too few or too many columns is refused. A line is a row: no cell holds a line break. */
async function readRaw(connection: DuckDBConnection, layout: Layout, file: Unpacked): Promise<void> {
  const names = layout.open_end ? [...layout.columns, OPEN_END] : layout.columns;
  const columns = names.map((name) => `'${name}': 'VARCHAR'`).join(", ");
  const kept = [...new Set(layout.checks.map(({ column }) => `"${column}"`))];
  const apart = ["''", ...layout.variant_columns.map((name) => `"${name}"`)];
  const quote = layout.quoted ? '"' : "";
  await connection.run(
    `create table stage.raw as select ${kept.join(", ")}, hash(${apart.join(", ")}) as variant from read_csv(${literal(file.path)},
       auto_detect = false, header = true, encoding = '${layout.encoding ?? "utf-8"}', null_padding = ${layout.open_end ?? false}, delim = ',', quote = '${quote}', escape = '${quote}', nullstr = '',
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
  if (read !== file.lines - 1) {
    if (layout.quoted)
      refuse("invalid", `${file.name}: a line break stands within quotes, or a quote has no end`);
    throw new Error(`${file.name}: ${file.lines} lines, but ${read} rows were read`);
  }
  if (read === 0) refuse("invalid", `${file.name} holds a header and nothing else`);
}

async function checkRows(connection: DuckDBConnection, layout: Layout, file: Unpacked): Promise<void> {
  const { checks } = layout;
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
