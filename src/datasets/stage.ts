/** Staging: files are checked line by line, typed and summed to cells. Any fault refuses the whole import. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { type FieldError, Refusal, refuse } from "../core/model/refusal.ts";
import { procedureDigits } from "../domain/trade/procedures.ts";
import { reporterCodes } from "../domain/trade/reporters.ts";
import { literal, row, rows } from "./duckdb.ts";
import { delimiterOf } from "./layouts/delimiter.ts";
import { type Layout, type LeftOut, leftOutReasons, OPEN_END } from "./layouts/layout.ts";
import type { UnpackedFile } from "./unpack.ts";

/** The most faults of a file in one report. */
const TOLD = 20;

export type StagedFile = {
  rows: number;
  /** Valid rows left out on purpose, by reason. */
  left_out: LeftOut;
};

/**
 * `readings` has a row per line, in the order of files and lines, so its row id gives both; uncompressed, because
 * it is written once, read a few times and dropped. `measures` are the used rows, with both amounts or the one that
 * the line states; `variant` is a 64-bit hash of the columns that distinguish lines of one cell. `cells` are their
 * sums, and `incoming` has a partition's types.
 */
export const stageDdl = `
  create table stage.readings (
    left_out varchar using compression uncompressed, file usmallint using compression uncompressed,
    variant ubigint using compression uncompressed, reporter varchar using compression uncompressed,
    flow varchar using compression uncompressed, period integer using compression uncompressed,
    partner varchar using compression uncompressed, product varchar using compression uncompressed,
    value_eur bigint using compression uncompressed, quantity_kg decimal(18, 3) using compression uncompressed,
    procedure utinyint using compression uncompressed, unit varchar using compression uncompressed,
    quantity_su decimal(18, 3) using compression uncompressed
  );
  create view stage.measures as
    select rowid as place, * exclude (left_out) from stage.readings where left_out is null;
  create table stage.cells (
    reporter varchar using compression uncompressed, flow varchar using compression uncompressed,
    period integer using compression uncompressed, partner varchar using compression uncompressed,
    product varchar using compression uncompressed, value_eur hugeint using compression uncompressed,
    quantity_kg decimal(38, 3) using compression uncompressed, first bigint using compression uncompressed,
    lines bigint using compression uncompressed, alike boolean using compression uncompressed,
    quantity_su decimal(38, 3) using compression uncompressed, unit_eur hugeint using compression uncompressed,
    procedure utinyint using compression uncompressed
  );
  create table stage.repeats (place bigint);
  create table stage.procedures (
    reporter varchar, flow varchar, period integer, partner varchar, product varchar, procedure utinyint,
    value_eur bigint, quantity_kg decimal(18, 3), quantity_su decimal(18, 3), unit_eur bigint
  );
  create table stage.units (product varchar, period integer, unit varchar);
  create view stage.incoming as
    select reporter, substr(product, 1, 2) as hs2, flow, period, partner, product, value_eur::bigint as value_eur,
      nullif(quantity_kg, 0)::decimal(18, 3) as quantity_kg, length(partner) > 2 as is_aggregate,
      quantity_su::decimal(18, 3) as quantity_su, unit_eur::bigint as unit_eur, procedure
    from stage.cells`;

/** An imported file: its name and number of lines after the header. */
export type Source = { name: string; rows: number };

/** The file and line (the header is line 1) of a row of `readings`. */
export function placeOf<File extends Source>(
  files: readonly File[],
  at: number,
): { file: File; line: number } {
  let before = 0;
  for (const file of files) {
    if (at < before + file.rows) return { file, line: at - before + 2 };
    before += file.rows;
  }
  throw new RangeError(`row ${at} is beyond the last file`);
}

/**
 * Reads, checks and types a file in one statement that keeps only good lines. If a line is missing from the result,
 * the file is read again as text, to report the bad lines.
 */
export async function stageFile(
  connection: DuckDBConnection,
  layout: Layout,
  file: UnpackedFile,
  ordinal: number,
): Promise<StagedFile> {
  const rows_expected = file.lines - 1;
  const kept = await readGood(connection, layout, file, ordinal);
  if (kept !== rows_expected || kept === 0) {
    await readRaw(connection, layout, file);
    await checkRows(connection, layout, file);
    throw new Error(`${file.name}: ${rows_expected} good lines, but ${kept} were stored`);
  }
  const counted = await rows<{ left_out: keyof LeftOut | null; lines: number }>(
    connection,
    `select left_out, count(*) as lines from stage.readings where file = ${ordinal} group by all`,
  );
  const left_out = noneLeftOut();
  for (const { left_out: reason, lines } of counted) if (reason !== null) left_out[reason] = lines;
  return { rows: rows_expected, left_out };
}

/** Adds a file's good lines to `readings`, in order; returns their number. */
async function readGood(
  connection: DuckDBConnection,
  layout: Layout,
  file: UnpackedFile,
  ordinal: number,
): Promise<number> {
  // Rates are joined to the lines, and a join may reorder them.
  const [numbered, in_order] = layout.currency
    ? [", row_number() over () as line", "order by line"]
    : ["", ""];
  const { cell } = layout;
  const said = [
    cell.reporter,
    cell.flow,
    cell.period,
    cell.partner,
    cell.product,
    cell.value_eur,
    cell.quantity_kg,
    cell.procedure ?? "null::utinyint",
    cell.unit ?? "null::varchar",
    cell.quantity_su ?? "null::decimal(18, 3)",
  ];
  const good = layout.checks.map((check) => `coalesce(${check.good}, false)`).join(" and ");
  const inserted = await connection.run(
    `insert into stage.readings
     select reason, ${ordinal}, variant, ${said.map((sql) => `case when reason is null then ${sql} end`).join(", ")}
     from (
       select *, ${leftOutReason(layout)} as reason
       from (select ${textsOf(layout)}${numbered} from ${csvOf(layout, file, "ignore_errors = true")})
       where ${good}
     ) ${in_order}`,
  );
  return inserted.rowsChanged;
}

export const noneLeftOut = () =>
  Object.fromEntries(Object.keys(leftOutReasons).map((reason) => [reason, 0])) as LeftOut;

/** SQL for why a row is left out; null if it is used. */
function leftOutReason({ left_out }: Layout): string {
  const cases = Object.entries(left_out).map(([reason, condition]) => `when ${condition} then '${reason}'`);
  return `case ${cases.join(" ")} end`;
}

/** The checked columns as text, and the variant. */
function textsOf(layout: Layout): string {
  const checked = [...new Set(layout.checks.map(({ column }) => `"${column}"`))];
  const apart = ["''", ...layout.variant_columns.map((name) => `"${name}"`)];
  return `${checked.join(", ")}, hash(${apart.join(", ")}) as variant`;
}

/** SQL that reads a file's lines as text. A line is a row: no cell has a line break. */
function csvOf(layout: Layout, file: UnpackedFile, onFaults: string): string {
  const names = layout.open_end ? [...layout.columns, OPEN_END] : layout.columns;
  const columns = names.map((name) => `'${name}': 'VARCHAR'`).join(", ");
  const quote = layout.quoted ? '"' : "";
  return `read_csv(${literal(file.path)}, auto_detect = false, header = true,
    null_padding = ${layout.open_end ?? false}, delim = ${literal(delimiterOf(file.header))}, quote = '${quote}', escape = '${quote}', nullstr = '',
    columns = {${columns}}, ${onFaults})`;
}

/** Every line as text; refuses a line with a wrong number of columns. */
async function readRaw(connection: DuckDBConnection, layout: Layout, file: UnpackedFile): Promise<void> {
  const rejecting = "store_rejects = true, rejects_table = 'rejects', rejects_scan = 'reject_scans'";
  await connection.run(
    `create table stage.raw as select ${textsOf(layout)} from ${csvOf(layout, file, rejecting)}`,
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
      refuse("invalid", `${file.name}: a line break is within quotes, or a quote has no end`);
    throw new Error(`${file.name}: ${file.lines} lines, but ${read} rows were read`);
  }
  if (read === 0) refuse("invalid", `${file.name} has only a header`);
}

async function checkRows(connection: DuckDBConnection, layout: Layout, file: UnpackedFile): Promise<void> {
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

/**
 * Sums the lines of each cell: statistical procedures, and values with masses. Equal lines count once and are
 * reported; contradicting lines refuse the import. A zero mass with a value is unknown, not zero.
 */
export async function foldCells(connection: DuckDBConnection, files: readonly Source[]): Promise<number> {
  await connection.run(
    `insert into stage.cells
       select ${CELL}, sum(value_eur), sum(quantity_kg), min(place), count(*), min(variant) = max(variant),
         sum(quantity_su), ${UNIT_EUR}, if(min(procedure) = max(procedure), min(procedure), null)
       from stage.measures group by ${CELL}`,
  );
  const surplus = await dropDuplicates(connection, files);
  await foldDetails(connection);
  return surplus;
}

/** The digit of the normal procedure. Of a cell with several, it is what the stored others leave. */
const NORMAL = procedureDigits.normal;

/** The value of lines with a supplementary quantity; null if it is the whole value, or on lines of its own. */
const UNIT_EUR = "nullif(sum(value_eur) filter (quantity_su > 0), sum(value_eur))";

/** The units of products, and what cells of several procedures have in others than the normal one. */
async function foldDetails(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `insert into stage.procedures
       select ${CELL}, procedure, sum(value_eur)::bigint, nullif(sum(quantity_kg), 0)::decimal(18, 3),
         sum(quantity_su)::decimal(18, 3), ${UNIT_EUR}::bigint
       from (from stage.measures where procedure <> ${NORMAL}) anti join stage.repeats using (place)
         semi join (from stage.cells where procedure is null) using (${CELL})
       group by ${CELL}, procedure;
     insert into stage.units select distinct product, period, unit from stage.measures where quantity_su > 0`,
  );
}

const CELL = "reporter, flow, period, partner, product";

/** Only cells of two equal lines, or of more than two lines, can have duplicates: few, so the others are skipped. */
async function dropDuplicates(connection: DuckDBConnection, files: readonly Source[]): Promise<number> {
  await connection.run(
    `create table stage.lines as
       select variant, ${CELL}, count(*) as times, min(place) as first, max(place) as last,
         min(value_eur) as value_eur, min(quantity_kg) as quantity_kg, min(quantity_su) as quantity_su,
         min(value_eur) <> max(value_eur) or min(quantity_kg) <> max(quantity_kg)
           or min(quantity_su) <> max(quantity_su) as contradicts
       from stage.measures semi join (from stage.cells where lines > 2 or (lines = 2 and alike)) using (${CELL})
       group by variant, ${CELL}`,
  );
  const contradictions = await rows<{ first: number; last: number; cell: string }>(
    connection,
    `select first, last, concat_ws(' ', reporter, partner, product, flow, period) as cell
     from stage.lines where contradicts order by first limit ${TOLD}`,
  );
  if (contradictions.length > 0) {
    const placed = contradictions.map(({ first, last, cell }) => ({
      first: placeOf(files, first),
      last: placeOf(files, last),
      cell,
    }));
    const { file } = placed[0]!.last;
    refuseLines(
      file,
      placed
        .filter(({ last }) => last.file === file)
        .map(({ first, last, cell }) => ({
          line: last.line,
          column: "",
          what: `${cell} is already in ${first.file.name} line ${first.line}, with a different amount`,
        })),
    );
  }
  const { surplus } = await row<{ surplus: number }>(
    connection,
    "select coalesce(sum(times) - count(*), 0)::bigint as surplus from stage.lines",
  );
  if (surplus > 0) {
    await connection.run(
      `create temp table counted_once as
         select ${CELL}, sum(value_eur) as value_eur, sum(quantity_kg) as quantity_kg,
           sum(quantity_su) as quantity_su, ${UNIT_EUR} as unit_eur
         from stage.lines group by ${CELL} having max(times) > 1;
       update stage.cells set value_eur = once.value_eur, quantity_kg = once.quantity_kg,
           quantity_su = once.quantity_su, unit_eur = once.unit_eur
         from counted_once once where (${ofCell("cells")}) = (${ofCell("once")});
       drop table counted_once;
       insert into stage.repeats select measures.place from stage.measures
         join (from stage.lines where times > 1) repeated using (variant, ${CELL}) where measures.place <> repeated.first`,
    );
  }
  await connection.run("drop table stage.lines");
  return surplus;
}

const ofCell = (table: string) =>
  CELL.split(", ")
    .map((column) => `${table}.${column}`)
    .join(", ");

/** Refuses masses without a value: the value is in another file, or missing. */
export async function refuseOrphans(connection: DuckDBConnection, files: readonly Source[]): Promise<void> {
  const orphans = await rows<{ first: number }>(
    connection,
    "select first from stage.cells where value_eur is null order by first limit 1",
  );
  for (const { first } of orphans) {
    const { file, line } = placeOf(files, first);
    refuseLines(file, [
      { line, column: "indicators", what: "none of the files has the value of this quantity" },
    ]);
  }
}

/** The files have other reporters than stated; `found` are the likely ones. */
export class OtherReporters extends Refusal {
  readonly found: readonly string[];
  constructor(message: string, found: readonly string[]) {
    super("invalid", message);
    this.found = found;
  }
}

/** The reporters must be the 27, or exactly the stated subset. */
export async function checkReporters(
  connection: DuckDBConnection,
  stated: readonly string[] | undefined,
): Promise<void> {
  const found = (
    await rows<{ reporter: string }>(connection, "select distinct reporter from stage.cells order by 1")
  ).map(({ reporter }) => reporter);
  const expected = stated ?? reporterCodes;
  const absent = expected.filter((code) => !found.includes(code));
  const surplus = found.filter((code) => !expected.includes(code));
  if (absent.length > 0) {
    throw new OtherReporters(
      `no rows of the reporters ${absent.join(", ")}: if this is intended, name the reporters of the files by --reporters ${found.join(",")}`,
      found,
    );
  }
  if (surplus.length > 0)
    throw new OtherReporters(`rows of ${surplus.join(", ")}, which --reporters does not name`, found);
}
