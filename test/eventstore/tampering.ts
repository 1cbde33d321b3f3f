import { parseNotedHead } from "../../eventstore/verify/noted-head.ts";
import type { VerifyExportOptions } from "../../eventstore/verify/verify-export.ts";
import {
  commitHash,
  exportLines,
  LogBuilder,
  type LogRow,
  logGenesis,
  logHash,
  NO_REQUEST_HASH,
  rehash,
  sealRow,
  sha256,
  streamExportLines,
} from "./log-builder.ts";

export const ORIGIN = "log.test/main/e1";
const A_HASH = sha256("another").toString("hex");

/** Nine events, six commits: two tenants with a stream of the same name, commits over one and over two streams, with and without a key. */
export function log(): LogRow[] {
  const builder = new LogBuilder(ORIGIN);
  const plan: [key: string | null, ...streams: string[]][] = [
    ["k1", "acme/order", "acme/stock"],
    [null, "globex/order"],
    ["k2", "acme/order"],
    [null, "globex/order", "acme/stock"],
    ["k3", "acme/order"],
    ["k4", "globex/order", "globex/stock"],
  ];
  let n = 0;
  return plan.flatMap(([key, ...streams], i) =>
    builder.append({
      recorded_at_us: 1_767_225_600_000_000 + i * 1000,
      meta: { actor: `key:${i}` },
      idempotency: key === null ? undefined : { idem_key: key, request_hash: sha256(key).toString("hex") },
      events: streams.map((stream) => {
        const [tenant, stream_id] = stream.split("/") as [string, string];
        const event_id = `019b76da-a800-7000-8000-${String(++n).padStart(12, "0")}`;
        return { tenant, stream_id, type: "Changed", event_id, payload: { n, text: 'a"b\\c\nĀ😀' } };
      }),
    }),
  );
}

/** A changed export, its failing verdicts with their first bad position, and one of their texts. */
export type Tampering = {
  name: string;
  lines: string[];
  options?: VerifyExportOptions;
  fails: Record<string, number>;
  says: RegExp;
};

/**
 * The matrix: each field changed, events moved, commits and the export's frame changed, with and without recomputed
 * hashes.
 */
export const cases: Tampering[] = [];

function tamper(
  name: string,
  fails: Record<string, number>,
  says: RegExp,
  change: (rows: LogRow[]) => LogRow[] | undefined,
) {
  const rows = log();
  cases.push({ name, lines: exportLines(ORIGIN, change(rows) ?? rows), fails, says });
}

function reline(
  name: string,
  fails: Record<string, number>,
  says: RegExp,
  change: (lines: string[]) => string[],
  options?: VerifyExportOptions,
) {
  cases.push({ name, lines: change(exportLines(ORIGIN, log())), fails, says, options });
}

export const held = (position: number) => ({
  heads: [{ position, hash_prefix: log()[position - 1]!.log_hash.slice(0, 16) }],
});
export const at = <Row>(rows: Row[], position: number): Row => rows[position - 1]!;

// Every member of an event line, changed on the fifth event (globex/order version 2, the first of a commit without a key).
const CHANGED: { [Name in keyof LogRow]: [LogRow[Name], Record<string, number>, RegExp] } = {
  position: [50, { order: 5 }, /position 50, expected 5/],
  tenant: ["acme", { chain: 5 }, /event_hash is/],
  stream_id: ["stock", { chain: 5 }, /event_hash is/],
  version: [3, { chain: 5 }, /event_hash is/],
  event_id: ["019b76da-a800-7000-8000-000000000099", { chain: 5 }, /event_hash is/],
  type: ["changed", { chain: 5 }, /event_hash is/],
  schema_version: [2, { chain: 5 }, /event_hash is/],
  recorded_at_us: [1_767_225_600_002_999, { chain: 5 }, /event_hash is/],
  payload: ['{"n":6}', { chain: 5 }, /payload_hash is/],
  meta: ["{}", { chain: 5, commits: 5 }, /meta_hash is/],
  payload_hash: [A_HASH, { chain: 5 }, /payload_hash is/],
  meta_hash: [A_HASH, { chain: 5 }, /meta_hash is/],
  prev_hash: [A_HASH, { chain: 5 }, /event_hash is/],
  event_hash: [A_HASH, { chain: 5, order: 5 }, /event_hash is/],
  log_hash: [A_HASH, { order: 5 }, /log_hash is/],
  idem_key: ["k9", { commits: 5 }, /meta.commit is/],
  request_hash: [A_HASH, { commits: 5 }, /meta.commit is/],
  commit_size: [3, { commits: 5 }, /meta.commit is/],
};
for (const [name, [value, fails, says]] of Object.entries(CHANGED)) {
  tamper(`${name} changed`, fails, says, (rows) => void Object.assign(at(rows, 5), { [name]: value }));
}

// A forger's options with the hash functions, short of rewriting everything later.
tamper("payload changed, its hash recomputed", { chain: 5 }, /event_hash is/, (rows) => {
  const row = at(rows, 5);
  row.payload = '{"n":6}';
  row.payload_hash = sha256("TS/PAYLOAD/1\0", row.payload).toString("hex");
});
tamper(
  "payload_hash changed, every later hash recomputed",
  { chain: 5 },
  /was changed .*: payload_hash is/,
  (rows) => {
    const seal = [...rows];
    at(seal, 5).payload = '{"n":6}';
    const text = at(log(), 5).payload;
    rehash(ORIGIN, seal);
    at(seal, 5).payload = text;
  },
);
tamper(
  "meta_hash changed, every later hash recomputed",
  { chain: 6 },
  /was changed .*: meta_hash is/,
  (rows) => {
    const text = at(rows, 6).meta;
    at(rows, 6).meta = '{"actor":"key:9"}';
    rehash(ORIGIN, rows);
    at(rows, 6).meta = text;
  },
);
tamper(
  "event_hash changed, the chains and the log built on it",
  { chain: 9 },
  /was changed .*: event_hash is/,
  (rows) => {
    at(rows, 9).event_hash = A_HASH;
    at(rows, 9).log_hash = logHash(Buffer.from(at(rows, 8).log_hash, "hex"), 9, A_HASH).toString("hex");
  },
);
tamper("version skipped, all hashes recomputed", { chain: 5 }, /version 3, expected 2/, (rows) => {
  at(rows, 5).version = 3;
  at(rows, 8).version = 4;
  return rehash(ORIGIN, rows);
});
tamper(
  "link to another event, hashes from there on recomputed",
  { chain: 8 },
  /prev_hash is not the event_hash/,
  (rows) => {
    at(rows, 8).prev_hash = at(rows, 3).event_hash;
    sealRow(ORIGIN, at(rows, 8), Buffer.from(at(rows, 7).log_hash, "hex"));
    sealRow(ORIGIN, at(rows, 9), Buffer.from(at(rows, 8).log_hash, "hex"));
  },
);
tamper(
  "first link of a stream, hashes from there on recomputed",
  { chain: 9 },
  /does not continue .*: prev_hash is/,
  (rows) => {
    at(rows, 9).prev_hash = A_HASH;
    sealRow(ORIGIN, at(rows, 9), Buffer.from(at(rows, 8).log_hash, "hex"));
  },
);
tamper("time goes back, all hashes recomputed", { order: 5 }, /is earlier than/, (rows) => {
  at(rows, 5).recorded_at_us -= 5000;
  return rehash(ORIGIN, rows);
});
tamper("a position skipped, all hashes recomputed", { order: 5 }, /position 6, expected 5/, (rows) => {
  for (const row of rows.slice(4)) row.position++;
  return rehash(ORIGIN, rows);
});
tamper(
  "payload not canonical, all hashes recomputed",
  { canonical: 5 },
  /payload is not in RFC 8785 form/,
  (rows) => {
    at(rows, 5).payload = '{"n": 5}';
    return rehash(ORIGIN, rows);
  },
);
tamper(
  "meta not canonical, all hashes recomputed",
  { canonical: 5 },
  /meta is not in RFC 8785 form/,
  (rows) => {
    at(rows, 5).meta = at(rows, 5).meta.replace(",", ", ");
    return rehash(ORIGIN, rows);
  },
);

// Moving events about.
tamper("two events swapped", { chain: 5, order: 5 }, /, expected/, (rows) => {
  const five = at(rows, 5);
  rows[4] = at(rows, 8);
  rows[7] = five;
});
reline(
  "the first event deleted",
  { chain: 3, order: 1, commits: 1, completeness: 9 },
  /, expected/,
  (lines) => lines.toSpliced(1, 1),
);
tamper("the first event deleted, header and last line made to fit", { order: 2 }, /log_hash is/, (rows) =>
  rows.slice(1),
);
tamper("an event in the middle deleted", { chain: 7, order: 5, commits: 5 }, /, expected/, (rows) =>
  rows.filter((row) => row.position !== 5),
);
tamper("the last event deleted", { commits: 9 }, /lacks 1 of its events/, (rows) => rows.slice(0, -1));
tamper("an event twice", { chain: 6, order: 6, commits: 6 }, /, expected/, (rows) => [
  ...rows.slice(0, 5),
  ...rows.slice(4),
]);
tamper("an event of another log inserted", { chain: 5, order: 5 }, /, expected|is/, (rows) => {
  const stranger = new LogBuilder("elsewhere/main/e2");
  for (const row of log().slice(0, 4))
    stranger.append({ events: [{ ...row, payload: {} }], recorded_at_us: row.recorded_at_us });
  const [alien] = stranger.append({
    events: [{ ...at(log(), 5), payload: {} }],
    recorded_at_us: at(log(), 5).recorded_at_us,
  });
  return [...rows.slice(0, 4), alien!, ...rows.slice(4)];
});
tamper(
  "moved to another tenant, all hashes and versions recomputed, a head held",
  { completeness: 9 },
  /history was rewritten/,
  (rows) => {
    at(rows, 9).tenant = "acme";
    at(rows, 9).version = 3;
    return rehash(ORIGIN, rows);
  },
);
cases.at(-1)!.options = held(9);
tamper("everything rewritten, a head held", { completeness: 7 }, /history was rewritten/, (rows) => {
  at(rows, 2).payload = "{}";
  return rehash(ORIGIN, rows);
});
cases.at(-1)!.options = held(7);

// Commits.
tamper("another idem_key", { commits: 1 }, /meta.commit is/, (rows) => {
  at(rows, 1).idem_key = "k2";
});
tamper("another request_hash", { commits: 1 }, /meta.commit is/, (rows) => {
  at(rows, 1).request_hash = A_HASH;
});
tamper("idem_key on an event inside a commit", { commits: 2 }, /without commit_size/, (rows) => {
  at(rows, 2).idem_key = "k1";
});
tamper("commit named in the metadata inside a commit", { commits: 2 }, /meta.commit is set on/, (rows) => {
  at(rows, 2).meta = at(rows, 1).meta;
  return rehash(ORIGIN, rows);
});
tamper("commit_size taken from a commit", { commits: 5 }, /meta.commit is set on/, (rows) => {
  at(rows, 5).commit_size = null;
});
tamper("empty idem_key for none", { commits: 5 }, /idem_key is empty/, (rows) => {
  Object.assign(at(rows, 5), { idem_key: "", request_hash: NO_REQUEST_HASH });
});
tamper(
  "a commit announces more than it has, all hashes recomputed",
  { commits: 4 },
  /begins while the one before lacks 1/,
  (rows) => {
    recommit(at(rows, 3), 2);
    return rehash(ORIGIN, rows);
  },
);
tamper(
  "a commit announces less than it has, all hashes recomputed",
  { commits: 6 },
  /an event of no commit/,
  (rows) => {
    recommit(at(rows, 5), 1);
    return rehash(ORIGIN, rows);
  },
);
tamper(
  "the last commit announces more than it has, all hashes recomputed",
  { commits: 10 },
  /the last commit lacks 1/,
  (rows) => {
    recommit(at(rows, 8), 3);
    return rehash(ORIGIN, rows);
  },
);

function recommit(row: LogRow, size: number) {
  const commit = commitHash(row.idem_key ?? "", row.request_hash ?? NO_REQUEST_HASH, size).toString("hex");
  row.meta = row.meta.replace(/"commit":"[0-9a-f]{64}"/, `"commit":"${commit}"`);
  row.commit_size = size;
}

// The frame of the export.
reline("the last line is missing", { completeness: 10 }, /truncated/, (lines) => lines.slice(0, -1));
reline("truncated inside a line", { format: 7, completeness: 7 }, /expected/, (lines) => [
  ...lines.slice(0, 7),
  lines[7]!.slice(0, 100),
]);
reline("the last line counts wrongly", { completeness: 10 }, /speaks of 8 events/, (lines) => [
  ...lines.slice(0, -1),
  lines.at(-1)!.replace('"events":9', '"events":8'),
]);
reline("the last line names another head", { completeness: 10 }, /names the head/, (lines) => [
  ...lines.slice(0, -1),
  lines.at(-1)!.replace(/"log_hash":"[^"]*"/, `"log_hash":"${A_HASH}"`),
]);
reline(
  "the end cut, the last line made to fit, a head held",
  { completeness: 8 },
  /the end is cut/,
  () => exportLines(ORIGIN, log().slice(0, 7)),
  held(9),
);
reline("a line after the last", { format: 10 }, /follows the last line/, (lines) => [...lines, lines[3]!]);
reline("a line of garbage", { format: 3 }, /line 4: expected \{ at byte 1/, (lines) =>
  lines.toSpliced(3, 0, "garbage"),
);
reline("another origin in the header", { chain: 1, order: 1 }, /is/, (lines) => [
  lines[0]!.replace("e1", "e2"),
  ...lines.slice(1),
]);
reline("not the expected origin", { completeness: 1 }, /is not the expected/, (lines) => lines, {
  origin: "log.test/main/e2",
});
reline(
  "a given head at a position without an event, another beyond the end",
  { completeness: 3 },
  /there is no event at 3/,
  (lines) => lines.map((line) => line.replace('{"position":3,', '{"position":30,')),
  { heads: [...held(3).heads, { position: 40, hash_prefix: A_HASH }] },
);
cases.at(-1)!.fails.order = 3;
reline("a head of another epoch", { completeness: 1 }, /epoch "e2"/, (lines) => lines, {
  heads: [parseNotedHead(`v1.e2.9.${at(log(), 9).log_hash.slice(0, 16)}`)],
});
reline(
  "the beginning left out, with a head before it given",
  { completeness: 8 },
  /there is no event at 3/,
  () => exportLines(ORIGIN, log().slice(7), at(log(), 7).log_hash),
  held(3),
);
reline(
  "the beginning left out, another hash before it",
  { completeness: 8 },
  /history was rewritten/,
  () => {
    const rows = log().slice(7);
    at(rows, 1).log_hash = logHash(logGenesis("x"), 8, at(rows, 1).event_hash).toString("hex");
    at(rows, 2).log_hash = logHash(
      Buffer.from(at(rows, 1).log_hash, "hex"),
      9,
      at(rows, 2).event_hash,
    ).toString("hex");
    return exportLines(ORIGIN, rows, logGenesis("x").toString("hex"));
  },
  held(7),
);
reline("another beginning, every log hash recomputed", { order: 1 }, /previous_log_hash is/, () => {
  const rows = log();
  let previous = logGenesis("x");
  for (const row of rows) {
    previous = logHash(previous, row.position, row.event_hash);
    row.log_hash = previous.toString("hex");
  }
  return exportLines(ORIGIN, rows, logGenesis("x").toString("hex"));
});
reline("more streams than allowed", { chain: 3 }, /more than 2 streams/, (lines) => lines, {
  max_streams: 2,
});
cases.push({
  name: "the export of one stream holds an event of another",
  lines: strayStream(),
  fails: { chain: 1 },
  says: /an event of the stream "order" of tenant "globex"/,
});

cases.push({
  name: "the export of a stream that has no event",
  lines: [
    streamExportLines(ORIGIN, log(), "acme", "order")[0]!,
    JSON.stringify({
      end: true,
      events: 0,
      head: { version: 0, event_hash: logGenesis(ORIGIN).toString("hex") },
    }),
  ],
  fails: { completeness: 1 },
  says: /has no event/,
});

cases.push({
  name: "the export of another stream than the expected one",
  lines: streamExportLines(ORIGIN, log(), "globex", "order"),
  options: { stream: { tenant: "acme", stream_id: "order" } },
  fails: { completeness: 1 },
  says: /expected "order" of "acme"/,
});
reline(
  "the export of a log where a stream is expected",
  { completeness: 1 },
  /the export of a log/,
  (lines) => lines,
  { stream: { tenant: "acme", stream_id: "order" } },
);

/** All of one stream under the name of another. */
function strayStream(): string[] {
  return streamExportLines(ORIGIN, log(), "globex", "order").map((line, i) =>
    i === 0 ? line.replace("globex", "acme") : line,
  );
}
