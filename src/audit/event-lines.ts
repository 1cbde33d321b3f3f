/** Reads lines of an export next to its verification: whole lines from chunks, filtered by a text. */

const LINE_END = 10;
const QUOTE = 34;

/** A longer line is not an event and is not buffered. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** Passes the chunks through; `look` first gets the lines that each chunk completes. */
export async function* tapLines(
  chunks: AsyncIterable<Uint8Array>,
  look: (lines: Buffer) => void,
): AsyncGenerator<Uint8Array, void, void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const text = Buffer.concat([rest, chunk]);
    const end = text.lastIndexOf(LINE_END) + 1;
    if (end > 0) look(text.subarray(0, end));
    rest = text.length - end > LONGEST_LINE ? Buffer.alloc(0) : text.subarray(end);
    yield chunk;
  }
}

/**
 * The event lines with one of these texts, in order. An escaped text is equal, so lines with escapes are parsed
 * too.
 */
export function eventsWith(lines: Buffer, texts: readonly string[]): Record<string, unknown>[] {
  const found = new Set([...texts, "\\u"].flatMap((text) => linesWith(lines, text)));
  return [...found]
    .sort((a, b) => a - b)
    .flatMap((start) => {
      const event = objectIn(lines.toString("utf8", start, lines.indexOf(LINE_END, start)));
      return event && "payload" in event ? [event] : [];
    });
}

const TYPE = '"type":"';

/** The events of these types, in order. A line of another form is parsed, so that none is left out. */
export function eventsOf(lines: Buffer, types: ReadonlySet<string>): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(LINE_END, start);
    const line = lines.subarray(start, end < 0 ? lines.length : end);
    const at = line.indexOf(TYPE);
    const from = at + TYPE.length;
    const type = at < 0 ? "" : line.toString("latin1", from, line.indexOf(QUOTE, from));
    if (at < 0 || type.includes("\\") || types.has(type)) {
      const event = objectIn(line.toString());
      if (event && "payload" in event) found.push(event);
    }
    start += line.length + 1;
  }
  return found;
}

function linesWith(lines: Buffer, text: string): number[] {
  const starts: number[] = [];
  for (let at = lines.indexOf(text); at >= 0; ) {
    starts.push(at === 0 ? 0 : lines.lastIndexOf(LINE_END, at) + 1);
    at = lines.indexOf(text, lines.indexOf(LINE_END, at));
  }
  return starts;
}

/** The first line, if it is a JSON object. */
export const firstIn = (lines: Buffer) => objectIn(lines.toString("utf8", 0, lines.indexOf(LINE_END)));

function objectIn(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
