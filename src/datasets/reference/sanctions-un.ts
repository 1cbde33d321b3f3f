/** The consolidated list of the United Nations Security Council, as XML (scsanctions.un.org). */
import { refuse } from "../../core/model/refusal.ts";
import type { ListEntry, ListedName } from "../../domain/sanctions/list-entry.ts";
import {
  different,
  entriesOf,
  listedEntry,
  parsedXml,
  text,
  xmlListTable,
  yearsBetween,
} from "./sanctions-xml.ts";
import type { TextFile } from "./table.ts";

export const unConsolidated = xmlListTable({
  name: "un-consolidated",
  source: "United Nations Security Council, Consolidated List",
  layout: "UN consolidated list, XML",
  matches: (header) => /^\s*<(\?xml|CONSOLIDATED_LIST)/.test(header),
  read,
});

/** Repeatable elements, so that a single one is a list too. */
const LISTS = new Set([
  "INDIVIDUAL",
  "ENTITY",
  "INDIVIDUAL_ALIAS",
  "ENTITY_ALIAS",
  "INDIVIDUAL_DATE_OF_BIRTH",
  "INDIVIDUAL_ADDRESS",
  "ENTITY_ADDRESS",
  "VALUE",
]);

type Tree = { [member: string]: Tree[] & Tree & string };

type Kind = ListEntry["kind"];

function read(file: TextFile): ListEntry[] {
  const parsed = parsedXml(file, {
    ignoreAttributes: true,
    parseTagValue: false,
    trimValues: true,
    processEntities: true,
    isArray: (name) => LISTS.has(name),
  }) as Tree;
  if (!("CONSOLIDATED_LIST" in parsed))
    return refuse("invalid", `${file.name} is XML without a CONSOLIDATED_LIST`);
  const root = (parsed.CONSOLIDATED_LIST || {}) as Tree;
  const of = (kind: Kind, entries: Tree[] | undefined) => (entries ?? []).map((entry) => ({ kind, entry }));
  const entries = [...of("person", root.INDIVIDUALS?.INDIVIDUAL), ...of("entity", root.ENTITIES?.ENTITY)];
  return entriesOf(file, entries, ({ entry, kind }) => entryOf(file, entry, kind));
}

function entryOf(file: TextFile, entry: Tree, kind: Kind): ListEntry {
  const parts = ["FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME"].map((part) => text(entry[part]));
  const [aliases, addresses] = (
    kind === "person"
      ? [entry.INDIVIDUAL_ALIAS, entry.INDIVIDUAL_ADDRESS]
      : [entry.ENTITY_ALIAS, entry.ENTITY_ADDRESS]
  ).map((list): Tree[] => list ?? []) as [Tree[], Tree[]];
  const births: Tree[] = entry.INDIVIDUAL_DATE_OF_BIRTH ?? [];
  const nationalities: unknown[] = entry.NATIONALITY?.VALUE ?? [];
  const names: ListedName[] = [
    { name: parts.filter(Boolean).join(" "), quality: "primary" },
    ...different([entry.NAME_ORIGINAL_SCRIPT]).map((name): ListedName => ({ name, quality: "strong" })),
    ...aliases.flatMap((alias): ListedName[] => {
      const name = text(alias.ALIAS_NAME);
      const quality = text(alias.QUALITY) === "Low" ? "weak" : "strong";
      return name === "" ? [] : [{ name, quality }];
    }),
  ];
  return listedEntry(file, "DATAID", {
    entry_id: text(entry.DATAID),
    reference: text(entry.REFERENCE_NUMBER) || null,
    kind,
    names,
    born: different(
      births.flatMap(({ YEAR, DATE, FROM_YEAR, TO_YEAR }) => {
        const span = yearsBetween(FROM_YEAR, TO_YEAR);
        return [YEAR, DATE, ...(span.length > 0 ? span : [FROM_YEAR, TO_YEAR])];
      }),
    ),
    countries: different([...nationalities, ...addresses.map(({ COUNTRY }) => COUNTRY)]),
    programs: different([entry.UN_LIST_TYPE]),
  });
}
