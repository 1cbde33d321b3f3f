/** The lists as their publishers give them; the real files are read where they are. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { readTextFile } from "../../src/datasets/reference/read.ts";
import { euConsolidated } from "../../src/datasets/reference/sanctions-eu.ts";
import { ofacAlt, ofacSdn } from "../../src/datasets/reference/sanctions-ofac.ts";
import { unConsolidated } from "../../src/datasets/reference/sanctions-un.ts";
import type { ReferenceTable } from "../../src/datasets/reference/table.ts";
import { referenceLayoutOf } from "../../src/datasets/reference/tables.ts";

const DATA = fileURLToPath(new URL("../../../shared/data/", import.meta.url));

const read = <Row extends object>(table: ReferenceTable<Row>, text: string) =>
  table.layouts[0]!.read({ name: "given", text });

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  return "";
}

const SDN = `36,"AEROCARIBBEAN AIRLINES",-0- ,"CUBA",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- 
8117,"KOVAC, Tomislav","individual","BALKANS] [SDGT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB 04 Dec 1959; alt. DOB circa 1960; nationality Croatia; a.k.a. 'TOMO'."
`;

test("OFAC's entries have kind, programmes, years, countries and names with their quality", () => {
  expect(referenceLayoutOf(SDN.split("\n")[0]!)?.table.name).toBe("ofac-sdn");
  expect(read(ofacSdn, SDN)).toEqual([
    {
      ...{ entry_id: "36", reference: null, kind: "entity", born: [], countries: [], programs: ["CUBA"] },
      names: [{ name: "AEROCARIBBEAN AIRLINES", quality: "primary" }],
    },
    {
      ...{ entry_id: "8117", reference: null, kind: "person", born: [1959, 1960], countries: ["Croatia"] },
      programs: ["BALKANS", "SDGT"],
      names: [
        { name: "KOVAC, Tomislav", quality: "primary" },
        { name: "TOMO", quality: "weak" },
      ],
    },
  ]);
});

test("OFAC's names in quotes keep their apostrophes, and spans of birth keep every year", () => {
  const remarks =
    "DOB 1960 to 1963; alt. DOB 01 Jan 1970 to 31 Dec 1971; a.k.a. 'N'GOLO'; a.k.a. 'ABU DU'A'.";
  const [entry] = read(ofacSdn, SDN.split("\n")[1]!.replace(/DOB.*\./, remarks));
  expect(entry!.born).toEqual([1960, 1961, 1962, 1963, 1970, 1971]);
  expect(entry!.names.map(({ name }) => name)).toEqual(["KOVAC, Tomislav", "N'GOLO", "ABU DU'A"]);
});

test("OFAC's aliases are a separate table", () => {
  const alt = '36,12,"aka","AERO-CARIBBEAN",-0- \n';
  expect(referenceLayoutOf(alt.trim())?.table.name).toBe("ofac-alt");
  expect(read(ofacAlt, alt)).toEqual([{ entry_id: "36", alt_id: "12", type: "aka", name: "AERO-CARIBBEAN" }]);
});

const un = (inside: string) => `<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-02-27T00:00:09.554Z">${inside}</CONSOLIDATED_LIST>`;
const PERSON = `<INDIVIDUALS><INDIVIDUAL><DATAID>6907993</DATAID><FIRST_NAME>ERIC</FIRST_NAME><SECOND_NAME>BADEGE</SECOND_NAME>
  <UN_LIST_TYPE>DRC</UN_LIST_TYPE><REFERENCE_NUMBER>CDi.001</REFERENCE_NUMBER><NATIONALITY><VALUE>Rwanda</VALUE></NATIONALITY>
  <INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME>Badge</ALIAS_NAME></INDIVIDUAL_ALIAS><INDIVIDUAL_ALIAS><QUALITY/><ALIAS_NAME/></INDIVIDUAL_ALIAS>
  <INDIVIDUAL_DATE_OF_BIRTH><YEAR>1971</YEAR></INDIVIDUAL_DATE_OF_BIRTH></INDIVIDUAL></INDIVIDUALS>`;

describe("the list of the United Nations", () => {
  test("has names, aliases, years and countries", () => {
    expect(referenceLayoutOf('<?xml version="1.0" encoding="UTF-8"?>')?.table.name).toBe("un-consolidated");
    expect(read(unConsolidated, un(PERSON))).toEqual([
      {
        ...{ entry_id: "6907993", reference: "CDi.001", kind: "person", born: [1971], countries: ["Rwanda"] },
        programs: ["DRC"],
        names: [
          { name: "ERIC BADEGE", quality: "primary" },
          { name: "Badge", quality: "weak" },
        ],
      },
    ]);
  });

  test.each([
    ["<FROM_YEAR>1960</FROM_YEAR><TO_YEAR>1963</TO_YEAR>", [1960, 1961, 1962, 1963]],
    ["<FROM_YEAR>1900</FROM_YEAR><TO_YEAR>1968</TO_YEAR>", [1900, 1968]],
    ["<TO_YEAR>1968</TO_YEAR>", [1968]],
  ])("keeps both ends of a span of birth: %s", (span, born) => {
    const [entry] = read(unConsolidated, un(PERSON.replace("<YEAR>1971</YEAR>", span)));
    expect(entry!.born).toEqual(born);
  });

  test.each([
    ["what is not a list", un(""), "lists nobody"],
    ["other XML", "<html></html>", "without a CONSOLIDATED_LIST"],
    ["XML that ends early", un(PERSON).slice(0, 300), "line"],
    ["a bomb of entities", `<!DOCTYPE a [<!ENTITY b "c">]>${un(PERSON)}`, "document type"],
    ["an entry without a name", un(PERSON.replace(/<FIRST_NAME>.*<\/SECOND_NAME>/, "")), "names"],
  ])("refuses %s", (_, text, answer) => {
    expect(refusalOf(() => read(unConsolidated, text))).toContain(answer);
  });
});

const eu = (inside: string) => `<?xml version="1.0" encoding="UTF-8"?>
<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-02-27T16:05:11.5+01:00" globalFileId="1">${inside}</export>`;
const EU_PERSON = `<sanctionEntity designationDetails="" unitedNationId="" euReferenceNumber="EU.27.28" logicalId="13">
  <regulation regulationType="amendment" programme="IRQ" logicalId="348"/><subjectType code="person" classificationCode="P"/>
  <nameAlias firstName="" middleName="" lastName="" wholeName="Invented Person &amp; Co" strong="true" logicalId="17"/>
  <nameAlias firstName="Inventa" middleName="" lastName="Persona" wholeName="" strong="true" logicalId="19"/>
  <nameAlias wholeName="Abu Invention" strong="false" logicalId="20"/>
  <citizenship countryIso2Code="IQ" countryDescription="IRAQ"/><address countryDescription="UNKNOWN"/>
  <birthdate circa="false" year="1937" birthdate="1937-04-28"/><birthdate birthdate="1939-01-01"/></sanctionEntity>`;

describe("the list of the European Union", () => {
  test("has names by quality, years, countries and programmes", () => {
    expect(read(euConsolidated, eu(EU_PERSON))).toEqual([
      {
        ...{ entry_id: "13", reference: "EU.27.28", kind: "person", born: [1937, 1939], countries: ["IRAQ"] },
        programs: ["IRQ"],
        names: [
          { name: "Invented Person & Co", quality: "primary" },
          { name: "Inventa Persona", quality: "strong" },
          { name: "Abu Invention", quality: "weak" },
        ],
      },
    ]);
  });

  // Each element and attribute of the published file, with people and companies whom nobody has listed.
  const PUBLISHED = eu(`
    <sanctionEntity designationDate="2022-02-25" designationDetails="" unitedNationId="" euReferenceNumber="EU.99001.11" logicalId="990001">
        <remark>Invented, of nobody</remark>
        <regulation regulationType="amendment" organisationType="council" publicationDate="2022-02-25" entryIntoForceDate="2022-02-25" numberTitle="2022/332 (OJ L53)" programme="UKR" logicalId="149145">
            <publicationUrl>https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=uriserv%3AOJ.L_.2022.053.01.0001.01.ENG&amp;toc=OJ%3AL%3A2022%3A053%3ATOC</publicationUrl>
        </regulation>
        <regulation regulationType="regulation" organisationType="commission" publicationDate="2003-07-08" entryIntoForceDate="2003-07-07" numberTitle="1210/2003 (OJ L169)" programme="IRQ" logicalId="348">
            <publicationUrl>http://eur-lex.europa.eu/LexUriServ/LexUriServ.do?uri=OJ:L:2003:169:0006:0023:EN:PDF</publicationUrl>
        </regulation>
        <subjectType code="person" classificationCode="P"/>
        <nameAlias firstName="Inventijs" middleName="Nekad" lastName="Bijušais" wholeName="Inventijs Nekad Bijušais" function="Former keeper of a lighthouse" gender="M" title="" nameLanguage="LV" strong="true" regulationLanguage="en" logicalId="990002">
            <regulationSummary regulationType="amendment" publicationDate="2022-02-25" numberTitle="2022/332 (OJ L53)" publicationUrl="https://eur-lex.europa.eu/"/>
        </nameAlias>
        <nameAlias firstName="" middleName="" lastName="" wholeName="Инвентий Небывалов" function="" gender="" title="" nameLanguage="RU" strong="false" regulationLanguage="en" logicalId="990003">
            <remark>low quality</remark>
            <regulationSummary regulationType="amendment" publicationDate="2022-02-25" numberTitle="2022/332 (OJ L53)" publicationUrl="https://eur-lex.europa.eu/"/>
        </nameAlias>
        <citizenship region="" countryIso2Code="LV" countryDescription="LATVIA" regulationLanguage="en" logicalId="990004">
            <regulationSummary regulationType="amendment" publicationDate="2022-02-25" numberTitle="2022/332 (OJ L53)" publicationUrl="https://eur-lex.europa.eu/"/>
        </citizenship>
        <birthdate circa="true" calendarType="GREGORIAN" city="Nowhere" zipCode="" yearRangeFrom="1953" yearRangeTo="1956" region="" place="" countryIso2Code="00" countryDescription="UNKNOWN" regulationLanguage="en" logicalId="990005">
            <regulationSummary regulationType="amendment" publicationDate="2022-02-25" numberTitle="2022/332 (OJ L53)" publicationUrl="https://eur-lex.europa.eu/"/>
        </birthdate>
        <birthdate circa="false" calendarType="GREGORIAN" city="" zipCode="" birthdate="1961-08-21" dayOfMonth="21" monthOfYear="8" year="1961" region="" place="" countryIso2Code="00" countryDescription="UNKNOWN" regulationLanguage="en" logicalId="990006"/>
        <birthdate circa="false" calendarType="GREGORIAN" city="" zipCode="" yearRangeTo="1980" region="" place="" countryIso2Code="00" countryDescription="UNKNOWN" regulationLanguage="en" logicalId="990007"/>
        <address city="Nowhere" street="Imagined street 1" poBox="" zipCode="LV-0000" region="" place="" asAtListingTime="false" countryIso2Code="LV" countryDescription="LATVIA" regulationLanguage="en" logicalId="990008">
            <regulationSummary regulationType="amendment" publicationDate="2022-02-25" numberTitle="2022/332 (OJ L53)" publicationUrl="https://eur-lex.europa.eu/"/>
        </address>
        <identification diplomatic="false" knownExpired="false" knownFalse="false" reportedLost="false" revokedByIssuer="false" issuedBy="" latinNumber="" nameOnDocument="" number="XX000000" region="" countryIso2Code="00" countryDescription="UNKNOWN" identificationTypeCode="passport" identificationTypeDescription="National passport" regulationLanguage="en" logicalId="990009">
            <remark>(passport)</remark>
            <regulationSummary regulationType="amendment" publicationDate="2022-02-25" numberTitle="2022/332 (OJ L53)" publicationUrl="https://eur-lex.europa.eu/"/>
        </identification>
    </sanctionEntity>
    <sanctionEntity designationDetails="" unitedNationId="IQe.000" euReferenceNumber="EU.99002.22" logicalId="990010">
        <regulation regulationType="regulation" organisationType="commission" publicationDate="2003-07-08" entryIntoForceDate="2003-07-07" numberTitle="1210/2003 (OJ L169)" programme="IRQ" logicalId="349">
            <publicationUrl>http://eur-lex.europa.eu/</publicationUrl>
        </regulation>
        <subjectType code="enterprise" classificationCode="E"/>
        <nameAlias firstName="" middleName="" lastName="" wholeName="Unreal Lighthouse &amp; Sons LLC" function="" gender="" title="" nameLanguage="EN" strong="true" regulationLanguage="en" logicalId="990011"/>
        <address city="" street="" poBox="" zipCode="" region="" place="" asAtListingTime="false" countryIso2Code="00" countryDescription="UNKNOWN" regulationLanguage="en" logicalId="990012"/>
    </sanctionEntity>`);

  test("is read from a file with every element of the published one, including ranges of birth years", () => {
    expect(read(euConsolidated, PUBLISHED)).toEqual([
      {
        ...{ entry_id: "990001", reference: "EU.99001.11", kind: "person", countries: ["LATVIA"] },
        born: [1953, 1954, 1955, 1956, 1961],
        programs: ["UKR", "IRQ"],
        names: [
          { name: "Inventijs Nekad Bijušais", quality: "primary" },
          { name: "Инвентий Небывалов", quality: "weak" },
        ],
      },
      {
        ...{ entry_id: "990010", reference: "EU.99002.22", kind: "entity", born: [], countries: [] },
        programs: ["IRQ"],
        names: [{ name: "Unreal Lighthouse & Sons LLC", quality: "primary" }],
      },
    ]);
  });

  test("is distinguished from that of the United Nations by its root, on the second line", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tallystick-lists-"));
    const tables = [];
    for (const [name, text] of [
      ["eu.xml", eu(EU_PERSON)],
      ["un.xml", un(PERSON)],
    ] as const) {
      await writeFile(join(folder, name), text);
      tables.push(referenceLayoutOf((await readTextFile(join(folder, name))).header)?.table.name);
    }
    await rm(folder, { recursive: true });
    expect(tables).toEqual(["eu-consolidated", "un-consolidated"]);
  });

  test.each([
    ["what is not a list", eu(""), "lists nobody"],
    ["other XML", "<html></html>", "lists nobody"],
    ["XML that ends early", eu(EU_PERSON).slice(0, 300), "line"],
    ["a bomb of entities", `<!DOCTYPE a [<!ENTITY b "c">]>${eu(EU_PERSON)}`, "document type"],
    ["an entry without a name", eu(EU_PERSON.replaceAll(/<nameAlias[^>]*>/g, "")), "names"],
  ])("refuses %s", (_, text, answer) => {
    expect(refusalOf(() => read(euConsolidated, text))).toContain(answer);
  });
});

test.each([
  ["a line too short", SDN.replace(",-0- \n", "\n"), "line 1"],
  ["a line without a name", '36,"",-0- ,"CUBA",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n', "line 1"],
])("OFAC: %s is refused, naming the line", (_, text, answer) => {
  expect(refusalOf(() => read(ofacSdn, text))).toContain(answer);
});

const FILES = ["ofac-sdn.csv.gz", "ofac-alt.csv.gz", "un-consolidated.xml.gz"];
const isThere = FILES.every((file) => existsSync(DATA + file));
const real = (file: string) =>
  gunzipSync(readFileSync(DATA + file))
    .toString("utf8")
    .replaceAll("\u001a", "");

test.skipIf(!isThere)("the published lists are read whole (skipped where ../shared/data is missing)", () => {
  expect(read(ofacSdn, real(FILES[0]!))).toHaveLength(8_976);
  expect(read(ofacAlt, real(FILES[1]!))).toHaveLength(11_910);
  const kinds = read(unConsolidated, real(FILES[2]!)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "person")).toHaveLength(730);
  expect(kinds.filter((kind) => kind === "entity")).toHaveLength(273);
});

test("the sandbox's lists name nobody real, and are marked so", () => {
  for (const table of [ofacSdn, euConsolidated, unConsolidated])
    for (const { programs } of table.sandbox()) expect(programs).toEqual(["INVENTED"]);
});
