import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createGunzip, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { parseNotedHead } from "../../eventstore/verify/noted-head.ts";
import { formatVerdicts } from "../../eventstore/verify/report.ts";
import { openExport, verifyExport } from "../../eventstore/verify/verify-export.ts";
import { exportLines, LogBuilder, rehash } from "./log-builder.ts";
import { smallLog } from "./vectors.ts";
import { failures, verifyBytes, verifyLines } from "./verify-support.ts";

const ORIGIN = "log.example.com/main/5f1d0c3ab2e94f77";
const LINES = exportLines(ORIGIN, smallLog());
const MIB = 1024 * 1024;

/** The format verdict's reason when line 4 (position 3) is changed. */
async function reasonFor(change: (line: string) => string | Buffer): Promise<string | undefined> {
  const parts = LINES.map((line, i) => Buffer.from(i === 3 ? (change(line) as string) : line));
  const report = await verifyBytes(Buffer.concat(parts.flatMap((part) => [part, Buffer.from("\n")])));
  expect(report.ok).toBe(false);
  expect(failures(report)).toMatchObject({ format: 3 });
  return report.verdicts[0]!.reason;
}

describe("an event line that is not one", () => {
  test.each<[string, (line: string) => string | Buffer, RegExp]>([
    [
      "a repeated member",
      (l) => l.replace('{"position":3', '{"position":3,"position":3'),
      /expected "tenant": at byte 15/,
    ],
    ["a missing member", (l) => l.replace(/"tenant":"globex",/, ""), /expected "tenant":/],
    ["an unknown member", (l) => l.replace(/}$/, ',"x":1}'), /expected } at byte/],
    [
      "members in another order",
      (l) => l.replace(/("tenant":"globex"),("stream_id":"order-1")/, "$2,$1"),
      /expected "tenant":/,
    ],
    ["white space", (l) => l.replace(":", ": "), /expected an integer from 1/],
    ["a carriage return at the end", (l) => `${l}\r`, /expected the end of the line/],
    [
      "a position that is text",
      (l) => l.replace('"position":3', '"position":"3"'),
      /an integer from 1 to 9007199254740991/,
    ],
    ["a negative position", (l) => l.replace('"position":3', '"position":-3'), /an integer/],
    ["a position of zero", (l) => l.replace('"position":3', '"position":0'), /an integer/],
    ["a leading zero", (l) => l.replace('"position":3', '"position":03'), /an integer/],
    ["a fraction", (l) => l.replace('"position":3', '"position":3.0'), /expected ,/],
    ["an exponent", (l) => l.replace('"position":3', '"position":3e0'), /expected ,/],
    ["a position of 2^53", (l) => l.replace('"position":3', '"position":9007199254740992'), /an integer/],
    [
      "a position of a thousand digits",
      (l) => l.replace('"position":3', `"position":${"9".repeat(1000)}`),
      /an integer/,
    ],
    [
      "a schema version of 2^31",
      (l) => l.replace('"schema_version":1', '"schema_version":2147483648'),
      /to 2147483647/,
    ],
    ["a tenant that is null", (l) => l.replace('"globex"', "null"), /expected a string/],
    [
      "a payload that is an object",
      (l) => l.replace(/"payload":"[^}]*}"/, '"payload":{}'),
      /expected a string/,
    ],
    [
      "a hash in capitals",
      (l) => l.replace(/"event_hash":"[^"]*/, (m) => m.slice(0, 14) + m.slice(14).toUpperCase()),
      /hex digit/,
    ],
    ["a short hash", (l) => l.replace(/("event_hash":"[^"]{62})../, "$1"), /hex digit/],
    ["a long hash", (l) => l.replace('"event_hash":"', '"event_hash":"00'), /the end of a string of 64/],
    ["a hash that is null", (l) => l.replace(/"event_hash":"[^"]*"/, '"event_hash":null'), /a string of 64/],
    ["a UUID in capitals", (l) => l.replace("019b76da-a800", "019B76DA-A800"), /hex digit/],
    ["a UUID without dashes", (l) => l.replace("019b76da-a800", "019b76daa800"), /dash/],
    ["half a surrogate pair", (l) => l.replace("globex", "\\ud800"), /half a surrogate pair/],
    ["the other half", (l) => l.replace("globex", "\\udc00x"), /half a surrogate pair/],
    ["two first halves", (l) => l.replace("globex", "\\ud800\\ud800"), /half a surrogate pair/],
    [
      "a surrogate as bytes",
      (l) => raw(l, "globex", Buffer.from([0xed, 0xa0, 0x80])),
      /line 4 is not valid UTF-8/,
    ],
    ["bytes that are not UTF-8", (l) => raw(l, "globex", Buffer.from([0xff])), /line 4 is not valid UTF-8/],
    ["an overlong form", (l) => raw(l, "globex", Buffer.from([0xc0, 0xaf])), /line 4 is not valid UTF-8/],
    ["a bare control character", (l) => l.replace("globex", "\t"), /escape for a control character/],
    ["an unknown escape", (l) => l.replace("globex", "\\x41"), /a JSON escape/],
    ["an escape cut short", (l) => l.replace("globex", "\\u12"), /a JSON escape/],
    ["an array", () => "[]", /expected { at byte 1/],
    ["an empty line", () => "", /expected { at byte 1/],
    ["a second header", () => LINES[0]!, /expected "position":/],
    [
      "a last line with a repeated member",
      () => '{"end":true,"end":true,"events":5,"head":{}}',
      /line 4: "head/,
    ],
    ["a last line that is cut", () => '{"end":true', /not a JSON object/],
    ["a line of a million brackets", () => "[".repeat(MIB), /expected { at byte 1/],
  ])("%s", async (_name, change, says) => {
    expect(await reasonFor(change)).toMatch(says);
  });

  function raw(line: string, text: string, bytes: Buffer): Buffer {
    const [before, after] = line.split(text, 2) as [string, string];
    return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
  }

  test("every cut of a line is caught", async () => {
    for (let length = 0; length < LINES[3]!.length; length += 17)
      await reasonFor((line) => line.slice(0, length));
  });
});

test("a last line that does not end is a fault of format", async () => {
  const report = await verifyBytes(Buffer.from(LINES.join("\n")));
  expect(failures(report)).toEqual({ format: LINES.length - 1 });
  expect(report.verdicts[0]!.reason).toMatch(/does not end/);
});

test("every escape that JSON allows is read", async () => {
  const escaped = LINES.map((line) =>
    line.replace("globex", "\\u0067\\u006Cobex").replace('{\\"total', '\\u007b\\"total'),
  );
  expect(escaped).not.toEqual(LINES);
  expect((await verifyLines(escaped)).ok).toBe(true);
});

describe("a header that is not one", () => {
  test.each<[string, string, RegExp]>([
    ["nothing", "", /not a JSON object/],
    ["a byte order mark", `\ufeff${LINES[0]}`, /not a JSON object/],
    ["an event", LINES[1]!, /neither tallystick-log/],
    ["another format", LINES[0]!.replace("log/1", "log/2"), /neither tallystick-log/],
    ["no origin", LINES[0]!.replace(/"origin":"[^"]*"/, '"origin":""'), /"origin" of the header/],
    [
      "half a surrogate pair",
      LINES[0]!.replace(/"origin":"[^"]*"/, '"origin":"\\ud800"'),
      /"origin" of the header/,
    ],
    ["a log_id that is text", LINES[0]!.replace('"log_id":1', '"log_id":"1"'), /"log_id" of the header/],
    [
      "a first position of −1",
      LINES[0]!.replace('"first_position":1', '"first_position":-1'),
      /"first_position"/,
    ],
    ["no time", LINES[0]!.replace(/"exported_at":"[^"]*"/, '"exported_at":"now"'), /"exported_at"/],
    [
      "a short hash",
      LINES[0]!.replace(/"previous_log_hash":"../, '"previous_log_hash":"'),
      /"previous_log_hash"/,
    ],
    ["a repeated member", LINES[0]!.replace("{", '{"log_id":1,'), /not exactly the given ones/],
    ["nesting", "[".repeat(MIB), /not a JSON object/],
  ])("%s", async (_name, header, says) => {
    const report = await verifyLines([header, ...LINES.slice(1)]);
    expect(report).toMatchObject({ ok: false, head: null, events: 0, streams: 0 });
    expect(report.verdicts[0]!.reason).toMatch(says);
    expect(report.verdicts.every((verdict) => !verdict.ok)).toBe(true);
  });
});

describe("hostile sizes", () => {
  test("a line beyond the limit is skipped and not held in memory", async () => {
    async function* lines() {
      yield Buffer.from(`${LINES[0]}\n`);
      for (let i = 0; i < 512; i++) yield Buffer.alloc(MIB, "x");
      yield Buffer.from(`\n${LINES.slice(1).join("\n")}\n`);
    }
    const before = process.memoryUsage().rss;
    const report = await verifyExport(lines());
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
    expect(failures(report)).toEqual({ format: 1 });
    expect(report).toMatchObject({ events: 5 });
    expect(report.verdicts[0]!.reason).toBe("line 2 is longer than 16777216 bytes");
  });

  test("a long line within the limit is read", async () => {
    const rows = smallLog();
    rows[2]!.payload = JSON.stringify({ text: "ā".repeat(2 * MIB) });
    const lines = exportLines(ORIGIN, rehash(ORIGIN, rows));
    expect((await verifyLines(lines)).ok).toBe(true);
    expect(failures(await verifyLines(lines, { max_line_bytes: MIB }))).toMatchObject({ format: 3 });
  });

  test("payloads nested a million deep are read, and are canonical", async () => {
    const rows = smallLog();
    rows[2]!.payload = `{"a":${"[".repeat(MIB)}${"]".repeat(MIB)}}`;
    expect((await verifyLines(exportLines(ORIGIN, rehash(ORIGIN, rows)))).ok).toBe(true);
    rows[2]!.payload = `{"a":${"[".repeat(MIB)}`;
    expect(failures(await verifyLines(exportLines(ORIGIN, rehash(ORIGIN, rows))))).toEqual({ canonical: 3 });
  });

  test("metadata that cannot be parsed is a verdict", async () => {
    const rows = smallLog();
    rows[2]!.meta = "[".repeat(MIB);
    expect(failures(await verifyLines(exportLines(ORIGIN, rehash(ORIGIN, rows))))).toEqual({
      canonical: 3,
      commits: 3,
    });
  });

  test("long names of streams do not pile up", async () => {
    const rows = smallLog();
    rows[2]!.stream_id = "s".repeat(4 * MIB);
    expect((await verifyLines(exportLines(ORIGIN, rehash(ORIGIN, rows)))).ok).toBe(true);
  });

  test("a hundred kilobytes of any bytes get a report", async () => {
    for (let i = 0; i < 20; i++) {
      const noise = randomBytes(100_000);
      expect((await verifyBytes(noise)).ok).toBe(false);
      expect((await verifyBytes(Buffer.concat([Buffer.from(`${LINES[0]}\n`), noise]))).ok).toBe(false);
    }
  });
});

describe("many faults", () => {
  test("thirty million empty lines in a gzip are one fault, and reading ends", async () => {
    const packed = gzipSync(Buffer.concat([Buffer.from(`${LINES[0]}\n`), Buffer.alloc(30_000_000, "\n")]));
    expect(packed.length).toBeLessThan(MIB);
    const source = Readable.from([packed]).pipe(createGunzip());
    const { verdicts } = await verifyExport(source);
    expect(verdicts[0]).toMatchObject({
      ...{ ok: false, first_bad: 1, fault_count: 1 },
      reason: expect.stringMatching(/line 2: .*of 10000 lines in a row none can be read, and nothing behind/),
    });
    const headless = await verifyExport(Readable.from([packed]));
    expect(headless.verdicts[0]!.fault_count).toBe(1);
  });

  test("the report lists the first hundred faults of a verdict, lowest first, and counts the others", async () => {
    const builder = new LogBuilder(ORIGIN);
    const rows = Array.from({ length: 150 }, (_, n) =>
      builder.append({
        recorded_at_us: 1_767_323_045_678_901,
        events: [{ ...smallLog()[0]!, stream_id: `s${n}`, event_id: smallLog()[0]!.event_id, payload: {} }],
      }),
    ).flat();
    for (const row of rows) row.payload = '{"n":1}';
    const report = await verifyLines(exportLines(ORIGIN, rows));
    const chain = report.verdicts.find(({ name }) => name === "chain")!;
    expect(chain).toMatchObject({ ok: false, first_bad: 1, fault_count: 150 });
    expect(chain.faults!.map(({ place }) => place)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(formatVerdicts(report)).toContain("and 50 more");
  });
});

test("threads read lines like the main thread", async () => {
  const rows = smallLog();
  rows[3]!.payload = "{}";
  const lines = exportLines(ORIGIN, rows).toSpliced(3, 0, "garbage", "[]");
  for (const text of [LINES, lines].map((some) => `${some.join("\n")}\n`))
    for (const size of [97, 65_536])
      expect(await verifyBytes(text, { threads_from_bytes: 0 }, size)).toEqual(
        await verifyBytes(text, {}, size),
      );
});

describe("files", () => {
  async function inFolder<Result>(run: (path: (name: string) => string) => Promise<Result>): Promise<Result> {
    const dir = await mkdtemp(join(tmpdir(), "tallystick-verify-"));
    try {
      return await run((name) => join(dir, name));
    } finally {
      await rm(dir, { recursive: true });
    }
  }

  test("a missing, an empty, a damaged and a cut file give verdicts", () =>
    inFolder(async (path) => {
      const packed = gzipSync(`${LINES.join("\n")}\n`);
      await writeFile(path("empty.ndjson"), "");
      await writeFile(path("cut.ndjson.gz"), packed.subarray(0, packed.length - 20));
      await writeFile(path("plain.ndjson.gz"), LINES.join("\n"));
      await writeFile(path("whole.ndjson.gz"), packed);
      const reason = async (name: string) => (await verifyExport(openExport(path(name)))).verdicts[0]!.reason;
      expect(await reason("missing.ndjson")).toMatch(/ENOENT/);
      expect(await reason("missing.ndjson.gz")).toMatch(/ENOENT/);
      expect(await reason("empty.ndjson")).toBe("the input is empty");
      expect(await reason("cut.ndjson.gz")).toMatch(/unexpected end of file/);
      expect(await reason("plain.ndjson.gz")).toMatch(/incorrect header check/);
      expect(await verifyExport(openExport(path("whole.ndjson.gz")))).toMatchObject({ ok: true, events: 5 });
    }));
});

test("names in an export cannot steer the terminal", async () => {
  const rows = smallLog();
  const origin = "\u001b[2J\u202e/x/y";
  const text = formatVerdicts(await verifyLines(exportLines(origin, rows), { origin: ORIGIN }));
  expect(text).toContain("\\u{202e}");
  expect(text).not.toMatch(/\p{Cf}/u);
  expect(text).not.toContain("\u001b");
});

test("a known head is a position and a hash, or a cursor of the feed", () => {
  const hash = "0123456789abcdef";
  expect(parseNotedHead(`7:${hash}`)).toEqual({ position: 7, hash_prefix: hash });
  expect(parseNotedHead(`v1.e1.7.${hash}`)).toEqual({ epoch: "e1", position: 7, hash_prefix: hash });
  for (const bad of [
    "",
    "7",
    "7:",
    "7:0123",
    `-7:${hash}`,
    `7:${hash.toUpperCase()}`,
    `v2.e1.7.${hash}`,
    `7:${"0".repeat(65)}`,
  ]) {
    expect(() => parseNotedHead(bad)).toThrow(/neither position:log_hash/);
  }
});
