/**
 * The European Union's consolidated list of persons, groups and entities under financial sanctions, as XML (full
 * list, schema 1.1).
 */
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

export const euConsolidated = xmlListTable({
  name: "eu-consolidated",
  source: "European Commission, Consolidated list of financial sanctions (webgate.ec.europa.eu/fsd/fsf)",
  layout: "EU consolidated financial sanctions list, XML 1.1",
  matches: (header) => /<export\b/.test(header),
  read,
});

/** Repeatable elements, so that a single one is a list too. */
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

function read(file: TextFile): ListEntry[] {
  const { export: root } = parsedXml(file, {
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseAttributeValue: false,
    removeNSPrefix: true,
    // A birth date's attribute has the name of its element.
    isArray: (name, _path, _leaf, isAttribute) => !isAttribute && LISTS.has(name),
  }) as { export?: { sanctionEntity?: Entity[] } | "" };
  const entities = (root === "" ? undefined : root?.sanctionEntity) ?? [];
  return entriesOf(file, entities, (entity) => entryOf(file, entity));
}

const entryOf = (file: TextFile, entity: Entity): ListEntry =>
  listedEntry(file, "logicalId", {
    entry_id: text(entity.logicalId),
    reference: text(entity.euReferenceNumber) || null,
    kind: entity.subjectType?.code === "person" ? "person" : "entity",
    names: (entity.nameAlias ?? []).flatMap(nameOf),
    born: different((entity.birthdate ?? []).flatMap(yearsOf)),
    countries: different(
      [...(entity.citizenship ?? []), ...(entity.address ?? [])].map(({ countryDescription = "" }) =>
        countryDescription === "UNKNOWN" ? "" : countryDescription,
      ),
    ),
    programs: different((entity.regulation ?? []).map(({ programme = "" }) => programme)),
  });

/** A year, a day, or the range between two years. */
function yearsOf({ year, birthdate, yearRangeFrom, yearRangeTo }: Attributes): string[] {
  const one = text(year) || text(birthdate).slice(0, 4);
  return one === "" ? yearsBetween(yearRangeFrom, yearRangeTo) : [one];
}

/** The list marks no primary name, but it marks the names that it confirms. */
function nameOf(
  { wholeName, firstName, middleName, lastName, strong }: Attributes,
  at: number,
): ListedName[] {
  const name = text(wholeName) || different([firstName ?? "", middleName ?? "", lastName ?? ""]).join(" ");
  const quality = strong === "false" ? "weak" : at === 0 ? "primary" : "strong";
  return name === "" ? [] : [{ name, quality }];
}
