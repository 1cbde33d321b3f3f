/** Each reader of tables, fed cuts, foreign encodings, bad bytes and swapped cells: it reads rows, or refuses by file and line. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { readTextFile } from "../../src/datasets/reference/read.ts";
import { referenceLayoutOf } from "../../src/datasets/reference/tables.ts";
import { scaled } from "../support/scale.ts";
import { damage, damagedBytes } from "./damaged-bytes.ts";

const EU = `<?xml version="1.0" encoding="UTF-8"?>
<!-- list -->
<export><sanctionEntity logicalId="1" euReferenceNumber="EU.1"><subjectType code="person"/>
<nameAlias wholeName="N&#x27;Golo Vérrakïn" strong="true"/><birthdate yearRangeFrom="1953" yearRangeTo="1956"/>
<citizenship countryDescription="LATVIA"/></sanctionEntity></export>`;
const UN = `<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST><INDIVIDUALS><INDIVIDUAL><DATAID>7</DATAID><FIRST_NAME>ŽORBAN &amp; Co</FIRST_NAME>
<NAME_ORIGINAL_SCRIPT>Жорбан</NAME_ORIGINAL_SCRIPT></INDIVIDUAL></INDIVIDUALS><ENTITIES/></CONSOLIDATED_LIST>`;

const tables = {
  brent: "Date,Price\n2026-08-14,66.1\n2026-08-17,NA\n2026-08-18,65.77\n",
  "ecb-mro":
    "KEY,PROVIDER_FM_ID,TIME_PERIOD,OBS_VALUE\nFM.B.U2.EUR.4F.KR.MRR_FR.LEV,x,2025-01-01,3.15\nFM.B.U2.EUR.4F.KR.MRR_FR.LEV,x,2025-02-01,NaN\n",
  "labour-costs":
    "DATAFLOW,freq,unit,lcstruct,nace_r2,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG\nx,A,EUR,D1_D4_MD5,B-S,LV,2024,13.5,é\n",
  "cn-nomenclature": 'code,description\n04,"Cheese, Gruyère"\n0406,Cheese\n',
  "ofac-alt": '36,12,"aka","AÉRO-CARIBBEAN",-0- \n36,13,"fka","N\'GOLO",-0- \n',
  "eu-consolidated": EU,
  "un-consolidated": UN,
} as const;

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-fuzz-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** The rows of a file, its refusal, or undefined where it is not a table. */
async function readingOf(bytes: Uint8Array): Promise<object[] | Refusal | undefined> {
  const path = join(dir, "given");
  await writeFile(path, bytes);
  try {
    const { text, header } = await readTextFile(path);
    return referenceLayoutOf(header)?.layout.read({ name: "given", text });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

test.each(Object.entries(tables))("%s is read as it is", async (name, text) => {
  expect(referenceLayoutOf((await write(text)).header)?.table.name).toBe(name);
  const rows = await readingOf(Buffer.from(text));
  expect(rows).toBeInstanceOf(Array);
  expect(rows).not.toHaveLength(0);
});

const write = async (text: string) => {
  await writeFile(join(dir, "given"), text);
  return readTextFile(join(dir, "given"));
};

test.each(Object.entries(tables))("%s, damaged, gives rows without U+FFFD or a refusal", async (_, text) => {
  const whole = Buffer.from(text);
  await fc.assert(
    fc.asyncProperty(damage(whole.length), async (damages) => {
      const reading = await readingOf(damagedBytes(whole, damages));
      if (reading instanceof Refusal) expect(reading.message).toMatch(/^given\b/);
      else expect(JSON.stringify(reading ?? "")).not.toContain("\ufffd");
    }),
    { numRuns: scaled(400, 100) },
  );
});

test.each(Object.entries(tables))(
  "%s, cut anywhere, gives some of its rows or a refusal",
  async (_, text) => {
    const whole = Buffer.from(text);
    const all = (await readingOf(whole)) as object[];
    for (let end = 0; end < whole.length; end++) {
      const reading = await readingOf(whole.subarray(0, end));
      if (Array.isArray(reading)) expect(reading.length).toBeLessThanOrEqual(all.length);
      else if (reading) expect(reading.message).toMatch(/^given\b/);
    }
  },
);

test.each(Object.entries(tables))(
  "%s in another encoding is read as declared or refused",
  async (name, text) => {
    const asUtf16 = Buffer.from(`\ufeff${text.replace('encoding="UTF-8"', 'encoding="UTF-16"')}`, "utf16le");
    const plain = await readingOf(Buffer.from(text));
    expect(await readingOf(asUtf16)).toEqual(plain);
    const latin = text.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"');
    const inLatin = await readingOf(Buffer.from(latin, "latin1"));
    const isDeclared = latin !== text;
    const isAscii = /^[ -~\n]*$/.test(text);
    if (name === "eu-consolidated" || isAscii) expect(inLatin).toEqual(plain);
    else if (!isDeclared) expect(inLatin).toBeInstanceOf(Refusal);
  },
);
