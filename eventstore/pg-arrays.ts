/** Binary arrays for parameters, text for results, which pg reads only as text. A Buffer parameter needs no quoting or hex. */

const INT4 = 23;
const INT8 = 20;
const TEXT = 25;
const BYTEA = 17;
const UUID = 2950;
const HEADER = 20;

type Write = (bytes: Buffer, at: number, index: number) => number;

function array(elementType: number, length: number, hasNulls: boolean, size: number, write: Write): Buffer {
  const bytes = Buffer.allocUnsafe(length === 0 ? 12 : HEADER + 4 * length + size);
  bytes.writeInt32BE(length === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(hasNulls ? 1 : 0, 4);
  bytes.writeInt32BE(elementType, 8);
  if (length === 0) return bytes;
  bytes.writeInt32BE(length, 12);
  bytes.writeInt32BE(1, 16);
  let at = HEADER;
  for (let i = 0; i < length; i++) at = write(bytes, at, i);
  return bytes;
}

export function int4Array(values: readonly number[]): Buffer {
  return array(INT4, values.length, false, 4 * values.length, (bytes, at, i) => {
    bytes.writeInt32BE(4, at);
    return bytes.writeInt32BE(values[i]!, at + 4);
  });
}

export function int8Array(values: readonly number[]): Buffer {
  return array(INT8, values.length, false, 8 * values.length, (bytes, at, i) => {
    const value = values[i]!;
    // Two halves: a BigInt for each would cost more than the rest of the array.
    bytes.writeInt32BE(8, at);
    bytes.writeInt32BE(Math.floor(value / 2 ** 32), at + 4);
    return bytes.writeUInt32BE(value >>> 0, at + 8);
  });
}

export function textArray(values: readonly (string | null)[]): Buffer {
  let size = 0;
  for (const value of values) if (value !== null) size += Buffer.byteLength(value);
  return array(TEXT, values.length, values.includes(null), size, (bytes, at, i) => {
    const value = values[i] ?? null;
    if (value === null) return bytes.writeInt32BE(-1, at);
    const length = bytes.write(value, at + 4);
    return bytes.writeInt32BE(length, at) + length;
  });
}

export function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  return variable(BYTEA, values);
}

export function uuidArray(values: readonly Uint8Array[]): Buffer {
  return variable(UUID, values);
}

function variable(elementType: number, values: readonly (Uint8Array | null)[]): Buffer {
  let size = 0;
  for (const value of values) size += value?.byteLength ?? 0;
  return array(elementType, values.length, values.includes(null), size, (bytes, at, i) => {
    const value = values[i] ?? null;
    if (value === null) return bytes.writeInt32BE(-1, at);
    bytes.writeInt32BE(value.byteLength, at);
    bytes.set(value, at + 4);
    return at + 4 + value.byteLength;
  });
}

/** `{1,2,3}`: one dimension without nulls. */
export function parseIntegerArray(text: string): number[] {
  return text === "{}" ? [] : text.slice(1, -1).split(",").map(safeInteger);
}

/** `{"\\x00ff","\\x"}`: one dimension without nulls. */
export function parseByteaArray(text: string): Buffer[] {
  if (text === "{}") return [];
  return text
    .slice(1, -1)
    .split(",")
    .map((element) => Buffer.from(element.slice(4, -1), "hex"));
}

/** Throws beyond 2^53 - 1. */
export function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond 2^53 - 1`);
  return value;
}
