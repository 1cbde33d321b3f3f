/** `previous_log_hash`: of the position before `first_position`. */
export type LogHeader = {
  format: "tallystick-log/1";
  log_id: number;
  origin: string;
  exported_at: string;
  first_position: number;
  previous_log_hash: string;
};

/** A whole stream, without log order. */
export type StreamHeader = {
  format: "tallystick-stream/1";
  log_id: number;
  origin: string;
  exported_at: string;
  tenant: string;
  stream_id: string;
};

export type Header = LogHeader | StreamHeader;

/** `hash`: `log_hash` of a log, `event_hash` of a stream. */
export type Trailer = { events: number; position: number; hash: string };

const INT4_MAX = 2 ** 31 - 1;
const HASH = /^[0-9a-f]{64}$/;
const HALF_PAIR = /\p{Surrogate}/u;

/** A string is the reason of a rejection. The text must equal the serialized members in order. */
export function readHeader(line: string): Header | string {
  const value = parseObject(line);
  if (typeof value === "string") return value;
  const { format, log_id, origin, exported_at } = value;
  if (format !== "tallystick-log/1" && format !== "tallystick-stream/1") {
    return 'no header: its "format" is neither tallystick-log/1 nor tallystick-stream/1';
  }
  if (!isCount(log_id, 1) || log_id > INT4_MAX)
    return '"log_id" of the header is not an integer from 1 to 2147483647';
  if (!isText(origin) || origin === "") return '"origin" of the header is not a non-empty string';
  if (!isText(exported_at) || !isTime(exported_at))
    return '"exported_at" of the header is not a time such as 2026-01-02T03:04:05.678Z';
  const common = { log_id, origin, exported_at };
  if (format === "tallystick-stream/1") {
    const { tenant, stream_id } = value;
    if (!isText(tenant)) return '"tenant" of the header is not a string';
    if (!isText(stream_id)) return '"stream_id" of the header is not a string';
    return exact(line, { format, ...common, tenant, stream_id });
  }
  const { first_position, previous_log_hash } = value;
  if (!isCount(first_position, 1)) return '"first_position" of the header is not a positive integer';
  if (!isHash(previous_log_hash)) return '"previous_log_hash" of the header is not 64 lowercase hex digits';
  return exact(line, { format, ...common, first_position, previous_log_hash });
}

/** A string is the reason of a rejection. */
export function readTrailer(line: string, format: Header["format"]): Trailer | string {
  const value = parseObject(line);
  if (typeof value === "string") return value;
  const [place, digest] =
    format === "tallystick-log/1" ? ["position", "log_hash"] : ["version", "event_hash"];
  const head: unknown = value.head;
  if (value.end !== true || !isCount(value.events, 0)) return '"end" or "events" of the last line is wrong';
  if (typeof head !== "object" || head === null) return '"head" of the last line is not an object';
  const { [place!]: position, [digest!]: hash } = head as Record<string, unknown>;
  if (!isCount(position, 0)) return `"head.${place}" of the last line is not a whole number`;
  if (!isHash(hash)) return `"head.${digest}" of the last line is not 64 lowercase hex digits`;
  const text = exact(line, {
    end: true,
    events: value.events,
    head: { [place!]: position, [digest!]: hash },
  });
  return typeof text === "string" ? text : { events: value.events, position, hash };
}

function parseObject(line: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {}
  return "it is not a JSON object";
}

/** Rejects repeated, unknown and reordered members. */
function exact<Value>(line: string, value: Value): Value | string {
  return JSON.stringify(value) === line ? value : "its members are not exactly the given ones in their order";
}

function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && !HALF_PAIR.test(value);
}

function isTime(text: string): boolean {
  const date = new Date(text);
  // Longer years would have a sign and six digits.
  return text.length === 24 && !Number.isNaN(date.getTime()) && date.toISOString() === text;
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && HASH.test(value);
}
