/**
 * The SDN list of the US Treasury's OFAC: its main file and its file of alternative names, as CSV without a header
 * (sanctionslist.ofac.treas.gov).
 */
import { z } from "zod";
import {
  type ListEntry,
  type ListedKind,
  type ListedName,
  listEntry,
} from "../../domain/sanctions/list-entry.ts";
import { refuseLines } from "../stage.ts";
import { records } from "./csv.ts";
import { inventedListed } from "./invented-listed.ts";
import { yearsBetween } from "./sanctions-xml.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

const SDN_COLUMNS = 12;
const ALT_COLUMNS = 5;
/** An empty cell. */
const NOTHING = "-0-";

const cells = (header: string) => header.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).length;

export const ofacSdn: ReferenceTable<ListEntry> = {
  name: "ofac-sdn",
  source: "US Department of the Treasury, OFAC: Specially Designated Nationals, SDN.CSV",
  row: listEntry,
  key: ({ entry_id }) => entry_id.padStart(12, "0"),
  as_of: () => null,
  least_share: 0.5,
  layouts: [
    {
      name: "OFAC SDN.CSV",
      matches: (header) => /^\d+,"/.test(header) && cells(header) === SDN_COLUMNS,
      read: readSdn,
    },
  ],
  sandbox: inventedListed,
};

/** An alternative name of an SDN entry. */
const otherName = z.strictObject({
  entry_id: z.string(),
  alt_id: z.string(),
  type: z.enum(["aka", "fka", "nka"]),
  name: z.string().min(1),
});
export type OtherName = z.infer<typeof otherName>;

export const ofacAlt: ReferenceTable<OtherName> = {
  name: "ofac-alt",
  source: "US Department of the Treasury, OFAC: Specially Designated Nationals, ALT.CSV",
  row: otherName,
  key: ({ entry_id, alt_id }) => `${entry_id.padStart(12, "0")} ${alt_id.padStart(12, "0")}`,
  as_of: () => null,
  least_share: 0.5,
  layouts: [
    {
      name: "OFAC ALT.CSV",
      matches: (header) => /^\d+,\d+,"[afn]ka",/.test(header) && cells(header) === ALT_COLUMNS,
      read: (file) =>
        rowsOf(file, ALT_COLUMNS).map(({ line, record }) => {
          const [entry_id, alt_id, type, name] = record;
          const read = otherName.safeParse({ entry_id, alt_id, type, name });
          return read.success ? read.data : refused(file, line, read.error);
        }),
    },
  ],
  sandbox: () => [
    { entry_id: "900001", alt_id: "1", type: "aka", name: "ORLOV MERKUR TRADING" },
    { entry_id: "900004", alt_id: "2", type: "fka", name: "NORTHERN LANTERN SHIPPING" },
  ],
};

type Row = { line: number; record: string[] };

function rowsOf(file: TextFile, columns: number): Row[] {
  return records(file, ",").map(({ record, line }) => {
    if (record.length !== columns)
      refuseLines(file, [
        { line, column: "", what: `has ${record.length} columns; the layout has ${columns}` },
      ]);
    return { line, record: record.map((cell) => (cell.trim() === NOTHING ? "" : cell.trim())) };
  });
}

const refused = (file: TextFile, line: number, { issues: [issue] }: z.ZodError): never =>
  refuseLines(file, [
    { line, column: String(issue!.path[0] ?? ""), what: `${issue!.path.join(".")}: ${issue!.message}` },
  ]);

const KINDS: Record<string, ListedKind> = { individual: "person", vessel: "vessel", aircraft: "aircraft" };

function readSdn(file: TextFile): ListEntry[] {
  return rowsOf(file, SDN_COLUMNS).map(({ line, record }) => {
    const [entry_id = "", name = "", type = "", programs = "", , , , , , flag = "", , remarks = ""] = record;
    const read = listEntry.safeParse({
      entry_id,
      reference: null,
      kind: KINDS[type] ?? "entity",
      names: [{ name, quality: "primary" }, ...weakNames(remarks)],
      born: bornIn(remarks),
      countries: [
        ...new Set([
          ...matchesOf(remarks, /(?:nationality|citizen|Nationality of Registration) ([^;.]+)/g),
          ...(flag ? [flag] : []),
        ]),
      ],
      programs: programs
        .split(/\]\s*\[|;\s*/)
        .map((program) => program.replaceAll(/[[\]]/g, "").trim())
        .filter(Boolean),
    });
    return read.success ? read.data : refused(file, line, read.error);
  });
}

const matchesOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found]) => found!.trim());

/** OFAC's weak aliases: names in quotes among the remarks; a quote within a name is an apostrophe. */
const weakNames = (remarks: string): ListedName[] =>
  matchesOf(remarks, /a\.k\.a\. '(.+?)'(?=;|\.?$|\. )/g).map((name) => ({ name, quality: "weak" }));

const bornIn = (remarks: string): number[] => [
  ...new Set(
    [
      ...remarks.matchAll(
        /DOB (?:circa )?(?:\d{1,2} )?(?:[A-Z][a-z]{2} )?(\d{4})(?:(?: to |-)(?:circa )?(?:\d{1,2} )?(?:[A-Z][a-z]{2} )?(\d{4}))?/g,
      ),
    ].flatMap(([, from, to = from]) => yearsBetween(from!, to!).map(Number)),
  ),
];
