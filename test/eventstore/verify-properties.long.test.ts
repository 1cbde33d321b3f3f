import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../../eventstore/types.ts";
import { CanonicalReader } from "../../eventstore/verify/canonical.ts";
import { codePoint } from "../support/code-points.ts";
import { scaled } from "../support/scale.ts";
import { canonical, exportLines, LogBuilder, type LogRow } from "./log-builder.ts";
import { failures, verifyBytes, verifyLines } from "./verify-support.ts";

const text = fc.string({ unit: codePoint, maxLength: 12 });
const object = fc.dictionary(
  text,
  fc.jsonValue({ stringUnit: "binary", maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
  { maxKeys: 4 },
);
const event = fc.record({
  tenant: fc.constantFrom("", "acme", "ā\u0000"),
  stream_id: fc.constantFrom("", "s", "\u{1f600}"),
  event_id: fc.uuid(),
  type: text,
  schema_version: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  payload: object,
});
const commit = fc.record({
  events: fc.array(event, { minLength: 1, maxLength: 4 }),
  recorded_at_us: fc.integer({ min: 0, max: 1000 }),
  meta: object.map(({ commit: _reserved, ...meta }) => meta),
  idempotency: fc.option(
    fc.record({
      idem_key: text.filter((key) => key !== ""),
      request_hash: fc
        .uint8Array({ minLength: 32, maxLength: 32 })
        .map((b) => Buffer.from(b).toString("hex")),
    }),
    { nil: undefined },
  ),
});
const origin = fc.string({ unit: codePoint, minLength: 1, maxLength: 40 });
const log = fc
  .record({ origin, commits: fc.array(commit, { minLength: 1, maxLength: 5 }) })
  .map(({ origin, commits }) => {
    const builder = new LogBuilder(origin);
    const ordered = commits.toSorted((a, b) => a.recorded_at_us - b.recorded_at_us);
    return { origin, rows: ordered.flatMap((one) => builder.append(one)) };
  });

test("any log verifies, however its bytes are cut into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(log, fc.integer({ min: 1, max: 5000 }), async ({ origin, rows }, size) => {
      const lines = exportLines(origin, rows);
      const heads = [{ position: rows.length, hash_prefix: rows.at(-1)!.log_hash }];
      const report = await verifyBytes(`${lines.join("\n")}\n`, { heads }, size);
      expect(failures(report)).toEqual({});
      expect(report.events).toBe(rows.length);
    }),
    { numRuns: scaled(60, 10) },
  );
});

const TEXTS = ["tenant", "stream_id", "type", "payload", "meta", "idem_key"] as const;
const NUMBERS = ["position", "version", "schema_version", "recorded_at_us", "commit_size"] as const;
const HEXES = [
  "payload_hash",
  "meta_hash",
  "prev_hash",
  "event_hash",
  "log_hash",
  "request_hash",
  "event_id",
] as const;
const field = fc.constantFrom<keyof LogRow>(...TEXTS, ...NUMBERS, ...HEXES);

/** Changes one unit of the field: a character, a digit, a number by some amount. */
function flip(row: LogRow, name: keyof LogRow, at: number, by: number): boolean {
  const value = row[name];
  if (value === null || value === "") return false;
  if (typeof value === "number") {
    Object.assign(row, { [name]: value + by });
    return true;
  }
  const units = Array.from(value);
  const i = at % units.length;
  const unit = units[i]!;
  if (unit === "-") return false;
  const isHex = (HEXES as readonly string[]).includes(name);
  const changed = isHex
    ? ((Number.parseInt(unit, 16) + (by % 15) + 1) % 16).toString(16)
    : String.fromCodePoint(unit.codePointAt(0)! === 0x61 ? 0x62 : 0x61);
  Object.assign(row, { [name]: units.with(i, changed).join("") });
  return true;
}

test("a change of any one character or number of any event is caught", async () => {
  await fc.assert(
    fc.asyncProperty(
      log,
      fc.nat(),
      field,
      fc.nat(),
      fc.integer({ min: 1, max: 1000 }),
      async ({ origin, rows }, which, name, at, by) => {
        const row = rows[which % rows.length]!;
        fc.pre(flip(row, name, at, by));
        const report = await verifyLines(exportLines(origin, rows));
        expect(report.ok).toBe(false);
      },
    ),
    { numRuns: scaled(150, 10) },
  );
});

test("a flipped bit anywhere in the file is caught, unless no hash depends on it", async () => {
  const builder = new LogBuilder("log.test/main/e1");
  const events = [
    {
      tenant: "t",
      stream_id: "s",
      event_id: "019b76da-a800-7000-8000-000000000001",
      type: "T",
      payload: { a: "ā" },
    },
  ];
  const rows = [1, 2, 3].flatMap((n) => builder.append({ recorded_at_us: n, events }));
  const bytes = Buffer.from(`${exportLines(builder.origin, rows).join("\n")}\n`);
  const free = /"log_id":\d+|"exported_at":"[^"]*"/g;
  const unhashed = [...bytes.toString("latin1").matchAll(free)].map(
    (m) => [m.index, m.index + m[0].length] as const,
  );
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length - 2 }), fc.nat({ max: 7 }), async (at, bit) => {
      fc.pre(!unhashed.some(([from, to]) => at >= from && at < to));
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << bit;
      expect((await verifyBytes(flipped)).ok).toBe(false);
    }),
    { numRuns: scaled(200, 10) },
  );
});

test("a text is canonical exactly when parsing and serialising gives it again", () => {
  const reader = new CanonicalReader();
  const isCanonical = (json: string) =>
    reader.fault(Buffer.from(json), 0, Buffer.byteLength(json)) === undefined;
  const model = (json: string) => {
    try {
      const value = JSON.parse(json);
      return (
        typeof value === "object" && value !== null && !Array.isArray(value) && canonical(value) === json
      );
    } catch {
      return false;
    }
  };
  const any = fc.dictionary(
    fc.string({ unit: codePoint }),
    fc.jsonValue({ stringUnit: "binary" }) as fc.Arbitrary<JsonValue>,
  );
  fc.assert(
    fc.property(any, (value) => isCanonical(canonical(value))),
    { numRuns: scaled(200, 10) },
  );
  const part = fc.constantFrom(
    ...'{}[]:,"\\"a""b"\\u001f\\n1230.-eE+ tfn',
    '"a":',
    '"b":',
    "true",
    "null",
    "1e21",
    "-0",
    '"\\u0001"',
    '"\\u0009"',
    "{}",
    "[1,2]",
    '"\ue000":',
    '"\u{1f600}":',
  );
  const nearly = fc.array(part, { maxLength: 12 }).map((parts) => `{${parts.join("")}}`);
  const edited = fc.tuple(any, fc.nat(), part).map(([value, at, insert]) => {
    const json = canonical(value);
    return json.slice(0, at % (json.length + 1)) + insert + json.slice(at % (json.length + 1));
  });
  const wellFormed = fc.oneof(nearly, edited).filter((json) => !/\p{Surrogate}/u.test(json));
  fc.assert(
    fc.property(wellFormed, (json) => isCanonical(json) === model(json)),
    { numRuns: scaled(1500, 10) },
  );
});
