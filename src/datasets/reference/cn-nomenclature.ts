/** Product names: the Combined Nomenclature from chapter to CN8, and the Harmonized System with its sections. */
import { z } from "zod";
import { ownNames } from "../../domain/trade/product-names.ts";
import { sandboxCodes, woodNames } from "../sandbox-codes.ts";
import { refuseLines } from "../stage.ts";
import { headerCells, readCsv } from "./csv.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const code = (digits: string) => z.string().regex(new RegExp(`^\\d{2}(\\d{2}){0,${digits}}$`));
const name = z.string().min(1).max(5_000);

const cnProduct = z.strictObject({ code: code("3"), name });
/** A chapter, heading, subheading or CN8 code. An undivided heading appears only as its CN8 code. */
export type CnProduct = z.infer<typeof cnProduct>;

export const cnNomenclature: ReferenceTable<CnProduct> = {
  name: "cn-nomenclature",
  source: "Eurostat, Combined Nomenclature",
  row: cnProduct,
  key: (row) => row.code,
  as_of: () => null,
  layouts: [
    {
      name: "nomenclature CSV (code,description)",
      matches: (header) => headerCells(header).join() === "code,description",
      read: (file) =>
        readCsv(file, ["code", "description"]).map(({ line, cells }) =>
          checked(file, line, { code: cells.code, name: cells.description }, cnProduct, "code"),
        ),
    },
  ],
  sandbox: () =>
    Object.entries({ ...ownNames, ...woodNames, ...sandboxCodes }).map(([of, named]) => ({
      code: of,
      name: named,
    })),
};

const roman = z.string().regex(/^[IVX]{1,6}$/);
const hsProduct = z.strictObject({
  code: code("2"),
  name,
  /** null for goods of no kind. */
  section: roman.nullable(),
});
/** A chapter, heading or subheading of the Harmonized System, and its section. */
export type HsProduct = z.infer<typeof hsProduct>;

const HS_COLUMNS = ["section", "hscode", "description", "parent", "level"] as const;

export const hsNomenclature: ReferenceTable<HsProduct> = {
  name: "hs-nomenclature",
  source: "Harmonized System 2022",
  row: hsProduct,
  key: (row) => row.code,
  as_of: () => null,
  layouts: [
    {
      name: `Harmonized System CSV (${HS_COLUMNS.join()})`,
      matches: (header) => headerCells(header).join() === HS_COLUMNS.join(),
      read: (file) =>
        readCsv(file, HS_COLUMNS)
          .filter(({ cells }) => cells.hscode !== "TOTAL")
          .map(({ line, cells }) => {
            const section = cells.section === "TOTAL" ? null : cells.section;
            const row = { code: cells.hscode, name: cells.description, section };
            return checked(file, line, row, hsProduct, "hscode");
          }),
    },
  ],
  sandbox: () =>
    Object.entries(ownNames).map(([of, named]) => ({ code: of, name: named, section: sectionOf(of) })),
};

const hsSection = z.strictObject({ section: roman, name });
export type HsSection = z.infer<typeof hsSection>;

export const hsSections: ReferenceTable<HsSection> = {
  name: "hs-sections",
  source: "Harmonized System 2022, sections",
  row: hsSection,
  key: (row) => row.section,
  as_of: () => null,
  layouts: [
    {
      name: "sections CSV (section,name)",
      matches: (header) => headerCells(header).join() === "section,name",
      read: (file) =>
        readCsv(file, ["section", "name"]).map(({ line, cells }) =>
          checked(file, line, { section: cells.section, name: cells.name.trim() }, hsSection, "section"),
        ),
    },
  ],
  sandbox: () => sections.map(({ section, name: named }) => ({ section, name: named })),
};

/** A line's row in the table's form; refuses a bad line by number. */
function checked<Row>(
  file: TextFile,
  line: number,
  row: object,
  schema: z.ZodType<Row>,
  column: string,
): Row {
  const read = schema.safeParse(row);
  if (read.success) return read.data;
  const what = `${JSON.stringify(row).slice(0, 120)} is not an entry of a nomenclature: a code has 2, 4, 6 or 8 digits and a name`;
  return refuseLines(file, [{ line, column, what }]);
}

/** The sections of the Harmonized System by their last chapter, in our own words. */
const sections = [
  { section: "I", last: "05", name: "Animals and animal products" },
  { section: "II", last: "14", name: "Plants and plant products" },
  { section: "III", last: "15", name: "Fats and oils" },
  { section: "IV", last: "24", name: "Food, drink and tobacco" },
  { section: "V", last: "27", name: "Minerals" },
  { section: "VI", last: "38", name: "Chemicals" },
  { section: "VII", last: "40", name: "Plastics and rubber" },
  { section: "VIII", last: "43", name: "Leather and fur" },
  { section: "IX", last: "46", name: "Wood, cork and basketware" },
  { section: "X", last: "49", name: "Pulp, paper and print" },
  { section: "XI", last: "63", name: "Textiles" },
  { section: "XII", last: "67", name: "Footwear, hats and umbrellas" },
  { section: "XIII", last: "70", name: "Stone, ceramics and glass" },
  { section: "XIV", last: "71", name: "Jewellery and precious metals" },
  { section: "XV", last: "83", name: "Base metals" },
  { section: "XVI", last: "85", name: "Machines and electrical goods" },
  { section: "XVII", last: "89", name: "Vehicles, aircraft and ships" },
  { section: "XVIII", last: "92", name: "Instruments, watches and music" },
  { section: "XIX", last: "93", name: "Weapons" },
  { section: "XX", last: "96", name: "Furniture, toys and the like" },
  { section: "XXI", last: "97", name: "Art and antiques" },
];

const sectionOf = (of: string) => sections.find(({ last }) => of.slice(0, 2) <= last)?.section ?? null;
