/** Zip archives and workbooks made by hand, with an attacker's false claims where a test wants them. */
import { crc32, deflateRawSync } from "node:zlib";

/** An entry, and an attacker's false claims about it. */
export type ZipEntry = {
  name: string;
  text: string | Buffer;
  names_bytes?: number;
  lies_at?: number;
  flags?: number;
};

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORKBOOK = `<workbook xmlns:r="${OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`;
const RELATIONS = `<Relationships><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`;

/** The parts of a workbook with this first sheet. */
export const workbookParts = (text: string, more: Partial<ZipEntry> = {}): ZipEntry[] => [
  { name: "xl/workbook.xml", text: WORKBOOK },
  { name: "xl/_rels/workbook.xml.rels", text: RELATIONS },
  { name: "xl/worksheets/sheet1.xml", text, ...more },
];

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, text, names_bytes, lies_at, flags = 0 } of entries) {
    const plain = Buffer.from(text);
    const packed = deflateRawSync(plain);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(flags, 2);
    about.writeUInt16LE(8, 4);
    about.writeUInt32LE(crc32(plain), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(names_bytes ?? plain.length, 18);
    about.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(lies_at ?? at, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00"), about, place, Buffer.from(name));
    if (lies_at !== undefined) continue;
    const file = Buffer.concat([Buffer.from("PK\x03\x04"), about, Buffer.from(name), packed]);
    files.push(file);
    at += file.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  for (const place of [8, 10]) end.writeUInt16LE(entries.length, place);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, ...directory, end]);
}
