import { readFileSync, writeFileSync } from "node:fs";
import type { JsonObject } from "../../eventstore/types.ts";
import {
  canonical,
  exportLines,
  LogBuilder,
  type LogRow,
  logGenesis,
  lp,
  metaHash,
  NO_REQUEST_HASH,
  payloadHash,
  rehash,
  sha256,
  streamExportLines,
  streamGenesis,
  u32,
  u64,
} from "./log-builder.ts";

/** Builds docs/vectors from the builder; `npx tsx test/eventstore/vectors.ts` writes the files, the test compares them. */
export const VECTORS = new URL("../../docs/vectors/", import.meta.url);
const ORIGIN = "log.example.com/main/5f1d0c3ab2e94f77";
const MAX = Number.MAX_SAFE_INTEGER;
const REQUEST_HASH = sha256("a request").toString("hex");
const tag = (name: string) => Buffer.from(`TS/${name}/1\0`);
const bytesOf = (text: string) => ({ text, hex: Buffer.from(text).toString("hex") });
const hashed = (preimage: Buffer) => ({
  preimage: preimage.toString("hex"),
  hash: sha256(preimage).toString("hex"),
});

const TEXTS = [
  "",
  "a",
  "orders/42",
  "Jānis Bērziņš",
  "日本語",
  "e\u0301 é",
  "\u{1f600}\u{10ffff}",
  "\u0000\u001f\u007f\u2028\ufeff",
];

export function hashVectors() {
  const documents = [
    "{}",
    canonical({ a: 1 }),
    canonical({ note: TEXTS.join("|"), "\u{1f600}": 1, "\ue000": 2, n: [MAX, -0.5, 1e21] }),
  ];
  const streams = [
    { origin: ORIGIN, tenant: "acme", stream_id: "order-1" },
    { origin: ORIGIN, tenant: "", stream_id: "" },
    { origin: ORIGIN, tenant: "ab", stream_id: "c" },
    { origin: ORIGIN, tenant: "a", stream_id: "bc" },
    { origin: `ū/${TEXTS[4]}/x`, tenant: TEXTS[6]!, stream_id: TEXTS[7]! },
  ];
  const event_id = "019b76da-a800-7000-8000-00000000002a";
  const small = {
    version: 1,
    event_id,
    type: "OrderPlaced",
    schema_version: 1,
    recorded_at_us: 1_767_323_045_678_901,
  };
  const empty = { ...small, type: "", event_id: "00000000-0000-0000-0000-000000000000", recorded_at_us: 0 };
  const largest = {
    ...small,
    version: MAX,
    type: TEXTS[5]!,
    event_id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
    schema_version: 2 ** 31 - 1,
    recorded_at_us: MAX,
  };
  const events = streams.flatMap((stream, i) =>
    [small, empty, largest].map((event) => eventVector(stream, event, documents[i % 3]!)),
  );
  return {
    about:
      "Inputs and hashes of docs/event-log.md. All bytes in hex; text is UTF-8; preimage is what SHA-256 takes.",
    lp: TEXTS.map((text) => ({ ...bytesOf(text), lp: lp(text).toString("hex") })),
    payload_hash: documents.map((text) => ({
      payload: bytesOf(text),
      ...hashed(Buffer.concat([tag("PAYLOAD"), Buffer.from(text)])),
    })),
    meta_hash: documents.map((text) => ({
      meta: bytesOf(text),
      ...hashed(Buffer.concat([tag("META"), Buffer.from(text)])),
    })),
    stream_genesis: streams.map((s) => ({
      ...s,
      ...hashed(Buffer.concat([tag("STREAM"), lp(s.origin), lp(s.tenant), lp(s.stream_id)])),
    })),
    event_hash: events,
    log_genesis: [ORIGIN, ...TEXTS].map((origin) => ({
      origin,
      ...hashed(Buffer.concat([tag("LOG"), lp(origin)])),
    })),
    log_hash: [1, 2, 256, 2 ** 32, MAX].map((position, i) => {
      const previous = logGenesis(`${ORIGIN}${i}`);
      const event_hash = events[i]!.hash;
      const preimage = Buffer.concat([tag("LOG"), previous, u64(position), Buffer.from(event_hash, "hex")]);
      return { previous: previous.toString("hex"), position, event_hash, ...hashed(preimage) };
    }),
    commit_hash: [
      ["", NO_REQUEST_HASH, 1],
      ["order-1-place", REQUEST_HASH, 1],
      ["order-1-place", REQUEST_HASH, 3],
      [TEXTS[6]!, "ff".repeat(32), 2 ** 31 - 1],
    ].map(([key, request, n]) => {
      const [idem_key, request_hash, commit_size] = [key as string, request as string, n as number];
      const preimage = Buffer.concat([
        tag("COMMIT"),
        lp(idem_key),
        Buffer.from(request_hash, "hex"),
        u32(commit_size),
      ]);
      return { idem_key, request_hash, commit_size, ...hashed(preimage) };
    }),
  };
}

type EventFields = Pick<LogRow, "version" | "event_id" | "type" | "schema_version" | "recorded_at_us">;

function eventVector(
  stream: { origin: string; tenant: string; stream_id: string },
  event: EventFields,
  document: string,
) {
  const { origin, tenant, stream_id } = stream;
  const payload_hash = payloadHash(document).toString("hex");
  const meta_hash = metaHash(document).toString("hex");
  const prev_hash = streamGenesis(origin, tenant, stream_id).toString("hex");
  const fields = { ...event, payload_hash, meta_hash, prev_hash };
  const raw = (hex: string) => Buffer.from(hex.replaceAll("-", ""), "hex");
  const preimage = Buffer.concat([
    tag("EVENT"),
    lp(origin),
    lp(tenant),
    lp(stream_id),
    u64(event.version),
    raw(event.event_id),
    lp(event.type),
    u32(event.schema_version),
    u64(event.recorded_at_us),
    raw(payload_hash),
    raw(meta_hash),
    raw(prev_hash),
  ]);
  return { origin, tenant, stream_id, ...fields, ...hashed(preimage) };
}

export type LogCase = {
  name: string;
  /** Given to the verifier when present. */
  head?: string;
  lines: string[];
  /** Verdict name to first bad place; a missing verdict is ok. */
  fails: Record<string, number>;
};

/** Three commits over two tenants that share a stream name. */
export function smallLog(): LogRow[] {
  const builder = new LogBuilder(ORIGIN);
  const event = (n: number, tenant: string, stream_id: string, type: string, payload: JsonObject) => ({
    tenant,
    stream_id,
    type,
    payload,
    event_id: `019b76da-a800-7000-8000-${String(n).padStart(12, "0")}`,
  });
  const meta = { actor: "key:7", operation: "orders.create", request_id: "req-1" };
  const at = 1_767_323_045_678_901;
  return [
    {
      recorded_at_us: at,
      meta,
      idempotency: { idem_key: "order-1-place", request_hash: REQUEST_HASH },
      events: [
        event(1, "acme", "order-1", "OrderPlaced", { customer: "Jānis Bērziņš", total: "12.500000" }),
        event(2, "acme", "stock-44013100", "StockReserved", { kg: 24 }),
      ],
    },
    {
      recorded_at_us: at,
      meta: {},
      events: [event(3, "globex", "order-1", "OrderPlaced", { total: "7.000000" })],
    },
    {
      recorded_at_us: at + 1_000_000,
      meta,
      idempotency: { idem_key: "order-1-ship", request_hash: sha256("another").toString("hex") },
      events: [
        event(4, "acme", "order-1", "OrderShipped", {}),
        event(5, "acme", "stock-44013100", "StockTaken", { kg: 24, note: "\u{1f600}\u2028" }),
      ],
    },
  ].flatMap((commit) => builder.append(commit));
}

export function logVectors(): { about: string; cases: LogCase[] } {
  const good = smallLog();
  const lines = exportLines(ORIGIN, good);
  const head = `5:${good[4]!.log_hash}`;
  const changed = (
    name: string,
    fails: Record<string, number>,
    change: (rows: LogRow[]) => LogRow[] | undefined,
  ): LogCase => {
    const rows = smallLog();
    return { name, lines: exportLines(ORIGIN, change(rows) ?? rows), fails };
  };
  const rewritten = smallLog();
  rewritten[1]!.payload = '{"kg":23}';
  return {
    about:
      "Small exports, each with the verdicts that fail and the first place that is bad (docs/event-log.md, section 8). Join the lines by newlines.",
    cases: [
      { name: "good", lines, fails: {} },
      { name: "good, its head held", head, lines, fails: {} },
      {
        name: "good, the export of one stream",
        lines: streamExportLines(ORIGIN, good, "acme", "order-1"),
        fails: {},
      },
      changed("payload changed", { chain: 3 }, (rows) => {
        rows[2]!.payload = '{"total":"8.000000"}';
      }),
      changed("tenant changed", { chain: 3 }, (rows) => {
        rows[2]!.tenant = "acme";
      }),
      changed("event id changed", { chain: 4 }, (rows) => {
        rows[3]!.event_id = rows[2]!.event_id;
      }),
      changed("two events swapped", { order: 3, commits: 4 }, (rows) => [
        rows[0]!,
        rows[1]!,
        rows[3]!,
        rows[2]!,
        rows[4]!,
      ]),
      changed("a whole commit deleted", { order: 3 }, (rows) => rows.filter((row) => row.position !== 3)),
      changed("idem_key changed", { commits: 1 }, (rows) => {
        rows[0]!.idem_key = "order-2-place";
      }),
      changed("meta not canonical, all hashes recomputed", { canonical: 3 }, (rows) => {
        rows[2]!.meta = rows[2]!.meta.replace(":", ": ");
        return rehash(ORIGIN, rows);
      }),
      changed("time goes back, all hashes recomputed", { order: 4 }, (rows) => {
        rows[3]!.recorded_at_us -= 2_000_000;
        return rehash(ORIGIN, rows);
      }),
      { name: "truncated", lines: lines.slice(0, -1), fails: { completeness: 6 } },
      {
        name: "an event line repeats a member",
        lines: lines.map((line, i) =>
          i === 5 ? line.replace(',"version"', ',"tenant":"x","version"') : line,
        ),
        fails: { format: 5, completeness: 5, commits: 5 },
      },
      {
        name: "payload changed and all hashes recomputed, no head held",
        lines: exportLines(ORIGIN, rehash(ORIGIN, rewritten)),
        fails: {},
      },
      {
        name: "payload changed and all hashes recomputed, a head held",
        head,
        lines: exportLines(ORIGIN, rewritten),
        fails: { completeness: 5 },
      },
      {
        name: "end cut off, a head held",
        head,
        lines: exportLines(ORIGIN, good.slice(0, 3)),
        fails: { completeness: 4 },
      },
    ],
  };
}

/** JSON texts and their RFC 8785 form. */
export function jcsVectors() {
  const numbers = [
    "0",
    "-0",
    "1.0",
    "4.50",
    "2e-3",
    "1E30",
    "1e21",
    "100000000000000000000",
    "1e-6",
    "1e-7",
    "0.000001",
    "333333333.33333329",
    "9007199254740991",
    "9007199254740993",
    "5e-324",
    "1.7976931348623157e308",
    "-1.5e+2",
    "0.1e1",
    "123456789012345678",
  ];
  const objects = [
    "{}",
    '{ "b" : 1 , "a" : [ ] }',
    '{"\\ue000":1,"\\ud83d\\ude00":2,"z":3,"":4}',
    '{"10":1,"9":2,"1":3}',
    '{"a\\u0000":1,"a":2,"a!":3,"A":4}',
    '{"\\/":"\\/","\\u0008\\t\\n\\f\\r\\u000b\\u001F\\u007f\\u2028":"\\"\\\\"}',
    '{"\\u00e9":1,"e\\u0301":2}',
    '{"nested":{"y":{"d":null,"c":true},"x":[{"b":false,"a":0}]}}',
    '{"\\"":1,"!":2,"#":3,"\\\\":4,"]":5,"[":6}',
  ];
  const texts = [...numbers.map((number) => `{"n":${number}}`), ...objects];
  return {
    about: "JSON texts and their RFC 8785 form, which is stored and hashed; refused texts have none.",
    cases: texts.map((input) => ({ input, canonical: canonical(JSON.parse(input)) })),
    refused: [
      '{"a":1,"a":2}',
      "[]",
      "1",
      "",
      "{",
      '{"a":1}x',
      '{"a":01}',
      '{"a":NaN}',
      '{"a":1,}',
      "{'a':1}",
      '{"a":"\\ud800"}',
      '{"a":"\t"}',
      '{"a":+1}',
      '{"a":.5}',
      '{"a":1e400}',
      '{"a"}',
      '{"a":[1,]}',
      '{"a":]}',
      '{"a":tru}',
    ],
  };
}

export const VECTOR_FILES: Record<string, () => unknown> = {
  "hashes.json": hashVectors,
  "log.json": logVectors,
  "jcs.json": jcsVectors,
};

export function vectorText(name: string): string {
  return `${JSON.stringify(VECTOR_FILES[name]!(), null, 2)}\n`;
}

export function readVectors<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(new URL(name, VECTORS), "utf8"));
}

if (process.argv[1] === import.meta.filename) {
  for (const name of Object.keys(VECTOR_FILES)) writeFileSync(new URL(name, VECTORS), vectorText(name));
}
