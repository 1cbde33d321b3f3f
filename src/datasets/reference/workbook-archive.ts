/**
 * Checks a workbook's archive before it is parsed: each entry unpacks to its stated size, none overlaps another,
 * and their total is limited. Format: PKWARE's APPNOTE.TXT 6.3.10, without zip64 and encryption.
 */
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";

const inflate = promisify(inflateRaw);

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const [LOCAL_BYTES, CENTRAL_BYTES, END_BYTES] = [30, 46, 22];
const MOST_COMMENT = 65_535;
const MOST_ENTRIES = 10_000;
/** An entry may end with its sizes and their signature. */
const MOST_DESCRIPTOR = 16;
const IS_ENCRYPTED = 1;
const [STORED, DEFLATED] = [0, 8];

type Entry = { at: number; flags: number; method: number; packed: number; bytes: number };

/** Throws why an archive is refused. */
export async function checkWorkbookArchive(archive: Buffer, most_bytes: number): Promise<void> {
  try {
    const { entries, directory } = entriesOf(archive);
    const sum = entries.reduce((total, { bytes }) => total + bytes, 0);
    if (sum > most_bytes) throw new Error(`it unpacks to ${sum} bytes, and at most ${most_bytes} are read`);
    let end = 0;
    for (const entry of entries.toSorted((a, b) => a.at - b.at)) {
      if (entry.at < end || entry.at > end + MOST_DESCRIPTOR)
        throw new Error("its entries overlap, or leave a gap");
      end = await endOfEntry(archive, entry);
    }
    if (end > directory || directory > end + MOST_DESCRIPTOR)
      throw new Error("its entries do not end where its directory begins");
  } catch (error) {
    throw error instanceof RangeError ? new Error("it is damaged or cut off") : error;
  }
}

function entriesOf(archive: Buffer): { entries: Entry[]; directory: number } {
  const from = Math.max(0, archive.length - END_BYTES - MOST_COMMENT);
  let end = archive.length - END_BYTES;
  while (end >= from && archive.readUInt32LE(end) !== END) end--;
  if (end < from) throw new Error("it is damaged or cut off");
  const count = archive.readUInt16LE(end + 10);
  if (count > MOST_ENTRIES) throw new Error(`it has ${count} entries, and at most ${MOST_ENTRIES} are read`);
  const directory = archive.readUInt32LE(end + 16);
  const entries: Entry[] = [];
  let at = directory;
  while (entries.length < count) {
    if (archive.readUInt32LE(at) !== CENTRAL) throw new Error("its directory is damaged");
    entries.push({
      at: archive.readUInt32LE(at + 42),
      flags: archive.readUInt16LE(at + 8),
      method: archive.readUInt16LE(at + 10),
      packed: archive.readUInt32LE(at + 20),
      bytes: archive.readUInt32LE(at + 24),
    });
    at += CENTRAL_BYTES + [28, 30, 32].reduce((sum, length) => sum + archive.readUInt16LE(at + length), 0);
  }
  if (at !== end) throw new Error("its directory has more entries than it states");
  return { entries, directory };
}

async function endOfEntry(archive: Buffer, { at, flags, method, packed, bytes }: Entry): Promise<number> {
  if (archive.readUInt32LE(at) !== LOCAL) throw new Error("an entry does not begin where its directory says");
  if (flags & IS_ENCRYPTED) throw new Error("it is encrypted");
  if (method !== archive.readUInt16LE(at + 8))
    throw new Error("an entry is packed in another way than it states");
  const begin = at + LOCAL_BYTES + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28);
  const end = begin + packed;
  if (end > archive.length) throw new Error("it is damaged or cut off");
  const wrong = () => new Error("an entry does not unpack to the size that it states");
  if (method === STORED) {
    if (packed !== bytes) throw wrong();
  } else if (method === DEFLATED) {
    // One extra byte reveals an entry larger than its stated size.
    const plain = await inflate(archive.subarray(begin, end), { maxOutputLength: bytes + 1 }).catch(() => {
      throw wrong();
    });
    if (plain.length !== bytes) throw wrong();
  } else throw new Error(`an entry is packed by the method ${method}: save it again as .xlsx`);
  return end;
}
