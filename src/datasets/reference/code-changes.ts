/** Editions of the Combined Nomenclature and the Harmonized System, and the correspondences between them. */
import { z } from "zod";
import { CodeHistory, type CodeLine, nomenclatures } from "../../domain/trade/code-history.ts";
import { headerCells, readCsv } from "./csv.ts";
import { Faults } from "./faults.ts";
import { perVintage, type ReferenceTable, type TextFile } from "./table.ts";

const year = z.int().min(1988).max(2099);
const code = z.string().regex(/^\d{4}(\d{2}){0,2}$/);

const codeLine = z.strictObject({
  nomenclature: z.enum(nomenclatures),
  year,
  code,
  name: z.string().min(1).max(5_000).nullable(),
  became_year: year.nullable(),
  became: code.nullable(),
  reused: z.boolean(),
}) satisfies z.ZodType<CodeLine>;

const LIST = ["SupText", "URI", "Name"];

/** "CN 2021" or "HS 2017" in a header. */
function editionOf(cell: string | undefined) {
  const found = /^(CN|HS) ?(\d{4})$/.exec((cell ?? "").trim());
  return found ? { nomenclature: found[1] as CodeLine["nomenclature"], year: Number(found[2]) } : undefined;
}

function editionsOf(header: string) {
  const cells = headerCells(header);
  const [first, second] = [editionOf(cells[0]), editionOf(cells[1])];
  const isPair =
    first !== undefined && first.nomenclature === second?.nomenclature && first.year !== second.year;
  return { cells, first, second: isPair ? second : undefined };
}

/** The digits of a code, which some editions group by spaces or dots; undefined for another text. */
function digitsOf(text: string): string | undefined {
  const digits = text.replaceAll(/[ .]/g, "");
  return code.safeParse(digits).success ? digits : undefined;
}

const WANTED = "a code of 4, 6 or 8 digits";

function readList(file: TextFile): CodeLine[] {
  const { cells, first } = editionsOf(headerLine(file));
  const column = cells[0]!;
  const faults = new Faults(file);
  const lines = readCsv(file, [column, ...LIST]).flatMap(({ line, cells }) => {
    const found = digitsOf(cells[column]!);
    // Sections and chapters do not change from edition to edition.
    if (found === undefined && /^([IVX]{1,6}|\d{2})$/.test(cells[column]!)) return [];
    if (found === undefined) faults.add(line, column, cells[column]!, WANTED);
    const name = cells.SupText!.trim() || cells.Name!.trim() || null;
    return [{ ...first!, code: found ?? "", name, became_year: null, became: null, reused: false }];
  });
  faults.refuseAny();
  return lines;
}

function readPairs(file: TextFile): CodeLine[] {
  const { cells: columns, first, second } = editionsOf(headerLine(file));
  const isForward = first!.year < second!.year;
  const [from, to] = isForward ? [first!, second!] : [second!, first!];
  const [fromColumn, toColumn] = isForward ? [columns[0]!, columns[1]!] : [columns[1]!, columns[0]!];
  const reusedColumn = columns.find((column) => /reused/i.test(column));
  const read = [fromColumn, toColumn, ...(reusedColumn === undefined ? [] : [reusedColumn])];
  const faults = new Faults(file);
  const lines = readCsv(file, read, { extra_columns: true }).map(({ line, cells }) => {
    const [old, next] = [digitsOf(cells[fromColumn]!), digitsOf(cells[toColumn]!)];
    if (old === undefined) faults.add(line, fromColumn, cells[fromColumn]!, WANTED);
    if (next === undefined) faults.add(line, toColumn, cells[toColumn]!, WANTED);
    const mark = reusedColumn === undefined ? "" : cells[reusedColumn]!.trim();
    if (mark !== "" && digitsOf(mark) !== old)
      faults.add(line, reusedColumn!, mark, `the line's own code, or nothing`);
    return {
      nomenclature: from.nomenclature,
      year: from.year,
      code: old ?? "",
      name: null,
      became_year: to.year,
      became: next ?? "",
      reused: mark !== "",
    };
  });
  faults.refuseAny();
  return lines;
}

const headerLine = ({ text }: TextFile) => text.slice(0, text.search(/\r?\n|$/));

export const codeChanges: ReferenceTable<CodeLine> = {
  name: "code-changes",
  source: "Eurostat and World Customs Organization, editions of nomenclatures and their correspondences",
  row: codeLine,
  key: ({ nomenclature, year, code, became_year, became }) =>
    [nomenclature, year, code, became_year ?? "", became ?? ""].join(" "),
  as_of: (rows) =>
    rows.length === 0 ? null : String(Math.max(...rows.map(({ year, became_year }) => became_year ?? year))),
  layouts: [
    {
      name: "edition CSV (CN 2022,SupText,URI,Name)",
      matches: (header) => {
        const { cells, first } = editionsOf(header);
        return first !== undefined && cells.slice(1).join() === LIST.join();
      },
      read: readList,
    },
    {
      name: "correspondence CSV (CN 2021,CN 2022,…)",
      matches: (header) => editionsOf(header).second !== undefined,
      read: readPairs,
    },
  ],
  /** The sandbox's codes never change. */
  sandbox: () => [],
};

/** The history in the table's rows. */
export const codeHistoryOf = perVintage((rows: readonly CodeLine[]) => new CodeHistory(rows));
