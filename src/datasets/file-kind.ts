/** Names the likely kind of a file that cannot be imported. */

/** The first bytes of formats. */
const beginnings: readonly [what: string, begins: string | RegExp][] = [
  ["Parquet", "PAR1"],
  ["a PDF", "%PDF"],
  ["a zip archive or workbook", "PK\x03\x04"],
  ["a workbook of the old format (.xls)", "\xd0\xcf\x11\xe0"],
  ["an SQLite database", "SQLite format 3"],
  ["text in UTF-16", /^(?:\xff\xfe|\xfe\xff|(?:[\t\n\r -~]\0){4}|(?:\0[\t\n\r -~]){4})/],
  ["gzip within another packing", "\x1f\x8b"],
  ["7z within another packing", "7z\xbc\xaf\x27\x1c"],
  ["bzip2", /^BZh[1-9]/],
  ["xz", "\xfd7zXZ\0"],
  ["zstd", "\x28\xb5\x2f\xfd"],
  ["HTML", /^\s*<(!doctype html|html)/i],
  ["XML", /^(\xef\xbb\xbf)?\s*<[?!a-z]/i],
  ["JSON", /^(\xef\xbb\xbf)?\s*[[{]/],
];

/** The format of these first bytes, in words; undefined if they may be a plain-text table. */
export function formatOf(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.subarray(0, 256)).toString("latin1");
  const isBegun = (begins: string | RegExp) =>
    typeof begins === "string" ? text.startsWith(begins) : begins.test(text);
  return beginnings.find(([, begins]) => isBegun(begins))?.[0];
}

/** True if a header line has characters that no text has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
export const isNoText = (header: string): boolean => /[\0-\x08\x0e-\x1f]/.test(header);

/** The likely source of an unknown header line. */
export function tableOf(cells: readonly string[]): string {
  const columns = `${cells.length} column${cells.length === 1 ? "" : "s"}`;
  const isData = cells.some((cell) => /^-?\d+([.,]\d+)?$/.test(cell.trim()));
  if (isData) return `a table of ${columns} without a header line`;
  const named = cells.slice(0, 3).map((cell) => JSON.stringify(cell.slice(0, 40)));
  return `a table of ${columns} that ${cells.length === 1 ? "begins" : "begin"} with ${named.join(", ")}`;
}
