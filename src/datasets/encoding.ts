/** The text of a file's bytes, in the encoding that the file declares. */
import { isUtf8 } from "node:buffer";
import { refuse } from "../core/model/refusal.ts";
import { delimiterOf } from "./layouts/delimiter.ts";

/** By its first bytes (Unicode 15, 23.8). */
const MARKS: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** XML declares its encoding in letters of ASCII. */
const XML_DECLARATION = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][\w.-]*)["']/;
const LONGEST_DECLARATION = 1_024;

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked) return marked[0];
  const head = Buffer.from(bytes.subarray(0, LONGEST_DECLARATION)).toString("latin1");
  return XML_DECLARATION.exec(head)?.[1]?.toLowerCase();
}

/** The beginning of a text, to detect its kind: a bad byte is found when all of it is read. */
export function headOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder(declaredEncoding(bytes)).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString("latin1");
  }
}

/** Refuses a byte that the encoding has not, by line and column, and an encoding that nobody knows. */
export function decoded(name: string, bytes: Uint8Array): string {
  const declared = declaredEncoding(bytes);
  if ((declared === undefined || declared === "utf-8") && !isUtf8(bytes)) refuseBadByte(name, bytes);
  try {
    return new TextDecoder(declared ?? "utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError)
      refuse("invalid", `${name} line 1: the encoding ${declared} is not known; save the file as UTF-8`);
    return refuse(
      "invalid",
      `${name} has bytes that ${declared} does not allow: the file is damaged, or declares a wrong encoding`,
    );
  }
}

/** The place of the first byte that is not UTF-8: line and byte, both from 1. */
export function badByteIn(bytes: Uint8Array): { line: number; at: number; byte: number } | undefined {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const newline = bytes.indexOf(10, start);
    const end = newline === -1 ? bytes.length : newline;
    if (!isUtf8(bytes.subarray(start, end))) {
      let at = start;
      while (at < end) {
        const length = [1, 2, 3, 4].find((size) => at + size <= end && isUtf8(bytes.subarray(at, at + size)));
        if (length === undefined) break;
        at += length;
      }
      return { line, at: at - start + 1, byte: bytes[at]! };
    }
    start = end + 1;
  }
  return undefined;
}

/** Lines in UTF-8: each as it is, or decoded where its bytes are not UTF-8. */
export function utf8Lines(bytes: Buffer, encoding: "windows-1252"): Buffer {
  if (isUtf8(bytes)) return bytes;
  const decoder = new TextDecoder(encoding);
  const lines: Buffer[] = [];
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    const newline = bytes.indexOf(10, start);
    end = newline === -1 ? bytes.length : newline + 1;
    const line = bytes.subarray(start, end);
    lines.push(isUtf8(line) ? line : Buffer.from(decoder.decode(line)));
  }
  return Buffer.concat(lines);
}

const hex = (byte: number) => byte.toString(16).toUpperCase().padStart(2, "0");

/** Says what a bad byte is and what to do. */
export const badByteText = (byte: number, at: number): string =>
  `the byte ${hex(byte)} (byte ${at} of the line) is not UTF-8: save the file as UTF-8`;

function refuseBadByte(name: string, bytes: Uint8Array): void {
  const bad = badByteIn(bytes);
  if (!bad) return;
  const lines = Buffer.from(bytes).toString("latin1").split("\n");
  const column = columnAt(lines[0]!, lines[bad.line - 1]!.slice(0, bad.at - 1));
  const message = `${name} line ${bad.line}: ${column && `${column}: `}${badByteText(bad.byte, bad.at)}; nothing was imported`;
  refuse("invalid", message, { errors: [{ path: `${name}:${bad.line}${column && `:${column}`}`, message }] });
}

/** The name of the column that a line has reached; "" where the first line has none such. */
export function columnAt(header: string, before: string): string {
  const delimiter = delimiterOf(header);
  const cells = before.replaceAll(/"[^"]*"?/g, "").split(delimiter).length;
  const name = header.replace(/^\u00ef\u00bb\u00bf/, "").split(delimiter)[cells - 1] ?? "";
  return /[<>]/.test(header)
    ? ""
    : name
        .trim()
        .replace(/^"(.*)"$/, "$1")
        .slice(0, 60);
}
