/**
 * Full segments below a final anchor become files that prove themselves; nothing is sealed twice, and every changed
 * byte is detected.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { addToBackup, digestOf, readBackup } from "../../eventstore/files/backup.ts";
import { exportFile } from "../../eventstore/files/export.ts";
import { segmentsAsExport } from "../../eventstore/files/segment-export.ts";
import { openSegment, writeSegment } from "../../eventstore/files/segment-file.ts";
import { openPool } from "../../eventstore/pool.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { storedPages } from "../../eventstore/verify/stored-rows.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { openExport } from "../../eventstore/verify/verify-export.ts";
import { openCheckpoint } from "../../src/anchoring/checkpoint.ts";
import { evidenceFor } from "../../src/anchoring/gather-evidence.ts";
import { parseVerifierKey } from "../../src/anchoring/note.ts";
import { subtreeFault } from "../../src/anchoring/proofs.ts";
import { sealingReactor, sealTick } from "../../src/anchoring/seal-segments.ts";
import { evidenceOfPath } from "../../src/anchoring/segment-path.ts";
import { verifyPack } from "../../src/audit/verify-pack.ts";
import { readPack } from "../../src/cli/pack.ts";
import type { App } from "../../src/core/app.ts";
import * as apiKey from "../../src/domain/access/key.ts";
import * as segments from "../../src/domain/log/segments.ts";
import { segmentsAfter, segmentsProjection } from "../../src/projections/anchoring/segments.ts";
import { recoverKey } from "../../src/runtime/assemble-audit.ts";
import { restoreService } from "../../src/runtime/restoring.ts";
import { type AnchoringSetup, openAnchoringSetup } from "../anchoring/anchoring-setup.ts";
import { runCommand } from "../cli/command.ts";
import { runHere } from "../cli/in-process.ts";
import { facts } from "../payments/sample-operations.ts";
import { startProgram } from "../support/compiled.ts";
import { freshDatabase } from "../support/database.ts";
import { patientConfig } from "../support/patience.ts";
import { BUCKET_REGION, type Bucket, startBucket } from "../support/s3-server.ts";
import { scaled } from "../support/scale.ts";
import { startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";

const EVENTS = 16;
/** Verifies a file by itself. */
const NO_SETTINGS = {};
const reactor = sealingReactor({ events: EVENTS });
const AWS = { access_key_id: "AKIDEXAMPLE", secret_access_key: "q7Zr2VtKx0bWm4YcJp8uHn5eLd1fGs9a" };
let setup: AnchoringSetup;
let bucket: Bucket;
let env: Record<string, string>;
let folder: string;
/** Two processes of one service. */
let app: App;
let other: App;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tallystick-segments-"));
  bucket = await startBucket({ credentials: AWS });
  setup = await openAnchoringSetup();
  env = {
    OBJECTS_URL: bucket.url,
    AWS_ACCESS_KEY_ID: AWS.access_key_id,
    AWS_SECRET_ACCESS_KEY: AWS.secret_access_key,
    AWS_REGION: BUCKET_REGION,
  };
  const [one, two] = [await setup.beside(env), await setup.beside(env)];
  app = one.app;
  other = two.app;
  closing.push(one.close, two.close);
});
afterAll(async () => {
  for (const close of closing) await close();
  await setup?.close();
  await bucket?.close();
  await rm(folder, { recursive: true, force: true });
});

async function gathered<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

const meta = { actor: "test", operation: "test" };
let keys = 0;
/** Appends commits of three events, so that segments end within one. */
async function grow(commits: number): Promise<void> {
  for (let n = 0; n < commits; n++)
    await app.commit(
      async ({ decide }) => {
        for (let at = 0; at < 3; at++) {
          const id = `k_${++keys}`;
          await decide(apiKey, { tenant: "acme", id }, apiKey.issue(facts(id)));
        }
      },
      { meta },
    );
}

/** Signs, anchors, and waits until the anchor is final. */
async function anchorAll(): Promise<number> {
  expect(await setup.turn()).toEqual({ status: "done" });
  await setup.mine(4);
  expect(await setup.turn()).toEqual({ status: "done" });
  return (await setup.state()).anchors.findLast(({ final }) => final)!.size;
}
const sealedOf = async (by: App = app) => {
  const { position } = await by.store.head();
  expect(await by.runner.reached(segmentsProjection, position, LIMIT_MS)).toBe(true);
  return segmentsAfter(by.pool, {});
};
let files = 0;
/** A path without a file. */
const fresh = (end: string) => join(folder, `f${++files}${end}`);
async function fileOf({ sha256 }: segments.SealedSegment): Promise<string> {
  const path = fresh(".parquet");
  const { origin } = await app.store.identity();
  expect(await app.objects.getFile(segments.objectOf(origin, sha256), path)).toBe(true);
  return path;
}
const allFiles = async () => Promise.all((await sealedOf()).map(fileOf));
/** The export of the events after the segments. */
async function restOf(from: number): Promise<string> {
  const path = fresh(".ndjson.gz");
  await exportFile(app.pool, { log_id: MAIN_LOG, from, beside: evidenceFor(app) }, path);
  return path;
}
const HELD = { checkpoints: [], events: [], witnesses: [], recover: recoverKey };
const verify = (paths: readonly string[], rest?: string, evidence: readonly object[] = []) => {
  const text = segmentsAsExport(paths, { rest: rest === undefined ? undefined : openExport(rest), evidence });
  return verifyPack(text, { ...HELD, ends_inside: rest === undefined });
};
const failing = (report: Awaited<ReturnType<typeof verify>>) =>
  report.verdicts
    .filter(({ ok, judged }) => !ok && judged !== false)
    .map(({ name, first_bad }) => [name, first_bad]);

test("a full segment below a final anchor is sealed, once, by any process", async () => {
  await grow(4);
  expect(await sealTick(app, { events: EVENTS })).toBe("idle");
  expect(await sealedOf()).toEqual([]);
  await grow(8);
  // Signed and anchored, but not final yet.
  await setup.turn();
  expect(await turn(app, reactor)).toEqual({ status: "done" });
  expect(await sealedOf()).toEqual([]);

  const anchored = await anchorAll();
  const full = Math.floor(anchored / EVENTS);
  expect(full).toBeGreaterThan(1);
  await Promise.all([app, other].map((by) => sealTick(by, { events: EVENTS })));
  await turn(other, reactor, { patient: true });
  const sealed = await sealedOf();
  expect(sealed.map(({ from, to, rows }) => [from, to, rows])).toEqual(
    Array.from({ length: full }, (_, n) => [n * EVENTS + 1, (n + 1) * EVENTS, EVENTS]),
  );
  const { origin } = await app.store.identity();
  expect([...bucket.objects.keys()].sort()).toEqual(
    sealed.map(({ sha256 }) => segments.objectOf(origin, sha256)).sort(),
  );
  for (const one of sealed)
    expect(await digestOf(await fileOf(one))).toEqual({ sha256: one.sha256, bytes: one.bytes });
  // Stored for good.
  const { rows } = await app.pool.query("select distinct keep_until::text from objects.large");
  expect(rows).toEqual([{ keep_until: "infinity" }]);
});

test("a file has every column of the table, for our reader and for an independent one", async () => {
  const [, second] = await sealedOf();
  const path = await fileOf(second!);
  const { facts: answer, pages, close } = await openSegment(path);
  const { origin } = await app.store.identity();
  const { from, to, prev_log_hash } = second!;
  expect(answer).toEqual({ origin, first: from, last: to, previous_log_hash: prev_log_hash });
  const read = (await gathered(pages())).flat();
  await close();
  const range = { log_id: MAIN_LOG, after: from - 1, to };
  expect(read).toEqual((await gathered(storedPages(app.pool, range))).flat());

  const duck = await (await DuckDBInstance.create()).connect();
  const sql = `select position, tenant, stream_id, version, event_id::text as event_id, type, schema_version, recorded_at_us,
    decode(payload) as payload, hex(event_hash) as event_hash, idem_key, hex(request_hash) as request_hash, commit_size
    from read_parquet('${path}') order by position`;
  const rows = (await duck.runAndReadAll(sql)).getRowObjectsJS();
  duck.closeSync();
  expect(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value && String(value)])),
    ),
  ).toEqual(
    read.map((row) => ({
      ...{ position: row.position, tenant: row.tenant, stream_id: row.stream_id, version: row.version },
      ...{ event_id: row.event_id, type: row.type, schema_version: row.schema_version },
      ...{ recorded_at_us: row.recorded_at_us, payload: row.payload.toString() },
      event_hash: row.event_hash.toString("hex").toUpperCase(),
      ...{ idem_key: row.idem_key, commit_size: row.commit_size },
      request_hash: row.request_hash?.toString("hex").toUpperCase() ?? null,
    })),
  );
});

test("an independent verifier with the specification and a Parquet reader checks a file: every hash, both chains, the subtree, the path", async () => {
  const sealed = await sealedOf();
  const H = (...parts: (Uint8Array | string)[]) => {
    const hash = createHash("sha256");
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
  const u32 = (value: number) => Buffer.from(value.toString(16).padStart(8, "0"), "hex");
  const u64 = (value: bigint) => Buffer.from(value.toString(16).padStart(16, "0"), "hex");
  const LP = (text: string) => Buffer.concat([u32(Buffer.byteLength(text)), Buffer.from(text)]);
  const root = (leaves: Buffer[]): Buffer =>
    leaves.length === 1
      ? leaves[0]!
      : H("\x01", root(leaves.slice(0, leaves.length / 2)), root(leaves.slice(leaves.length / 2)));
  const { origin } = await app.store.identity();
  const duck = await (await DuckDBInstance.create()).connect();
  const last = new Map<string, Buffer>();
  let log_hash = H("TS/LOG/1\0", LP(origin));
  for (const one of sealed) {
    const path = await fileOf(one);
    const output = (
      await duck.runAndReadAll(`select decode(key) k, decode(value) v from parquet_kv_metadata('${path}')`)
    ).getRows();
    expect(Object.fromEntries(output)).toEqual({
      ...{ format: "tallystick-segment/1", origin, previous_log_hash: log_hash.toString("hex") },
      ...{ first_position: String(one.from), last_position: String(one.to) },
    });
    const sql = `select * replace (event_id::text as event_id) from read_parquet('${path}')`;
    const leaves: Buffer[] = [];
    for (const row of (await duck.runAndReadAll(sql)).getRowObjects() as Record<string, never>[]) {
      const bytes = (name: string): Buffer =>
        Buffer.from((row[name] as unknown as { bytes: Uint8Array }).bytes);
      const { tenant, stream_id, version, type, schema_version, recorded_at_us, position } = row as Record<
        string,
        unknown
      > as {
        [name in "tenant" | "stream_id" | "type"]: string;
      } & { [name in "version" | "recorded_at_us" | "position"]: bigint } & { schema_version: number };
      const stream = JSON.stringify([tenant, stream_id]);
      const prev = last.get(stream) ?? H("TS/STREAM/1\0", LP(origin), LP(tenant), LP(stream_id));
      const payload_hash = H("TS/PAYLOAD/1\0", bytes("payload"));
      const meta_hash = H("TS/META/1\0", bytes("meta"));
      const event_id = Buffer.from(String(row.event_id).replaceAll("-", ""), "hex");
      const own = [
        LP(origin),
        LP(tenant),
        LP(stream_id),
        u64(version),
        event_id,
        LP(type),
        u32(schema_version),
      ];
      const event_hash = H("TS/EVENT/1\0", ...own, u64(recorded_at_us), payload_hash, meta_hash, prev);
      log_hash = H("TS/LOG/1\0", log_hash, u64(position), event_hash);
      const computed = { payload_hash, meta_hash, prev_hash: prev, event_hash, log_hash };
      for (const [name, hash] of Object.entries(computed))
        expect([position, name, bytes(name)]).toEqual([position, name, hash]);
      last.set(stream, event_hash);
      leaves.push(H("\x00", event_hash));
    }
    expect(leaves).toHaveLength(one.rows);
    expect(root(leaves).toString("hex")).toBe(one.subtree_root);
    expect(log_hash.toString("hex")).toBe(one.log_hash);
  }
  duck.closeSync();
});

test("the command verifies segments and later events, without the service", async () => {
  const paths = await allFiles();
  const rest = await restOf(paths.length * EVENTS + 1);
  const good = await runCommand(folder, "verify", rest, ...paths);
  expect([good.code, good.stderr]).toEqual([0, ""]);
  expect(good.stdout).toContain(`${(await app.store.head()).position} events`);
  const refused: [string, string[]][] = [
    ["verify one export at a time", [rest, rest, paths[0]!]],
    ["--proof needs one segment", [paths[0]!, paths[1]!, "--proof", rest]],
    ["--proof is not what GET", [paths[0]!, "--proof", rest]],
  ];
  for (const [says, args] of refused) {
    const { code, stderr } = await runHere(NO_SETTINGS, "verify", ...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
  }
  const { code, stdout } = await runHere(NO_SETTINGS, "verify", paths[0]!, paths[2] ?? rest);
  expect(code).toBe(1);
  expect(stdout).toContain(`position ${EVENTS + 1}`);
});

test("a segment with equal rows in other bytes is not the sealed file", async () => {
  const paths = await allFiles();
  const rest = await restOf(paths.length * EVENTS + 1);
  const good = await readFile(paths[0]!);
  const at = good.lastIndexOf("tallystick");
  const bent = fresh(".parquet");
  await writeFile(bent, Buffer.concat([good.subarray(0, at), Buffer.from("T"), good.subarray(at + 1)]));
  const verdict = async (first: string) => {
    const { report } = await readPack({ files: [rest, first, ...paths.slice(1)] }, HELD);
    return [
      report.ok,
      report.verdicts
        .filter(({ ok, judged }) => !ok && judged !== false)
        .map(({ name, first_bad }) => [name, first_bad]),
    ];
  };
  expect(await verdict(paths[0]!)).toEqual([true, []]);
  expect(await verdict(bent)).toEqual([false, [["segments", 1]]]);
});

test("the same events give the same bytes, however they are paged", async () => {
  const [first] = await sealedOf();
  const { from, to, prev_log_hash, sha256 } = first!;
  const { origin } = await app.store.identity();
  const path = fresh(".parquet");
  async function* oneByOne() {
    for await (const page of storedPages(app.pool, { log_id: MAIN_LOG, after: from - 1, to }))
      for (const row of page) yield [row];
  }
  await writeSegment(path, { origin, first: from, last: to, previous_log_hash: prev_log_hash }, oneByOne());
  expect((await digestOf(path)).sha256).toBe(sha256);
});

test("segments and later events are verified in one run, like the whole export", async () => {
  const paths = await allFiles();
  const rest = await restOf(paths.length * EVENTS + 1);
  const report = await verify([...paths].reverse(), rest);
  expect(failing(report)).toEqual([]);
  const { position } = await app.store.head();
  expect(report).toMatchObject({ ok: true, events: position, head: { position } });
  const whole = fresh(".ndjson");
  await exportFile(app.pool, { log_id: MAIN_LOG, beside: evidenceFor(app) }, whole);
  const { verdicts } = await verifyPack(openExport(whole), HELD);
  const said = (of: typeof verdicts) =>
    of.filter(({ name }) => name !== "format").map(({ name, detail }) => [name, detail]);
  expect(said(report.verdicts)).toEqual(said(verdicts));
});

test("a missing, foreign or misplaced segment is named", async () => {
  const paths = await allFiles();
  const last = paths.length * EVENTS;
  const rest = await restOf(last + 1);
  expect(failing(await verify(paths.slice(0, -1), rest))).toContainEqual(["order", last - EVENTS + 1]);
  expect(failing(await verify(paths, await restOf(last + 4)))).toContainEqual(["order", last + 1]);
  expect((await verify(paths, fresh(".none"))).verdicts[0]!.reason).toContain("the input ends after line 0");
  expect((await verify([rest])).verdicts[0]!.reason).toMatch(/cannot be read: .*parquet/i);
  const foreign = fresh(".parquet");
  const log = { origin: "another/main/0", first: 1, last: EVENTS, previous_log_hash: "00".repeat(32) };
  await writeSegment(foreign, log, storedPages(app.pool, { log_id: MAIN_LOG, after: 0, to: EVENTS }));
  expect((await verify([foreign, paths[1]!])).verdicts[0]!.reason).toContain("of two logs");
  expect((await verify([foreign], rest)).verdicts[0]!.reason).toContain("the export is of");
  expect((await verify([foreign])).ok).toBe(false);
});

test("each segment alone verifies against a later checkpoint by one path, and against no other", async () => {
  await grow(3);
  await anchorAll();
  const service = await startService({
    beside: { data_dir: fresh(""), database_url: setup.database_url },
    env: { ...env, SIGNING_KEY: setup.signing_key },
  });
  onTestFinished(() => service.stop());
  const sealed = await sealedOf();
  for (const one of sealed) {
    const answer = await fetch(`${service.url}/log/segments/${one.from}/proof`);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const { size, root, proof, checkpoint, key } = JSON.parse(text);
    const span = { begin: one.from - 1, end: one.to };
    const bytes = (hex: string) => Buffer.from(hex, "hex");
    const path = { size, node: bytes(one.subtree_root), root: bytes(root), proof: proof.map(bytes) };
    expect(subtreeFault(span, path)).toBeUndefined();
    expect(subtreeFault({ begin: span.begin + EVENTS, end: span.end + EVENTS }, path)).toBeDefined();
    expect(openCheckpoint(checkpoint, { log: parseVerifierKey(key) })).toMatchObject({ size });
    const file = await fileOf(one);
    const report = await verify([file], undefined, evidenceOfPath(text));
    expect(failing(report)).toEqual([]);
    expect(report.verdicts.find(({ name }) => name === "completeness")!.detail).toContain(
      `signed to ${one.to}`,
    );
    if (one.from === 1) {
      const path = fresh(".json");
      await writeFile(path, text);
      const { code, stdout } = await runHere(NO_SETTINGS, "verify", file, "--proof", path);
      expect([code, stdout]).toEqual([0, expect.stringContaining(`signed to ${one.to}`)]);
    }
    const others = sealed.find(({ from }) => from !== one.from)!;
    expect(
      failing(await verify([await fileOf(others)], undefined, evidenceOfPath(text))).length,
    ).toBeGreaterThan(0);
    for (let n = 0; n < proof.length; n++) {
      const bent = JSON.stringify({ ...JSON.parse(text), proof: proof.with(n, "ab".repeat(32)) });
      expect(failing(await verify([file], undefined, evidenceOfPath(bent))).length).toBeGreaterThan(0);
    }
    for (const bad of ["{}", "no", JSON.stringify({ ...JSON.parse(text), proof: [...proof, root] })])
      expect(() => evidenceOfPath(bad)).toThrow("--proof");
  }
});

test("every changed byte of a file is detected; for an event's content its position is named", async () => {
  const paths = await allFiles();
  const rest = await restOf(paths.length * EVENTS + 1);
  const good = await readFile(paths[1]!);
  const rows = (await sealedOf())[1]!;
  const { rows: events } = await app.pool.query<{ position: number; hash: Buffer }>(
    "select position, event_hash as hash from eventstore.events where position between $1 and $2",
    [rows.from, rows.to],
  );
  const bent = fresh(".parquet");
  const reportAt = async (at: number) => {
    const bytes = Buffer.from(good);
    bytes[at]! ^= 1;
    await writeFile(bent, bytes);
    return verify([paths[0]!, bent, ...paths.slice(2)], rest);
  };
  // The stored event hash of each event: hashes do not compress, so the file has them verbatim.
  for (const { position, hash } of events) {
    const at = good.indexOf(hash);
    expect(at).toBeGreaterThan(0);
    const found = await reportAt(at + 7);
    expect(found.ok).toBe(false);
    expect(Math.min(...failing(found).map(([, place]) => Number(place)))).toBe(position);
  }
  let same = 0;
  const bytes = scaled(80);
  for (let n = 0; n < bytes; n++) {
    const at = Math.floor((n * good.length) / bytes);
    const report = await reportAt(at);
    if (!report.ok) continue;
    // A byte without meaning to a reader leaves every event unchanged.
    same++;
    const { pages, close } = await openSegment(bent);
    const read = (await gathered(pages())).flat();
    await close();
    const range = { log_id: MAIN_LOG, after: rows.from - 1, to: rows.to };
    expect(read).toEqual((await gathered(storedPages(app.pool, range))).flat());
  }
  expect(same).toBeLessThan(bytes / 4);
});

test("a file that is cut, empty, or impossible is unreadable, without a crash", async () => {
  const [path] = await allFiles();
  const good = await readFile(path!);
  const bent = fresh(".parquet");
  for (const length of [0, 3, 8, 100, good.length >> 1, good.length - 1]) {
    await writeFile(bent, good.subarray(0, length));
    const report = await verify([bent]);
    expect(report.ok).toBe(false);
    expect(report.verdicts[0]!.reason).toContain("cannot be read");
  }
});

test.each(["before it is put", "before it is recorded", "after it is recorded"])(
  "after a process is killed %s, the next one continues",
  async (step) => {
    await grow(6);
    await anchorAll();
    const before = (await sealedOf()).length;
    const child = startProgram("test/log/killed-sealer.ts", [], {
      env: {
        ...{ PATH: process.env.PATH, DIES_AT: step, SEGMENT_EVENTS: String(EVENTS), LOG_LEVEL: "silent" },
        ...{ DATABASE_URL: setup.database_url, DATA_DIR: setup.workshop.dir },
        ...{
          BASE_RPC_URL: setup.workshop.node.rpc_url,
          SIGNING_KEY: setup.signing_key,
          PAY_TO: PAYEE,
          GAS_KEY,
        },
        ...env,
      },
      stdio: ["ignore", "inherit", "inherit"],
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    expect((await sealedOf()).length).toBe(before + (step === "after it is recorded" ? 1 : 0));
    // Its lease expires.
    await until(async () => (await turn(other, reactor)).status !== "taken");
    const sealed = await sealedOf();
    expect(sealed.map(({ from }) => from)).toEqual(sealed.map((_, n) => n * EVENTS + 1));
    expect(sealed.length).toBeGreaterThan(before);
    // The dead process's file is the next one's: nothing is stored twice.
    expect(bucket.objects.size).toBe(sealed.length);
    expect(failing(await verify(await allFiles(), await restOf(sealed.length * EVENTS + 1)))).toEqual([]);
  },
);

test("an unavailable bucket stops only sealing, and is reported; sealing resumes when it is back", async () => {
  await grow(6);
  await anchorAll();
  const before = (await sealedOf()).length;
  bucket.misfortune = (text) => (text.startsWith("PUT") ? { status: 503, code: "SlowDown" } : undefined);
  expect(await turn(app, reactor)).toMatchObject({
    status: "unreached",
    reason: expect.stringContaining("503 SlowDown"),
  });
  expect(await sealedOf()).toHaveLength(before);
  bucket.misfortune = () => undefined;
  expect(await turn(app, reactor)).toEqual({ status: "done" });
  expect((await sealedOf()).length).toBeGreaterThan(before);
});

test("lists are public, files are the operator's only", async () => {
  const token = "an internal token of more than 32 characters";
  const service = await startService({
    beside: { data_dir: fresh(""), database_url: setup.database_url },
    env: { ...env, SIGNING_KEY: setup.signing_key, INTERNAL_TOKEN: token },
  });
  onTestFinished(() => service.stop());
  const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });
  const sealed = await sealedOf(service.app);
  const page = (await (await get("/log/segments?limit=2")).json()) as { next: number };
  expect(page).toMatchObject({ segments: sealed.slice(0, 2), next: sealed[1]!.from });
  const after = await (await get(`/log/segments?after=${page.next}&limit=200`)).json();
  expect((after as { segments: unknown }).segments).toEqual(sealed.slice(2));
  const { from, sha256, bytes } = sealed[1]!;
  expect((await get(`/log/segments/${from}`)).status).toBe(401);
  expect((await get(`/log/segments/${from}`, (await service.issue()).headers)).status).toBeGreaterThanOrEqual(
    401,
  );
  const internal = { "X-Internal-Token": token };
  const answer = await get(`/log/segments/${from}`, internal);
  expect(answer.headers.get("etag")).toContain(sha256);
  const path = fresh(".parquet");
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  expect(await digestOf(path)).toEqual({ sha256, bytes });
  const part = await get(`/log/segments/${from}`, { ...internal, Range: "bytes=0-3" });
  expect([part.status, await part.text()]).toEqual([206, "PAR1"]);
  expect((await get(`/log/segments/${from + 1}`, internal)).status).toBe(404);
  expect((await get(`/log/segments/${from}/proof?size=${from}`)).status).toBe(400);
  expect((await get(`/log/segments/${from}/proof?size=99999999`)).status).toBe(404);
});

describe("a backup", () => {
  const sources = async (by: App = app) => {
    const { origin } = await by.store.identity();
    return (await sealedOf(by)).map(({ from, to, sha256, bytes, log_hash }) => ({
      ...{ first: from, last: to, sha256, bytes, log_hash },
      write: async (path: string) => void (await by.objects.getFile(segments.objectOf(origin, sha256), path)),
    }));
  };
  const backUp = async (into: string) =>
    addToBackup(app.pool, into, { log_id: MAIN_LOG, beside: evidenceFor(app), segments: await sources() });
  const kinds = async (from: string) => (await readBackup(from))!.packs.map(({ file }) => file.split(".")[1]);

  test("has all segments, the rest as a pack, and a pack is replaced once it is sealed", async () => {
    const into = fresh("");
    const before = await addToBackup(app.pool, into, { log_id: MAIN_LOG, beside: evidenceFor(app) });
    expect(await kinds(into)).toEqual(["ndjson"]);
    await backUp(into);
    const sealed = (await sealedOf()).length;
    expect(await kinds(into)).toEqual([...Array(sealed).fill("parquet"), "ndjson"]);
    expect((await backUp(into)).added).toBe(0);
    await grow(7);
    expect((await backUp(into)).added).toBe(21);
    expect(await kinds(into)).toEqual([...Array(sealed).fill("parquet"), "ndjson", "ndjson"]);
    await anchorAll();
    await turn(app, reactor);
    await backUp(into);
    const { packs } = (await readBackup(into))!;
    expect(packs.filter(({ file }) => file.endsWith(".parquet")).length).toBe((await sealedOf()).length);
    expect((await readdir(into)).sort()).toEqual(["backup.json", ...packs.map(({ file }) => file)].sort());
    for (const { file, sha256, bytes } of packs)
      expect(await digestOf(join(into, file))).toEqual({ sha256, bytes });
    expect(before.backup.origin).toBe((await readBackup(into))!.origin);
  });

  test("is restored byte for byte with its segments, but not with a changed one", async () => {
    const into = fresh("");
    await backUp(into);
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const data_dir = fresh("");
    const config = patientConfig({
      DATABASE_URL: database.url,
      DATA_DIR: data_dir,
      SIGNING_KEY: setup.signing_key,
    });
    const [segment] = (await readBackup(into))!.packs;
    const path = join(into, segment!.file);
    const good = fresh(".parquet");
    await copyFile(path, good);
    const bytes = await readFile(path);
    bytes[400]! ^= 1;
    await writeFile(path, bytes);
    const silent = pino({ level: "silent" });
    await expect(restoreService(config, silent, into)).rejects.toThrow(`${segment!.file} was changed`);
    await copyFile(good, path);
    const restored = await restoreService(config, silent, into);
    expect(restored.contradiction).toBeNull();
    const pool = openPool(database.url);
    const all = "select e::text as row from eventstore.events e order by position";
    expect((await pool.query(all)).rows).toEqual((await app.pool.query(all)).rows);
    expect(await verifyDatabase(pool, MAIN_LOG)).toMatchObject({ ok: true });
    await pool.end();
    const again = await startService({
      beside: { data_dir, database_url: database.url },
      env: { SIGNING_KEY: setup.signing_key },
    });
    onTestFinished(() => again.stop());
    for (const one of await sealedOf(again.app)) {
      const { origin } = await again.app.store.identity();
      const found = await again.app.objects.localFile(segments.objectOf(origin, one.sha256));
      expect(await digestOf(found!.path)).toEqual({ sha256: one.sha256, bytes: one.bytes });
    }
  });
});

test("an event altered in the database is not sealed", async () => {
  await grow(6);
  const anchored = await anchorAll();
  const before = await sealedOf();
  const at = before.length * EVENTS + 2;
  expect(at).toBeLessThan(anchored - EVENTS);
  await app.pool.query("alter table eventstore.events disable trigger all");
  const { rows } = await app.pool.query("select payload from eventstore.events where position = $1", [at]);
  await app.pool.query("update eventstore.events set payload = payload || ' '::bytea where position = $1", [
    at,
  ]);
  expect(await sealTick(app, { events: EVENTS })).toMatchObject({
    status: "diverged",
    reason: expect.stringContaining(`the event at position ${at}: payload`),
  });
  await app.pool.query("update eventstore.events set payload = $2 where position = $1", [
    at,
    rows[0].payload,
  ]);
  expect(await sealTick(app, { events: EVENTS })).toBe("idle");
  expect((await sealedOf()).length).toBeGreaterThan(before.length);
});

test("a decision seals the next whole subtree, or nothing", () => {
  const hash = (digit: string) => digit.repeat(64);
  const one = {
    ...{ from: 1, to: 4, rows: 4, bytes: 10, sha256: hash("a") },
    ...{ prev_log_hash: hash("0"), log_hash: hash("1"), subtree_root: hash("2") },
  };
  const [event] = segments.seal(one)(segments.initialState());
  const state = segments.evolve(segments.initialState(), event!);
  expect(state).toEqual({ to: 4, log_hash: hash("1") });
  expect(segments.seal(one)(state)).toEqual([]);
  const next = { ...one, from: 5, to: 8, prev_log_hash: hash("1") };
  expect(segments.seal(next)(state)).toHaveLength(1);
  expect(() => segments.seal({ ...next, from: 9, to: 12 })(state)).toThrow("sealed up to 4");
  expect(() => segments.seal({ ...next, prev_log_hash: hash("3") })(state)).toThrow("another log hash");
  for (const bad of [{ to: 7 }, { to: 7, rows: 3 }, { to: 12, rows: 8 }])
    expect(() => segments.seal({ ...next, ...bad })(state)).toThrow("not a whole subtree");
});
