/** Common parts of XML sanctions lists: their safe parsing, and the resulting table. */
import { type X2jOptions, XMLParser, XMLValidator } from "fast-xml-parser";
import { refuse } from "../../core/model/refusal.ts";
import { type ListEntry, listEntry } from "../../domain/sanctions/list-entry.ts";
import { inventedListed } from "./invented-listed.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

type XmlList = {
  name: string;
  source: string;
  /** The layout's name. */
  layout: string;
  matches: (header: string) => boolean;
  read: (file: TextFile) => ListEntry[];
};

/** A list's table, by entry number. */
export const xmlListTable = ({
  name,
  source,
  layout,
  matches,
  read,
}: XmlList): ReferenceTable<ListEntry> => ({
  name,
  source,
  row: listEntry,
  key: ({ entry_id }) => entry_id.padStart(12, "0"),
  as_of: () => null,
  least_share: 0.5,
  layouts: [{ name: layout, matches, read }],
  sandbox: inventedListed,
});

/** The parsed document; refuses malformed XML. */
export function parsedXml(file: TextFile, options: X2jOptions): unknown {
  // No list has a document type, whose entities could expand without limit.
  if (/<!DOCTYPE/i.test(file.text))
    refuse("invalid", `${file.name} has a document type declaration, which the list does not have`);
  const valid = XMLValidator.validate(file.text);
  if (valid !== true)
    return refuse("invalid", `${file.name} line ${valid.err.line}: ${malformed(valid.err.msg)}`);
  refuseBadReferences(file);
  // The library reads references to characters with those of HTML alone.
  const parser = new XMLParser({ ...options, htmlEntities: true });
  try {
    return parser.parse(file.text);
  } catch (error) {
    // The parser notices faults that its validator does not.
    return refuse("invalid", `${file.name}: ${malformed((error as Error).message)}`);
  }
}

/** The library lists open elements over several lines. */
const malformed = (fault: string) =>
  `not well-formed XML, so it is damaged or cut off (${fault.replaceAll(/\s+/g, " ").replace(/\.$/, "")}): fetch it again`;

const NAMED_REFERENCES = new Set(["amp", "lt", "gt", "quot", "apos"]);

/** XML without a document type has five names and the numbers of characters (XML 1.0, 4.1 and 4.6). */
function refuseBadReferences({ name, text: xml }: TextFile): void {
  for (const match of xml.matchAll(/<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->|&([^;<&\s]{0,40});?/g)) {
    const [found, reference] = match;
    if (reference === undefined || (found.endsWith(";") && isReference(reference))) continue;
    const line = xml.slice(0, match.index).split("\n").length;
    refuse(
      "invalid",
      `${name} line ${line}: ${found.slice(0, 20)} is not a reference to a character; nothing was imported`,
    );
  }
}

function isReference(reference: string): boolean {
  const [, hexadecimal, decimal] = /^#(?:x([0-9a-f]+)|(\d+))$/i.exec(reference) ?? [];
  if (hexadecimal === undefined && decimal === undefined) return NAMED_REFERENCES.has(reference);
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return (code >= 0x20 || [9, 10, 13].includes(code)) && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

/** The entries of a list; refuses an empty list. */
export function entriesOf<Entry>(
  file: TextFile,
  entries: readonly Entry[],
  entryOf: (entry: Entry) => ListEntry,
): ListEntry[] {
  if (entries.length === 0) refuse("invalid", `${file.name} lists nobody`);
  return entries.map(entryOf);
}

/** An entry in the common form; refuses a bad one by its number, or by `id_name` if it has none. */
export function listedEntry(
  file: TextFile,
  id_name: string,
  entry: Omit<ListEntry, "born"> & { born: readonly string[] },
): ListEntry {
  const years = entry.born.filter((year) => /^\d{4}/.test(year)).map((year) => Number(year.slice(0, 4)));
  const parsed = listEntry.safeParse({ ...entry, born: [...new Set(years)] });
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  return refuse(
    "invalid",
    `${file.name}: the entry ${entry.entry_id || `without ${id_name}`}: ${path.join(".")}: ${message}`,
  );
}

/** An element's text on one line. */
export const text = (value: unknown): string =>
  typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : "";

/** The distinct texts of several elements. */
export const different = (values: readonly unknown[]): string[] => [
  ...new Set(values.map(text).filter(Boolean)),
];

/** The lists' ranges of birth years are shorter; only the ends of a longer one are listed. */
const LONGEST_SPAN = 30;

/** Each year from one to the other; an end alone is not a year of birth. */
export function yearsBetween(first: unknown, last: unknown): string[] {
  const [from, to] = [Number(first), Number(last)];
  if (!(from > 0 && to >= from)) return [];
  if (to - from > LONGEST_SPAN) return [String(from), String(to)];
  return Array.from({ length: to - from + 1 }, (_, more) => String(from + more));
}
