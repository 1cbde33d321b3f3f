// AssemblyScript: `npm run fast-path` compiles it to reader.wasm, which ../fast-reader.ts explains and loads.
// A function that reads a part of a line takes the offset of its beginning and returns the offset after it, or 0: not sure.

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const MINUS: u32 = 0x2d;
const POINT: u32 = 0x2e;
const ZERO: u32 = 0x30;
const COLON: u32 = 0x3a;
const OPEN_BRACKET: u32 = 0x5b;
const BACKSLASH: u32 = 0x5c;
const CLOSE_BRACKET: u32 = 0x5d;
const OPEN_BRACE: u32 = 0x7b;
const CLOSE_BRACE: u32 = 0x7d;

/** In bytes, of a line that is read here. */
const LONGEST_LINE: usize = 65536;
/** In bytes, of a tenant, a stream, a type or an idempotency key. */
const LONGEST_NAME: usize = 1024;
const DEEPEST: i32 = 64;

/** The lines of a batch: ../batch-memory.ts says how many bytes that are. */
export const LINES: usize = memory.data(1114112 + 64, 16);
/** The records of events, as in ../read-lines.ts: at most as long as their lines. */
export const RECORDS: usize = memory.data(1114112 + 64, 16);
/** The hashed bytes, each part after its tag, which is written once. */
export const PAYLOAD: usize = memory.data(65536 + 64, 16);
export const META: usize = memory.data(65536 + 64, 16);
export const EVENT: usize = memory.data(8192, 16);
export const COMMIT: usize = memory.data(2048, 16);
/** Hashes that the line states of these: payload, metadata, and the commit's as its metadata have it. */
export const STATED: usize = memory.data(96, 16);
/** Sizes of the last line, in i32: the bytes to hash of payload, metadata, event and commit, 0 for none; and of its record. */
export const TOLD: usize = memory.data(32, 16);

/** In bytes, of the tags. */
const PAYLOAD_TAG: usize = 13;
const META_TAG: usize = 10;
const COMMIT_TAG: usize = 12;
let eventTag: usize = 0;

/** Where each open container's latest key begins; 0 before the first one, IN_ARRAY in an array. */
const KEYS: usize = memory.data(256, 16);
const IN_ARRAY: u32 = 1;
/** For each set of backslashes among eight bytes, the places of the others. */
const OTHERS: usize = memory.data(2048, 16);
for (let set: u32 = 0; set < 256; set++) {
  let to = OTHERS + set * 8;
  for (let place: u32 = 0; place < 8; place++) if (((set >> place) & 1) == 0) store<u8>(to++, place);
}

/** Results of the last parts, besides the offset after them. */
let value: u64 = 0;
let written: usize = 0;
let hasCommit: bool = false;

/** To be called once; `tag`: the bytes that precede an event's hashed bytes. */
export function begin(tag: usize): void {
  eventTag = tag;
}

/**
 * Reads the line at `from`, and leaves its record at `record`. Answers the place behind its newline where it surely is an event line in the
 * form of docs/event-log.md with payload and metadata in theirs, nothing sealed in it, and its commit's members fit each other; 0 where not.
 */
export function read(from: usize, record: usize): usize {
  let at = literal(from, '{"position":');
  if (!at || !(at = integer(at)) || value == 0) return 0;
  store<f64>(record, <f64>value);

  if (!(at = literal(at, ',"tenant":"'))) return 0;
  const tenant = at;
  if (!(at = closing(at))) return 0;
  const tenantLength = at - tenant;
  if (!(at = literal(at, '","stream_id":"'))) return 0;
  const stream = at;
  if (!(at = closing(at))) return 0;
  const streamLength = at - stream;
  let event = lengthPrefixed(EVENT + eventTag, tenant, tenantLength);
  event = lengthPrefixed(event, stream, streamLength);

  if (!(at = literal(at, '","version":')) || !(at = integer(at)) || value == 0) return 0;
  store<f64>(record, <f64>value, 8);
  store<u64>(event, bswap(value));
  if (!(at = literal(at, ',"event_id":"')) || !(at = uuid(at, event + 8))) return 0;
  if (!(at = literal(at, '","type":"'))) return 0;
  const type = at;
  if (!(at = closing(at))) return 0;
  const typeLength = at - type;
  if (typeLength == 13 && isErasure(type)) return 0;
  event = lengthPrefixed(event + 24, type, typeLength);
  if (!(at = literal(at, '","schema_version":')) || !(at = integer(at)) || value == 0 || value > 0x7fffffff)
    return 0;
  store<u32>(event, bswap(<u32>value));
  if (!(at = literal(at, ',"recorded_at_us":')) || !(at = integer(at))) return 0;
  store<f64>(record, <f64>value, 16);
  store<u64>(event, bswap(value), 4);
  event += 12;

  const longest = from + LONGEST_LINE;
  if (!(at = literal(at, ',"payload":"')) || !(at = unescaped(at, PAYLOAD + PAYLOAD_TAG, longest))) return 0;
  store<i32>(TOLD, <i32>(written - PAYLOAD));
  if (!canonical(PAYLOAD + PAYLOAD_TAG, written, false)) return 0;
  if (!(at = literal(at, '","meta":"')) || !(at = unescaped(at, META + META_TAG, longest))) return 0;
  store<i32>(TOLD, <i32>(written - META), 4);
  hasCommit = false;
  if (!canonical(META + META_TAG, written, true)) return 0;

  if (!(at = literal(at, '","payload_hash":"')) || !(at = hash(at, event))) return 0;
  if (!(at = literal(at, '","meta_hash":"')) || !(at = hash(at, event + 32))) return 0;
  if (!(at = literal(at, '","prev_hash":"')) || !(at = hash(at, event + 64))) return 0;
  copy(STATED, event, 64);
  copy(record + 28, event + 64, 32);
  store<i32>(TOLD, <i32>(event + 96 - EVENT), 8);
  if (!(at = literal(at, '","event_hash":"')) || !(at = hash(at, record + 60))) return 0;
  if (!(at = literal(at, '","log_hash":"')) || !(at = hash(at, record + 92))) return 0;
  if (!(at = commit(at, record))) return 0;

  const key = record + 128;
  store<u32>(key - 4, <u32>(4 + tenantLength + streamLength));
  store<u32>(key, bswap(<u32>tenantLength));
  copy(key + 4, tenant, tenantLength);
  copy(key + 4 + tenantLength, stream, streamLength);
  store<i32>(TOLD, <i32>(key + 4 + tenantLength + streamLength - record), 16);
  return at;
}

/** The rest of a line, from behind the last hash's digits: idem_key, request_hash and commit_size, which fit each other and the metadata. */
function commit(from: usize, record: usize): usize {
  let at = literal(from, '","idem_key":');
  if (!at) return 0;
  let to = COMMIT + COMMIT_TAG;
  const isKeyed = load<u8>(at) == QUOTE;
  if (isKeyed) {
    const idemKey = at + 1;
    if (!(at = closing(idemKey)) || at == idemKey) return 0;
    to = lengthPrefixed(to, idemKey, at - idemKey);
    if (!(at = literal(at, '","request_hash":"')) || !(at = hash(at, to)) || load<u8>(at) != QUOTE) return 0;
    at++;
  } else {
    if (!(at = literal(at, 'null,"request_hash":null'))) return 0;
    store<u32>(to, 0);
    to += 4;
    v128.store(to, i64x2.splat(0));
    v128.store(to, i64x2.splat(0), 16);
  }
  to += 32;
  if (!(at = literal(at, ',"commit_size":'))) return 0;
  let size: u32 = 0;
  if (load<u8>(at) == 0x6e) {
    if (isKeyed || hasCommit || !(at = literal(at, "null"))) return 0;
  } else {
    if (!hasCommit || !(at = integer(at)) || value == 0 || value > 0x7fffffff) return 0;
    size = <u32>value;
    store<u32>(to, bswap(size));
    to += 4;
  }
  store<u32>(record, size, 24);
  store<i32>(TOLD, size == 0 ? 0 : <i32>(to - COMMIT), 12);
  return literal(at, "}\n");
}

/** Expects these ASCII characters, which are compared eight at a time. */
function literal(at: usize, text: string): usize {
  const chars = changetype<usize>(text);
  const length = <usize>text.length;
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) if (sameOfEight(at + i, chars + i * 2) != 0xff) return 0;
  const rest = (1 << (length - i)) - 1;
  if ((sameOfEight(at + i, chars + i * 2) & rest) != rest) return 0;
  return at + length;
}

function sameOfEight(at: usize, chars: usize): i32 {
  return i16x8.bitmask(i16x8.eq(v128.load_ext<u8>(at), v128.load(chars)));
}

/** A whole number up to 2^53 − 1, into `value`. */
function integer(from: usize): usize {
  let at = from;
  let number: u64 = 0;
  while (true) {
    const digit = <u32>load<u8>(at) - ZERO;
    if (digit > 9) break;
    if (at - from == 16) return 0;
    number = number * 10 + digit;
    at++;
  }
  if (at == from || number > 0x1fffffffffffff || (load<u8>(from) == ZERO && at - from > 1)) return 0;
  value = number;
  return at;
}

/** 64 lowercase hex digits, as 32 bytes. */
function hash(at: usize, to: usize): usize {
  return hexDigits(v128.load(at), v128.load(at, 16), to) &&
    hexDigits(v128.load(at, 32), v128.load(at, 48), to + 16)
    ? at + 64
    : 0;
}

/** A lowercase UUID, as 16 bytes. */
function uuid(at: usize, to: usize): usize {
  if (
    load<u8>(at, 8) != MINUS ||
    load<u8>(at, 13) != MINUS ||
    load<u8>(at, 18) != MINUS ||
    load<u8>(at, 23) != MINUS
  )
    return 0;
  const first = v128.load(at);
  const middle = v128.load(at, 14);
  const last = v128.load(at, 20);
  const left = i8x16.shuffle(first, middle, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 16, 17, 18, 19);
  const right = i8x16.shuffle(middle, last, 5, 6, 7, 8, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
  return hexDigits(left, right, to) ? at + 36 : 0;
}

function hexDigits(left: v128, right: v128, to: usize): bool {
  const isSure = v128.and(areHex(left), areHex(right));
  v128.store(to, i8x16.narrow_i16x8_u(bytesOf(left), bytesOf(right)));
  return i8x16.all_true(isSure);
}

function areHex(digits: v128): v128 {
  const isNumber = i8x16.lt_u(i8x16.sub(digits, i8x16.splat(0x30)), i8x16.splat(10));
  return v128.or(isNumber, i8x16.lt_u(i8x16.sub(digits, i8x16.splat(0x61)), i8x16.splat(6)));
}

/** Each pair of hex digits as a byte, in 16 bits. */
function bytesOf(digits: v128): v128 {
  const isLetter = i8x16.gt_u(digits, i8x16.splat(0x39));
  const values = i8x16.sub(digits, v128.bitselect(i8x16.splat(0x57), i8x16.splat(0x30), isLetter));
  return v128.and(v128.or(i16x8.shl(values, 4), i16x8.shr_u(values, 8)), i16x8.splat(0xff));
}

/** Quotes, backslashes and control characters among 16 bytes. */
function special(bytes: v128): i32 {
  const isQuote = i8x16.eq(bytes, i8x16.splat(0x22));
  const isBackslash = i8x16.eq(bytes, i8x16.splat(0x5c));
  return i8x16.bitmask(v128.or(v128.or(isQuote, isBackslash), i8x16.lt_u(bytes, i8x16.splat(0x20))));
}

/** The quote that closes a short string without escapes, of which `from` is the first character. */
function closing(from: usize): usize {
  for (let at = from; at - from < LONGEST_NAME; at += 16) {
    const found = special(v128.load(at));
    if (found != 0) {
      at += ctz(found);
      return load<u8>(at) == QUOTE ? at : 0;
    }
  }
  return 0;
}

/** Writes out a string up to `longest` that has no escapes but of quotes and backslashes, with zero bytes behind it. Answers where its closing quote is. */
function unescaped(from: usize, into: usize, longest: usize): usize {
  let at = from;
  let to = into;
  while (at < longest) {
    const bytes = v128.load(at);
    let backslashes = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0x5c)));
    const quotes = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0x22)));
    const controls = i8x16.bitmask(i8x16.lt_u(bytes, i8x16.splat(0x20)));
    if (backslashes & (backslashes << 1)) {
      // Text in the text has escapes of its own: one by one.
      const end = at + 16;
      while (at < end) {
        let byte: u32 = load<u8>(at);
        if (byte < 0x20) return 0;
        if (byte == QUOTE) return closed(at, to);
        if (byte == BACKSLASH) {
          byte = load<u8>(++at);
          if (byte != QUOTE && byte != BACKSLASH) return 0;
        }
        store<u8>(to++, byte);
        at++;
      }
      continue;
    }
    // One whose escaped character is not among these is left to the next.
    const width: usize = 16 - ((backslashes >> 15) & 1);
    const mask = 0xffff >> <i32>(16 - width);
    backslashes &= mask;
    const escaped = backslashes << 1;
    if (escaped & ~quotes) return 0;
    const ends = ((quotes & ~escaped) | controls) & mask;
    const left = backslashes & 0xff;
    const right = backslashes >> 8;
    v128.store_lane<u64>(to, i8x16.swizzle(bytes, v128.load_zero<u64>(OTHERS + left * 8)), 0);
    const high = i8x16.add(v128.load_zero<u64>(OTHERS + right * 8), i8x16.splat(8));
    v128.store_lane<u64>(to + 8 - popcnt(left), i8x16.swizzle(bytes, high), 0);
    if (ends != 0) {
      const length = ctz(ends);
      if (load<u8>(at + length) != QUOTE) return 0;
      return closed(at + length, to + length - popcnt(backslashes & ((1 << length) - 1)));
    }
    at += width;
    to += width - popcnt(backslashes);
  }
  return 0;
}

function closed(quote: usize, to: usize): usize {
  v128.store(to, i64x2.splat(0));
  written = to;
  return quote;
}

/** True if the bytes, which zeroes follow, surely are an object in the form of RFC 8785; notes the member `commit` of metadata. */
function canonical(from: usize, end: usize, isMeta: bool): bool {
  if (load<u8>(from) != OPEN_BRACE) return false;
  let at = from;
  let depth = 0;
  while (true) {
    const byte: u32 = load<u8>(at);
    if (byte == OPEN_BRACE || byte == OPEN_BRACKET) {
      at++;
      if (load<u8>(at) != byte + 2) {
        if (depth == DEEPEST) return false;
        store<u32>(KEYS + depth * 4, byte == OPEN_BRACE ? 0 : IN_ARRAY);
        depth++;
        if (byte == OPEN_BRACE && !(at = key(at, depth, isMeta))) return false;
        continue;
      }
      at++;
    } else if (byte == QUOTE) {
      if (!(at = quoted(at + 1))) return false;
    } else if (byte == MINUS || byte - ZERO <= 9) {
      if (!(at = decimal(at))) return false;
    } else if (!(at = word(at))) return false;
    while (true) {
      if (depth == 0) return at == end;
      const isArray = load<u32>(KEYS + (depth - 1) * 4) == IN_ARRAY;
      const next: u32 = load<u8>(at);
      if (next == COMMA) {
        at++;
        if (!isArray && !(at = key(at, depth, isMeta))) return false;
        break;
      }
      if (next != (isArray ? CLOSE_BRACKET : CLOSE_BRACE)) return false;
      at++;
      depth--;
    }
  }
}

/** A key without escapes that sorts behind the one before it in its object, and its colon. */
function key(from: usize, depth: i32, isMeta: bool): usize {
  if (load<u8>(from) != QUOTE) return 0;
  const start = from + 1;
  const end = closing(start);
  if (!end || load<u8>(end, 1) != COLON) return 0;
  const place = KEYS + (depth - 1) * 4;
  const before: usize = load<u32>(place);
  if (before != 0 && !ascends(before, start)) return 0;
  store<u32>(place, <u32>start);
  const first = load<u64>(start);
  // seal_id"
  if (first == 0x2264695f6c616573 && !isMeta) return 0;
  // commit"
  if (isMeta && depth == 1 && (first & 0xffffffffffffff) == 0x2274696d6d6f63) {
    if (load<u8>(end, 2) != QUOTE || !hash(end + 3, STATED + 64) || load<u8>(end, 67) != QUOTE) return 0;
    hasCommit = true;
  }
  return end + 2;
}

/** True if a key sorts before another by UTF-16 code units; false for surrogate pairs and U+E000 to U+FFFF. */
function ascends(left: usize, right: usize): bool {
  for (let i: usize = 0; ; i++) {
    const a: u32 = load<u8>(left + i);
    const b: u32 = load<u8>(right + i);
    if (a == b) {
      if (a == QUOTE) return false;
      continue;
    }
    if (a == QUOTE) return true;
    return b != QUOTE && a < b && a < 0xee;
  }
}

/** From behind the quote that opens a string to behind the one that closes it. */
function quoted(from: usize): usize {
  let at = from;
  while (true) {
    const found = special(v128.load(at));
    if (found == 0) {
      at += 16;
      continue;
    }
    at += ctz(found);
    const byte: u32 = load<u8>(at);
    if (byte == QUOTE) return at + 1;
    if (byte != BACKSLASH || !isShortEscape(load<u8>(at, 1))) return 0;
    at += 2;
  }
}

/** One of "\bfnrt. */
function isShortEscape(byte: u32): bool {
  return (
    byte == QUOTE ||
    byte == BACKSLASH ||
    byte == 0x62 ||
    byte == 0x66 ||
    byte == 0x6e ||
    byte == 0x72 ||
    byte == 0x74
  );
}

/** A number of at most 15 digits without an exponent, from 0.1 on unless it is whole: its shortest form is as it is written, without zeroes at the end. */
function decimal(from: usize): usize {
  const first = from + (load<u8>(from) == MINUS ? 1 : 0);
  let at = digits(first);
  let count = at - first;
  const isBelowOne = load<u8>(first) == ZERO;
  if (count == 0 || (isBelowOne && count > 1)) return 0;
  if (load<u8>(at) == POINT) {
    const fraction = at + 1;
    at = digits(fraction);
    count += at - fraction;
    if (at == fraction || load<u8>(at - 1) == ZERO || (isBelowOne && load<u8>(fraction) == ZERO)) return 0;
  } else if (isBelowOne && first != from) return 0;
  const next: u32 = load<u8>(at) | 0x20;
  return count > 15 || next == 0x65 ? 0 : at;
}

function digits(from: usize): usize {
  let at = from;
  while (<u32>load<u8>(at) - ZERO <= 9) at++;
  return at;
}

/** true, false or null. */
function word(at: usize): usize {
  const first = load<u32>(at);
  // "true", "null", "fals"
  if (first == 0x65757274 || first == 0x6c6c756e) return at + 4;
  return first == 0x736c6166 && load<u8>(at, 4) == 0x65 ? at + 5 : 0;
}

/** SubjectErased */
function isErasure(type: usize): bool {
  return (
    load<u64>(type) == 0x457463656a627553 && load<u32>(type, 8) == 0x65736172 && load<u8>(type, 12) == 0x64
  );
}

/** The length as u32, then the bytes; answers the place behind them. */
function lengthPrefixed(to: usize, from: usize, length: usize): usize {
  store<u32>(to, bswap(<u32>length));
  copy(to + 4, from, length);
  return to + 4 + length;
}

/** And up to 15 bytes more, which mean nothing. */
function copy(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}
