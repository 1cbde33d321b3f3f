/** Reads a reference data file as text: plain, gzipped, or a workbook's first sheet. */
import { createHash } from "node:crypto";
import { open, readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import { constants, gunzip, gunzipSync } from "node:zlib";
import { refuse } from "../../core/model/refusal.ts";
import { isWorkbook, workbookText } from "./workbook.ts";

const unpack = promisify(gunzip);

/** Far more than any published table; trade data has its own import. */
const LARGEST = 256 * 1024 * 1024;
/** The first line must be within this many bytes. */
const LONGEST_HEADER = 64 * 1024;

export type ReadFile = {
  name: string;
  text: string;
  /** The first line; for XML with a declaration, the next one too. */
  header: string;
  /** Digest and size of the original file. */
  sha256: string;
  bytes: number;
};

export async function readTextFile(path: string): Promise<ReadFile> {
  const name = basename(path);
  const found = await stat(path).catch(() => refuse("invalid", `${path}: no such file`));
  if (!found.isFile() || found.size > LARGEST)
    refuse("invalid", `${path} is no file, or too large for a table`);
  const given = await readFile(path).catch(() => refuse("invalid", `${path} cannot be read`));
  const sha256 = createHash("sha256").update(given).digest("hex");
  if (isWorkbook(given)) {
    const text = await workbookText(path, name);
    return { name, text, header: firstLine(text), sha256, bytes: given.length };
  }
  const bytes = isGzip(given)
    ? await unpack(given, { maxOutputLength: LARGEST }).catch((error: Error) =>
        refuse("invalid", `${name} is damaged or too large (gzip: ${error.message})`),
      )
    : given;
  // Some publishers end a file with Ctrl-Z, as under DOS.
  const whole = bytes.at(-1) === 0x1a ? bytes.subarray(0, -1) : bytes;
  const text = whole.toString("utf8").replace(/^\uFEFF/, "");
  if (text.includes("\0")) refuse("invalid", `${name} has a NUL byte: not a text file`);
  return { name, text, header: firstLine(text), sha256, bytes: given.length };
}

/** The file's first line; "" if it cannot be read. */
export async function headerOf(path: string): Promise<string> {
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return "";
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_HEADER), 0, LONGEST_HEADER, 0);
    const head = buffer.subarray(0, bytesRead);
    if (isWorkbook(head)) return firstLine(await workbookText(path, basename(path)));
    // The beginning of a gzipped file unpacks partially.
    const text = isGzip(head) ? gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }) : head;
    return firstLine(text.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    return "";
  } finally {
    await file.close();
  }
}

const isGzip = (bytes: Buffer) => bytes.length > 1 && bytes[0] === 0x1f && bytes[1] === 0x8b;

/** The first line; for XML with a declaration, up to the name of its root element. */
function firstLine(text: string): string {
  const [first = "", second = ""] = text.slice(0, LONGEST_HEADER).split(/\r?\n/, 2);
  return /^\s*<\?xml[^>]*\?>\s*$/.test(first) ? `${first}${second}` : first;
}
