/** The consolidated list of persons, groups and entities under financial sanctions of the European Union, as XML (full list, schema 1.1). */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { refuse } from "../../domain/refusal.ts";
import { type Listed, type ListedName, listed } from "../../domain/sanctions/listed.ts";
import { inventedListed } from "./invented-listed.ts";
import type { ReferenceTable, TextFile } from "./table.ts";

export const euConsolidated: ReferenceTable<Listed> = {
  name: "eu-consolidated",
  source: "European Commission, Consolidated list of financial sanctions (webgate.ec.europa.eu/fsd/fsf)",
  row: listed,
  key: ({ entry_id }) => entry_id.padStart(12, "0"),
  as_of: () => null,
  least_share: 0.5,
  layouts: [
    {
      name: "EU consolidated financial sanctions list, XML 1.1",
      matches: (header) => /<export\b/.test(header),
      read,
    },
  ],
  sandbox: inventedListed,
};

/** What may stand more than once, so that one alone is a list too. */
const LISTS = new Set(["sanctionEntity", "nameAlias", "citizenship", "birthdate", "address", "regulation"]);

type Attributes = Record<string, string>;
type Entity = Attributes & {
  subjectType?: Attributes;
  nameAlias?: Attributes[];
  citizenship?: Attributes[];
  birthdate?: Attributes[];
  address?: Attributes[];
  regulation?: Attributes[];
};

function read(file: TextFile): Listed[] {
  // The list has none, and what a document type may define can grow without end.
  if (/<!DOCTYPE/i.test(file.text))
    refuse("invalid", `${file.name} has a document type, which the list has not`);
  const valid = XMLValidator.validate(file.text);
  if (valid !== true) return refuse("invalid", `${file.name} line ${valid.err.line}: ${valid.err.msg}`);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseAttributeValue: false,
    removeNSPrefix: true,
    // An attribute of a birth date has the name of its element.
    isArray: (name, _path, _leaf, isAttribute) => !isAttribute && LISTS.has(name),
  });
  const { export: root } = parser.parse(file.text) as { export?: { sanctionEntity?: Entity[] } | "" };
  const entities = (root === "" ? undefined : root?.sanctionEntity) ?? [];
  if (entities.length === 0) refuse("invalid", `${file.name} lists nobody`);
  return entities.map((entity) => entryOf(file, entity));
}

const text = (value: string | undefined) => (value ?? "").replaceAll(/\s+/g, " ").trim();
const different = (values: readonly string[]) => [...new Set(values.map(text))].filter(Boolean);

function entryOf(file: TextFile, entity: Entity): Listed {
  const parsed = listed.safeParse({
    entry_id: text(entity.logicalId),
    reference: text(entity.euReferenceNumber) || null,
    kind: entity.subjectType?.code === "person" ? "person" : "entity",
    names: (entity.nameAlias ?? []).flatMap(nameOf),
    born: different(
      (entity.birthdate ?? []).map(({ year, birthdate }) => year || (birthdate ?? "").slice(0, 4)),
    )
      .filter((year) => /^\d{4}$/.test(year))
      .map(Number),
    countries: different(
      [...(entity.citizenship ?? []), ...(entity.address ?? [])].map(({ countryDescription = "" }) =>
        countryDescription === "UNKNOWN" ? "" : countryDescription,
      ),
    ),
    programs: different((entity.regulation ?? []).map(({ programme = "" }) => programme)),
  });
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  return refuse(
    "invalid",
    `${file.name}: the entry ${text(entity.logicalId) || "without logicalId"}: ${path.join(".")}: ${message}`,
  );
}

/** The list has no name that it calls the first; it marks those that it vouches for. */
function nameOf(
  { wholeName, firstName, middleName, lastName, strong }: Attributes,
  at: number,
): ListedName[] {
  const name = text(wholeName) || different([firstName ?? "", middleName ?? "", lastName ?? ""]).join(" ");
  const quality = strong === "false" ? "weak" : at === 0 ? "primary" : "strong";
  return name === "" ? [] : [{ name, quality }];
}
