/** Reads a reference data file as text: plain, gzipped, or a workbook's first sheet. */
import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import { constants, gunzip, gunzipSync } from "node:zlib";
import { refuse } from "../../core/model/refusal.ts";
import { decoded, headOf } from "../encoding.ts";
import { formatOf } from "../file-kind.ts";
import { inputSize, refuseUnread } from "../input-file.ts";
import { delimiterOf } from "../layouts/delimiter.ts";
import { records } from "./csv.ts";
import type { TextFile } from "./table.ts";
import { referenceLayoutOf } from "./tables.ts";
import { isWorkbook, workbookText } from "./workbook.ts";

const unpack = promisify(gunzip);

/** Far more than any published table; trade data has its own import. */
const LARGEST = 256 * 1024 * 1024;
/** The first line must be within this many bytes. */
const LONGEST_HEADER = 64 * 1024;

export type ReadFile = {
  name: string;
  text: string;
  /** The first line; of XML, its declaration and the name of its root. */
  header: string;
  /** Digest and size of the original file. */
  sha256: string;
  bytes: number;
};

export async function readTextFile(path: string): Promise<ReadFile> {
  const name = basename(path);
  if ((await inputSize(path)) > LARGEST)
    refuse(
      "invalid",
      `${path} is larger than ${LARGEST / 2 ** 20} MiB, more than any table of reference data`,
    );
  const given = await readFile(path).catch((error) => refuseUnread(path, error));
  const sha256 = createHash("sha256").update(given).digest("hex");
  if (isWorkbook(given)) {
    const text = await workbookText(path, name);
    return { name, text, header: firstLine(text), sha256, bytes: given.length };
  }
  const bytes = isGzip(given)
    ? await unpack(given, { maxOutputLength: LARGEST }).catch((error: Error) =>
        refuse(
          "invalid",
          `${name} is damaged, cut off or too large (gzip: ${error.message}): fetch it again`,
        ),
      )
    : given;
  // Some publishers end a file with Ctrl-Z, as under DOS.
  const whole = bytes.at(-1) === 0x1a ? bytes.subarray(0, -1) : bytes;
  const format = whole.includes(0) ? formatOf(whole) : undefined;
  if (format !== undefined && format !== "XML" && !format.includes("UTF-16"))
    refuse("invalid", `${name} looks like ${format}, which is not a table that can be imported`);
  const text = withCommas({ name, text: decoded(name, whole) });
  refuseNul(name, text);
  return { name, text, header: firstLine(text), sha256, bytes: given.length };
}

function refuseNul(name: string, text: string): void {
  const at = text.indexOf("\0");
  if (at < 0) return;
  const before = text.slice(0, at);
  const line = before.split(/\r\n|[\r\n]/).length;
  const character = at - Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r"));
  refuse(
    "invalid",
    `${name} line ${line}: character ${character} is a NUL byte, which no text has: save the file as UTF-8`,
  );
}

/** The file's first line; "" if it cannot be read. Opening a pipe would wait for its writer. */
export async function headerOf(path: string): Promise<string> {
  const file = await inputSize(path)
    .then(() => open(path, "r"))
    .catch(() => undefined);
  if (!file) return "";
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_HEADER), 0, LONGEST_HEADER, 0);
    const head = buffer.subarray(0, bytesRead);
    if (isWorkbook(head)) return firstLine(await workbookText(path, basename(path)));
    // The beginning of a gzipped file unpacks partially.
    const text = isGzip(head) ? gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }) : head;
    const header = firstLine(headOf(text));
    return knownByDelimiter(header) ?? header;
  } catch {
    return "";
  } finally {
    await file.close();
  }
}

/** The header with commas, where a table is known by that alone. */
function knownByDelimiter(header: string): string | undefined {
  const delimiter = delimiterOf(header);
  if (delimiter === "," || referenceLayoutOf(header)) return undefined;
  const withCommas = header.split(delimiter).join(",");
  return referenceLayoutOf(withCommas) && withCommas;
}

/** A table that is written with semicolons or tabs, with commas; line ends stay within their cells. */
function withCommas(file: TextFile): string {
  const header = firstLine(file.text);
  if (knownByDelimiter(header) === undefined) return file.text;
  const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return records(file, delimiterOf(header))
    .map(({ record }) => `${record.map(quoted).join(",")}\n`)
    .join("");
}

const isGzip = (bytes: Buffer) => bytes.length > 1 && bytes[0] === 0x1f && bytes[1] === 0x8b;

/** The first line; of XML, its declaration and the name of its root. */
function firstLine(text: string): string {
  const head = text.slice(0, LONGEST_HEADER);
  const [first = ""] = head.split(/\r?\n/, 1);
  const [, declaration = "", root] =
    /^\s*(<\?xml[^>]*\?>)?(?:\s+|<!--[\s\S]*?-->|<\?[\s\S]*?\?>)*(<[A-Za-z_][^>\s]*)/.exec(head) ?? [];
  return root === undefined ? first : `${declaration}${root} `;
}
