/**
 * The fast path reads only the usual line: with and without it a batch of lines gives the same result, including
 * faults and their texts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventChecks } from "../../eventstore/verify/event-checks.ts";
import { FastReader } from "../../eventstore/verify/fast-reader.ts";
import { LogHashes } from "../../eventstore/verify/hashes.ts";
import { readHeader } from "../../eventstore/verify/header.ts";
import { BatchReader } from "../../eventstore/verify/read-lines.ts";
import { codePoint } from "../support/code-points.ts";
import { scaled } from "../support/scale.ts";
import { exportLines, LogBuilder, type LogRow, rehash, sealRow } from "./log-builder.ts";

const ROOT = join(import.meta.dirname, "../..");
const ORIGIN = "log.test/main/e1";
const LIMIT = 1 << 20;
const checks = eventChecks.map(({ name }) => name);

/** Two events with unusually much content. */
function usualRows(): LogRow[] {
  const builder = new LogBuilder(ORIGIN);
  const event = (stream_id: string, payload: object) => ({
    ...{ tenant: "acme", stream_id, event_id: "019b76da-a800-7000-8000-0000000000ab", type: "OrderPlaced" },
    payload: payload as never,
  });
  return [
    ...builder.append({
      recorded_at_us: 1_767_225_600_000_000,
      meta: { actor: "key:7", at: -3, nested: { rate: 12.5 } },
      idempotency: { idem_key: "k-1", request_hash: "ab".repeat(32) },
      events: [
        event("order-1", { customer: { name: 'Jānis "J" Bērziņš\n' }, lines: [{ n: 0.25 }, true, null, []] }),
        event("order-2", { text: "a\\b".repeat(20), zero: 0, z: {} }),
      ],
    }),
    ...builder.append({ recorded_at_us: 1_767_225_600_000_001, events: [event("order-1", { a: "ā" })] }),
  ];
}

const headerOf = (rows: LogRow[]) => {
  const header = readHeader(exportLines(ORIGIN, rows)[0]!);
  if (typeof header === "string") throw new Error(header);
  return header;
};
const HEADER = headerOf(usualRows());

const readerOf = (plain: boolean, max_line_bytes = LIMIT) =>
  new BatchReader({ header: HEADER, checks, max_line_bytes, plain });
const [byBoth, byOne] = [readerOf(false), readerOf(true)];

/** A batch's result: its notes, and the memory of its events. */
function readBy(reader: BatchReader, bytes: Buffer | string) {
  const batch = { bytes: Buffer.from(bytes as string), isCut: false };
  const { lines, notes } = reader.read(batch);
  // After the events the lines are unchanged.
  return { lines, notes, left: batch.bytes.toString("latin1") };
}

const same = (bytes: Buffer | string, both = byBoth, one = byOne) =>
  expect(readBy(both, bytes)).toEqual(readBy(one, bytes));

const fast = new FastReader(new LogHashes(ORIGIN).eventTag, LIMIT);
/** True if the fast path reads a line by itself. */
function takes(line: string | Buffer): boolean {
  const bytes = Buffer.concat([Buffer.from(line as string), Buffer.from("\n")]);
  return fast.take(bytes) && fast.read(0) === bytes.length;
}

const textOf = (row: LogRow) => JSON.stringify(row);
/** The first row with other texts, and valid hashes. */
const withTexts = (texts: Partial<LogRow>): LogRow => {
  const row = { ...usualRows()[0]!, ...texts };
  sealRow(ORIGIN, row, Buffer.alloc(32));
  return row;
};

describe("the usual line", () => {
  test("is read by the fast reader", () => {
    expect(usualRows().map(textOf).map(takes)).toEqual([true, true, true]);
  });

  test("is the only kind in an export of the service", () => {
    const packed = readFileSync(join(ROOT, "docs/vectors/pack.ndjson"), "utf8").trimEnd().split("\n");
    const header = readHeader(packed[0]!);
    if (typeof header === "string") throw new Error(header);
    const reader = new FastReader(new LogHashes(header.origin).eventTag, LIMIT);
    const events = packed.filter((line) => line.startsWith('{"position"'));
    expect(events.length).toBeGreaterThan(3);
    for (const line of events) {
      reader.take(Buffer.from(`${line}\n`));
      expect(reader.read(0), line).toBe(Buffer.byteLength(line) + 1);
    }
  });

  test("is read to the same result by both readers, alone and among others", () => {
    const lines = exportLines(ORIGIN, usualRows()).slice(1);
    same(`${lines.join("\n")}\n`);
    same(`x\n${lines.join("\n\n")}\n`);
    same(`${lines.join("\nx\n")}\n{"evidence":1}\n${lines[1]}\n`);
  });

  test("is left to the JavaScript reader where it is too long, or the module's memory is full", () => {
    const row = textOf(usualRows()[0]!);
    same(`${row}\n`, readerOf(false, row.length - 40), readerOf(true, row.length - 40));
    const long = withTexts({ payload: `{"a":"${"x".repeat(70_000)}"}` });
    expect(takes(textOf(long))).toBe(false);
    same(`${textOf(long)}\n${row}\n`);
    for (const length of [1000, 1023, 1024, 1030, 1050, 5000])
      same(`${textOf(withTexts({ type: "T".repeat(length), stream_id: "s".repeat(length) }))}\n${row}\n`);
  });

  test("is read the same where a batch is not UTF-8", () => {
    const row = textOf(usualRows()[0]!);
    same(Buffer.concat([Buffer.from(`${row}\n`), Buffer.from([0xff, 10]), Buffer.from(`${row}\n`)]));
  });
});

describe("the fast reader leaves unusual lines to the JavaScript reader", () => {
  const [row] = usualRows() as [LogRow];
  const usual = textOf(row);
  const results: [string, string][] = [
    [
      "a hash of one other digit",
      usual.replace(/("event_hash":")(.)/, (_, m, d) => m + (d === "0" ? "1" : "0")),
    ],
    ["an upper-case digit", usual.replace(/("log_hash":")(.)/, (_, m) => `${m}A`)],
    ["a space", usual.replace(',"version"', ', "version"')],
    ["an escape in a name", usual.replace('"acme"', '"\\u0061cme"')],
    ["a sealed value", textOf(withTexts({ payload: '{"a":{"seal_id":"x"}}' }))],
    ["an erasure", textOf(withTexts({ type: "SubjectErased" }))],
    ["a key out of order", textOf(withTexts({ payload: '{"b":1,"a":2}' }))],
    ["a repeated key", textOf(withTexts({ payload: '{"a":1,"a":2}' }))],
    ["white space in the payload", textOf(withTexts({ payload: '{"a": 1}' }))],
    ["a number that ends in zero", textOf(withTexts({ payload: '{"a":1.50}' }))],
    ["minus zero", textOf(withTexts({ payload: '{"a":-0}' }))],
    ["a number with an exponent", textOf(withTexts({ payload: '{"a":1e3}' }))],
    ["something behind the object", textOf(withTexts({ payload: "{}{}" }))],
    ["an array", textOf(withTexts({ payload: "[]" }))],
    ["another commit", textOf(withTexts({ meta: `{"commit":"${"00".repeat(32)}"}` }))],
    ["no commit", textOf(withTexts({ meta: "{}" }))],
    [
      "a commit where none begins",
      textOf(withTexts({ commit_size: null, idem_key: null, request_hash: null })),
    ],
    ["an idempotency key without a request", textOf(withTexts({ request_hash: null }))],
    ["a version of 0", textOf(withTexts({ version: 0 }))],
    ["2^53", usual.replace(/"position":\d+/, '"position":9007199254740992')],
    ["a leading zero", usual.replace(/"position":\d+/, '"position":01')],
  ];
  test.each(results)("%s", (_, line) => {
    expect(takes(line)).toBe(false);
    same(`${usual}\n${line}\n${usual}\n`);
  });
});

/** Tokens of JSON, and some that are not. */
const piece = fc.constantFrom(
  ...'{ } [ ] , : " \\ \\\\ \\" \\n \\u000b \\u0041 \\/ 0 1 -1 -0 12 1.5 1.50 0.05 1e5 1E5 123456789012345 1234567890123456 0.1 01 1. .5 true false null tru'.split(
    " ",
  ),
  ...[
    '"a"',
    '"b"',
    '"a":',
    '"b":',
    '"commit":',
    '"seal_id":',
    '{"a":1}',
    '"\u{1f600}":',
    '"\uff21":',
    '"é":',
    "\u0001",
  ],
);
const value: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    piece,
    fc.string({ unit: codePoint }).map((text) => JSON.stringify(text)),
    fc.double().map(String),
    fc.integer().map(String),
    fc.array(tie("value"), { maxLength: 3 }).map((all) => `[${all.join(",")}]`),
    fc
      .array(
        fc.tuple(
          fc.oneof(
            piece,
            fc.string({ maxLength: 3 }).map((key) => JSON.stringify(key)),
          ),
          tie("value"),
        ),
        {
          maxLength: 4,
        },
      )
      .map(
        (all) => `{${all.map(([key, one]) => (key.endsWith(":") ? key + one : `${key}:${one}`)).join(",")}}`,
      ),
  ),
})).value;
const json = fc.oneof(
  value,
  value.map((one) => `{"a":${one}}`),
  fc.array(piece, { maxLength: 12 }).map((all) => all.join("")),
  fc.jsonValue({ stringUnit: "binary" }).map((one) => `{"k":${JSON.stringify(one)}}`),
);

test("both readers read any payload and metadata to the same result", () => {
  let taken = 0;
  fc.assert(
    fc.property(json, json, fc.boolean(), (payload, meta, isFirst) => {
      const size = isFirst ? {} : { commit_size: null, idem_key: null, request_hash: null };
      const lines = [
        withTexts({ payload, ...size }),
        withTexts({ meta, ...size }),
        withTexts({ payload, meta: "{}", ...size }),
      ];
      const texts = lines.filter(({ payload, meta }) => (payload + meta).isWellFormed()).map(textOf);
      taken += texts.filter(takes).length;
      same(texts.map((text) => `${text}\n`).join(""));
    }),
    { numRuns: scaled(1500, 10) },
  );
  expect(taken).toBeGreaterThan(100);
});

test("with any bytes changed, added or removed, both readers read the lines to the same result", () => {
  const usual = Buffer.from(
    usualRows()
      .map((row) => `${textOf(row)}\n`)
      .join(""),
  );
  const byte = fc.oneof(
    fc.constantFrom(...Buffer.from('"\\{}[]:,0019afnu-. \n\u0001')),
    fc.integer({ min: 0, max: 255 }),
  );
  const change = fc.record({
    at: fc.nat(usual.length - 1),
    out: fc.nat(2),
    put: fc.array(byte, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      let bytes: Uint8Array = usual;
      for (const { at, out, put } of changes)
        bytes = Buffer.concat([bytes.subarray(0, at), Uint8Array.from(put), bytes.subarray(at + out)]);
      same(Buffer.concat([bytes, Buffer.from("\n")]));
    }),
    { numRuns: scaled(2500, 10) },
  );
});

test("names of any length and character are read to the same result", () => {
  const name = fc.string({ unit: codePoint, maxLength: 40 });
  fc.assert(
    fc.property(name, name, name, name, fc.nat(2 ** 31), (tenant, stream_id, type, idem_key, version) => {
      const rows = usualRows().map((row) => ({ ...row, tenant, stream_id, type, version: version + 1 }));
      if (idem_key !== "") rows[0]!.idem_key = idem_key;
      same(
        rehash(ORIGIN, rows)
          .map((row) => `${textOf(row)}\n`)
          .join(""),
      );
    }),
    { numRuns: scaled(300, 10) },
  );
});

test("the fast reader is not used where a check is left out", () => {
  const row = { ...usualRows()[0]!, event_hash: "00".repeat(32) };
  const bytes = Buffer.from(`${textOf(row)}\n`);
  const without = checks.filter((name) => name !== "event_hash");
  for (const names of [checks, without]) {
    const reader = new BatchReader({ header: HEADER, checks: names, max_line_bytes: LIMIT, plain: false });
    expect(reader.read({ bytes: Buffer.from(bytes), isCut: false }).notes.length).toBe(
      names === checks ? 1 : 0,
    );
  }
});
