/** Ranges of a file (RFC 9110, 14). */

/** `from` and `to` are both included. */
export type ByteRange = { from: number; to: number };

/** A header with more ranges gets the whole file. */
const MOST_RANGES = 16;

/**
 * The requested ranges in the file's order, joined where they touch. Empty if none can be satisfied. Undefined if the
 * whole file is to be sent: without a header, or with one that is invalid or uses another unit.
 */
export function byteRanges(header: string | undefined, size: number): ByteRange[] | undefined {
  const specs = /^\s*bytes\s*=(.*)$/i
    .exec(header ?? "")?.[1]
    ?.split(",")
    .map((spec) => spec.trim())
    .filter((spec) => spec !== "");
  if (!specs?.length || specs.length > MOST_RANGES) return undefined;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const range = rangeOf(spec, size);
    if (range === undefined) return undefined;
    if (range.from < size && range.from <= range.to) ranges.push(range);
  }
  return joined(ranges);
}

function rangeOf(spec: string, size: number): ByteRange | undefined {
  const [, first, last] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
  if (first === undefined || (first === "" && last === "")) return undefined;
  // A suffix longer than the file is the whole file.
  if (first === "") return { from: Math.max(0, size - Number(last)), to: size - 1 };
  if (last !== "" && Number(last) < Number(first)) return undefined;
  return { from: Number(first), to: Math.min(last === "" ? Infinity : Number(last), size - 1) };
}

function joined(ranges: ByteRange[]): ByteRange[] {
  const all: ByteRange[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const before = all.at(-1);
    if (before && from <= before.to + 1) before.to = Math.max(before.to, to);
    else all.push({ from, to });
  }
  return all;
}

/** Compares strongly (RFC 9110, 8.8.3.2); `*` matches any file. */
export const matchesStrongly = (header: string, etag: string): boolean =>
  header.trim() === "*" || header.split(",").some((tag) => tag.trim() === etag);
