/** The consolidated list of the United Nations Security Council, as XML (scsanctions.un.org). */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { refuse } from "../../domain/refusal.ts";
import { type Listed, type ListedName, listed } from "../../domain/sanctions/listed.ts";
import { inventedListed } from "./invented-listed.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

export const unConsolidated: ReferenceTable<Listed> = {
  name: "un-consolidated",
  source: "United Nations Security Council, Consolidated List",
  row: listed,
  key: ({ entry_id }) => entry_id.padStart(12, "0"),
  as_of: () => null,
  least_share: 0.5,
  layouts: [
    {
      name: "UN consolidated list, XML",
      matches: (header) => /^\s*<(\?xml|CONSOLIDATED_LIST)/.test(header),
      read,
    },
  ],
  sandbox: inventedListed,
};

/** What may stand more than once, so that one alone is a list too. */
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

function read(file: TextFile): Listed[] {
  // The list has none, and what a document type may define can grow without end.
  if (/<!DOCTYPE/i.test(file.text))
    refuse("invalid", `${file.name} has a document type, which the list has not`);
  const valid = XMLValidator.validate(file.text);
  if (valid !== true) return refuse("invalid", `${file.name} line ${valid.err.line}: ${valid.err.msg}`);
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    trimValues: true,
    processEntities: true,
    isArray: (name) => LISTS.has(name),
  });
  const parsed = parser.parse(file.text) as Tree;
  if (!("CONSOLIDATED_LIST" in parsed))
    return refuse("invalid", `${file.name} is XML, and no CONSOLIDATED_LIST`);
  const root = (parsed.CONSOLIDATED_LIST || {}) as Tree;
  const persons = (root.INDIVIDUALS?.INDIVIDUAL ?? []) as Tree[];
  const entities = (root.ENTITIES?.ENTITY ?? []) as Tree[];
  if (persons.length + entities.length === 0) refuse("invalid", `${file.name} lists nobody`);
  return [
    ...persons.map((entry) => entryOf(file, entry, "person")),
    ...entities.map((entry) => entryOf(file, entry, "entity")),
  ];
}

const text = (value: unknown): string =>
  typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : "";

function entryOf(file: TextFile, entry: Tree, kind: "person" | "entity"): Listed {
  const parts = ["FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME"].map((part) => text(entry[part]));
  const whole = parts.filter(Boolean).join(" ");
  const aliases = (kind === "person" ? entry.INDIVIDUAL_ALIAS : entry.ENTITY_ALIAS) ?? [];
  const names: ListedName[] = [
    { name: whole, quality: "primary" },
    ...[text(entry.NAME_ORIGINAL_SCRIPT)]
      .filter(Boolean)
      .map((name): ListedName => ({ name, quality: "strong" })),
    ...(aliases as Tree[]).flatMap((alias): ListedName[] => {
      const name = text(alias.ALIAS_NAME);
      const quality = text(alias.QUALITY) === "Low" ? "weak" : "strong";
      return name === "" ? [] : [{ name, quality }];
    }),
  ];
  const births = (entry.INDIVIDUAL_DATE_OF_BIRTH ?? []) as Tree[];
  const born = births.flatMap((birth) => [birth.YEAR, birth.DATE, birth.FROM_YEAR].map(text));
  const addresses = ((kind === "person" ? entry.INDIVIDUAL_ADDRESS : entry.ENTITY_ADDRESS) ?? []) as Tree[];
  const nationalities = (entry.NATIONALITY as unknown as Tree | undefined)?.VALUE ?? [];
  const parsed = listed.safeParse({
    entry_id: text(entry.DATAID),
    reference: text(entry.REFERENCE_NUMBER) || null,
    kind,
    names,
    born: [...new Set(born.filter((year) => /^\d{4}/.test(year)).map((year) => Number(year.slice(0, 4))))],
    countries: [
      ...new Set([
        ...(nationalities as string[]).map(text),
        ...addresses.map(({ COUNTRY }) => text(COUNTRY)),
      ]),
    ].filter(Boolean),
    programs: [text(entry.UN_LIST_TYPE)].filter(Boolean),
  });
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  return refuse(
    "invalid",
    `${file.name}: the entry ${text(entry.DATAID) || "without DATAID"}: ${path.join(".")}: ${message}`,
  );
}
