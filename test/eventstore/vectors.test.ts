import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ByteField, hexOfDigest, sha256 } from "../../eventstore/verify/bytes.ts";
import { CanonicalReader } from "../../eventstore/verify/canonical.ts";
import { EventRow } from "../../eventstore/verify/event-row.ts";
import { LogHashes } from "../../eventstore/verify/hashes.ts";
import { parseNotedHead } from "../../eventstore/verify/noted-head.ts";
import {
  type hashVectors,
  type jcsVectors,
  type LogCase,
  readVectors,
  VECTOR_FILES,
  VECTORS,
  vectorText,
} from "./vectors.ts";
import { failures, verifyLines } from "./verify-support.ts";

const hashes = readVectors<ReturnType<typeof hashVectors>>("hashes.json");
const logs = readVectors<{ cases: LogCase[] }>("log.json");
const jcs = readVectors<ReturnType<typeof jcsVectors>>("jcs.json");
const raw = (hex: string) => Buffer.from(hex.replaceAll("-", ""), "hex");

test.each(Object.keys(VECTOR_FILES))("%s equals the log builder's output", (name) => {
  expect(readFileSync(new URL(name, VECTORS), "utf8")).toBe(vectorText(name));
});

describe("the verifier's hashes equal the vectors for", () => {
  test("payload and metadata", () => {
    const row = new EventRow();
    for (const { payload, hash } of hashes.payload_hash) {
      expect(hexOfDigest(sha256(row.payload.set(raw(payload.hex)).view()))).toBe(hash);
    }
    for (const { meta, hash } of hashes.meta_hash) {
      expect(hexOfDigest(sha256(row.meta.set(raw(meta.hex)).view()))).toBe(hash);
    }
  });

  test("length prefixes", () => {
    for (const { text, lp } of hashes.lp) {
      expect(
        Buffer.from(new ByteField().lengthPrefixed(new ByteField().set(text)).view()).toString("hex"),
      ).toBe(lp);
    }
  });

  test("stream and log geneses", () => {
    for (const { origin, tenant, stream_id, hash } of hashes.stream_genesis) {
      const field = new ByteField().set(tenant);
      expect(hexOfDigest(new LogHashes(origin).streamGenesis(field, new ByteField().set(stream_id)))).toBe(
        hash,
      );
    }
    for (const { origin, hash } of hashes.log_genesis)
      expect(hexOfDigest(new LogHashes(origin).genesis)).toBe(hash);
  });

  test("event hashes, log hashes, commit hashes", () => {
    for (const vector of hashes.event_hash) {
      const row = new EventRow();
      for (const name of ["tenant", "stream_id", "type"] as const) row[name].set(vector[name]);
      for (const name of ["version", "schema_version", "recorded_at_us"] as const) row[name] = vector[name];
      for (const name of ["event_id", "payload_hash", "meta_hash", "prev_hash"] as const)
        row[name].set(raw(vector[name]));
      expect(hexOfDigest(new LogHashes(vector.origin).event(row))).toBe(vector.hash);
    }
    for (const { previous, position, event_hash, hash } of hashes.log_hash) {
      expect(hexOfDigest(new LogHashes("x").log(raw(previous), position, raw(event_hash)))).toBe(hash);
    }
    for (const { idem_key, request_hash, commit_size, hash } of hashes.commit_hash) {
      const row = new EventRow();
      row.has_idem_key = row.has_request_hash = idem_key !== "";
      row.idem_key.set(idem_key);
      row.request_hash.set(raw(request_hash));
      expect(new LogHashes("x").commit(row, commit_size)).toBe(hash);
    }
  });
});

test.each(logs.cases)("log.json: $name", async ({ lines, head, fails }) => {
  const report = await verifyLines(lines, head === undefined ? {} : { heads: [parseNotedHead(head)] });
  expect(failures(report)).toEqual(fails);
  expect(report.ok).toBe(Object.keys(fails).length === 0);
});

describe("jcs.json", () => {
  const reader = new CanonicalReader();
  const faultOf = (text: string) => reader.fault(Buffer.from(text), 0, Buffer.byteLength(text));

  test.each(jcs.cases)("$input", ({ input, canonical }) => {
    expect(faultOf(canonical)).toBeUndefined();
    if (input !== canonical) expect(faultOf(input)).toMatch(/ at byte \d+$/);
  });

  test.each(jcs.refused)("refused: %s", (text) => {
    expect(faultOf(text)).toMatch(/ at byte \d+$/);
  });
});

test("the worked example of docs/event-log.md is right, and is an event of log.json", () => {
  const text = readFileSync(new URL("../event-log.md", VECTORS), "utf8");
  const example = text.slice(text.indexOf("## 8."));
  const blocks = [
    ...example.matchAll(/^ {4}(\w+).*\n((?: {4}[0-9a-f]{2,64}(?: .*)?\n)+) {4}= ([0-9a-f]{64})$/gm),
  ];
  const computed = blocks.map(([, name, lines, hash]) => {
    const bytes = raw([...lines!.matchAll(/^ {4}([0-9a-f]+)/gm)].map(([, part]) => part).join(""));
    expect([name, hexOfDigest(sha256(bytes))]).toEqual([name, hash]);
    return [name!, hash!];
  });
  const line = logs.cases[0]!.lines[3]!;
  expect(example).toContain(`\n    ${line}\n`);
  const event = JSON.parse(line);
  const { commit } = JSON.parse(event.meta);
  const { payload_hash, meta_hash, prev_hash, event_hash, log_hash } = event;
  expect(Object.fromEntries(computed)).toEqual({
    ...{ commit, payload_hash, meta_hash, prev_hash, event_hash },
    ...{ log_hash_0: hashes.log_genesis[0]!.hash, log_hash_3: log_hash },
  });
});

const verdictIn = (text: string) => /^FAIL (\w+)/.exec(text)?.[1];

/** A second language gives the same results for the vectors and for whole exports. */
const python = spawnSync("python3", ["--version"]).status === 0;
test.skipIf(!python)(`docs/vectors/verify.py agrees${python ? "" : " (skipped: no python3 here)"}`, () => {
  const script = fileURLToPath(new URL("verify.py", VECTORS));
  expect(execFileSync("python3", [script], { encoding: "utf8" })).toMatch(/^ok hashes\.json; 5 events/);
  execFileSync("python3", [script, fileURLToPath(new URL("pack.ndjson", VECTORS))]);
  const dir = mkdtempSync(join(tmpdir(), "tallystick-vectors-"));
  try {
    const file = join(dir, "export.ndjson");
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(new URL("pack.ndjson", VECTORS))));
    expect(execFileSync("python3", [script, `${file}.gz`], { encoding: "utf8" })).toMatch(/^ok 9 events/);
    for (const { name, lines, head, fails } of logs.cases) {
      if (head !== undefined || name.includes("one stream") || "canonical" in fails) continue;
      writeFileSync(file, `${lines.join("\n")}\n`);
      const { status, stderr } = spawnSync("python3", [script, file], { encoding: "utf8" });
      const verdicts = Object.keys(fails);
      expect([name, status === 0]).toEqual([name, verdicts.length === 0]);
      if (verdicts.length > 0)
        expect([name, verdicts]).toEqual([name, expect.arrayContaining([verdictIn(stderr)])]);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});
