import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportFile, exportLog, exportStream } from "../../eventstore/files/export.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { openExport, verifyExport } from "../../eventstore/verify/verify-export.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { exportLines, LogBuilder, type LogRow, logGenesis, streamExportLines } from "./log-builder.ts";
import { failures, verifyBytes } from "./verify-support.ts";

const ORIGIN = "log.test/main/e1";
const OTHER = "log.test/second/e1";

/** The tables in the form of docs/event-log.md. */
const TABLES = `
  create schema eventstore;
  create table eventstore.logs (
    log_id int primary key, origin text not null, epoch text not null, created_at timestamptz not null default now());
  create table eventstore.events (
    log_id int not null, position int8 not null, tenant text not null, stream_id text not null, version int8 not null,
    event_id uuid not null, type text not null, schema_version int4 not null, recorded_at_us int8 not null,
    payload bytea not null, meta bytea not null, payload_hash bytea not null, meta_hash bytea not null,
    prev_hash bytea not null, event_hash bytea not null, log_hash bytea not null,
    idem_key text, request_hash bytea, commit_size int4,
    primary key (log_id, position), unique (log_id, tenant, stream_id, version));`;

/** Two events per commit, 700 commits, so that reading takes several pages; every hundredth payload is large. */
function rows(origin: string): LogRow[] {
  const builder = new LogBuilder(origin);
  return Array.from({ length: 700 }, (_, i) =>
    builder.append({
      recorded_at_us: 1_767_225_600_000_000 + i,
      idempotency:
        i % 2
          ? { idem_key: `k${i}`, request_hash: createHash("sha256").update(`${i}`).digest("hex") }
          : undefined,
      events: [i, i + 1].map((n, k) => ({
        tenant: `t${n % 3}`,
        stream_id: `s${n % 40}`,
        event_id: `019b76da-a800-7000-8000-${String(i * 2 + k).padStart(12, "0")}`,
        type: "Changed",
        payload: { n, text: n % 100 ? "Ā😀\n" : "x".repeat(200_000) },
      })),
    }),
  ).flat();
}

let database: FreshDatabase;
let pool: pg.Pool;
const main = rows(ORIGIN);

beforeAll(async () => {
  database = await freshDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on("error", () => {});
  await pool.query(TABLES);
  await fill(1, ORIGIN, main);
  await fill(2, OTHER, rows(OTHER).slice(0, 4));
  await fill(3, "log.test/empty/e1", []);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function fill(log_id: number, origin: string, log: LogRow[]) {
  await pool.query("insert into eventstore.logs values ($1, $2, 'e1')", [log_id, origin]);
  await pool.query(
    `insert into eventstore.events
     select $1, position, tenant, stream_id, version, event_id, type, schema_version, recorded_at_us,
            convert_to(payload, 'UTF8'), convert_to(meta, 'UTF8'), decode(payload_hash, 'hex'), decode(meta_hash, 'hex'),
            decode(prev_hash, 'hex'), decode(event_hash, 'hex'), decode(log_hash, 'hex'),
            idem_key, decode(request_hash, 'hex'), commit_size
       from json_to_recordset($2) as r(position int8, tenant text, stream_id text, version int8, event_id uuid, type text,
            schema_version int4, recorded_at_us int8, payload text, meta text, payload_hash text, meta_hash text,
            prev_hash text, event_hash text, log_hash text, idem_key text, request_hash text, commit_size int4)`,
    [log_id, JSON.stringify(log)],
  );
}

/** Runs with a changed database and reverts the change. */
async function changed<Result>(sql: string, run: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
  const one = new pg.Pool({ connectionString: database.url, max: 1 });
  try {
    await one.query(`begin; ${sql}`);
    return await run(one);
  } finally {
    await one.query("rollback");
    await one.end();
  }
}

const withoutTime = (text: string) => text.replace(/"exported_at":"[^"]*"/, "");

async function collect(write: (writable: Writable) => Promise<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  const writable = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      setImmediate(done);
    },
  });
  await write(writable);
  return Buffer.concat(chunks).toString("utf8");
}

describe("the database", () => {
  test("verifies, each log separately", async () => {
    const head = main.at(-1)!;
    const held = { heads: [{ position: head.position, hash_prefix: head.log_hash }], origin: ORIGIN };
    expect(await verifyDatabase(pool, 1, held)).toMatchObject({
      ok: true,
      events: 1400,
      head: { hash: head.log_hash },
    });
    expect(await verifyDatabase(pool, 2)).toMatchObject({ ok: true, events: 4 });
    expect(await verifyDatabase(pool, 3)).toMatchObject({ ok: true, events: 0, head: null });
  });

  test("reports an unknown log", async () => {
    const report = await verifyDatabase(pool, 9);
    expect(report.verdicts[0]).toMatchObject({ ok: false, reason: "eventstore.logs has no log 9" });
  });

  test.each([
    ["update eventstore.events set payload = '{}' where log_id = 1 and position = 700", { chain: 700 }],
    ["update eventstore.events set payload = '\\xff' where log_id = 1 and position = 700", { format: 700 }],
    ["update eventstore.events set type = 'changed' where log_id = 1 and position = 1400", { chain: 1400 }],
    ["update eventstore.events set tenant = 't9' where log_id = 1 and position = 700", { chain: 700 }],
    ["update eventstore.events set idem_key = 'other' where log_id = 1 and position = 3", { commits: 3 }],
    ["update eventstore.events set request_hash = null where log_id = 1 and position = 3", { commits: 3 }],
    ["update eventstore.events set commit_size = 1 where log_id = 1 and position = 2", { commits: 2 }],
    [
      "update eventstore.events set event_hash = '\\x00' where log_id = 1 and position = 700",
      { format: 700 },
    ],
    [
      "update eventstore.events set version = -1 where log_id = 1 and position = 1400",
      { format: 1400, commits: 1400 },
    ],
    ["update eventstore.events set position = 0 where log_id = 1 and position = 1", { format: 1 }],
    ["delete from eventstore.events where log_id = 1 and position = 1", { order: 1, commits: 1 }],
    ["update eventstore.logs set epoch = 'e2' where log_id = 1", { completeness: 1 }],
    ["update eventstore.logs set origin = 'x/y/e1' where log_id = 1", { chain: 1, order: 1 }],
  ])("%s", async (sql, fails) => {
    const report = await changed(sql, (one) => verifyDatabase(one, 1));
    expect(failures(report)).toMatchObject(fails);
    expect(report.ok).toBe(false);
  });

  const copyOf = (position: string, tenant: string) => `
    insert into eventstore.events select log_id, ${position}, ${tenant}, 'hidden', version, event_id, type, schema_version,
      recorded_at_us, payload, meta, payload_hash, meta_hash, prev_hash, event_hash, log_hash
    from eventstore.events where log_id = 1 and position = 64`;

  test.each([
    ["a second row at the end of a page", "drop constraint events_pkey", copyOf("64", "tenant")],
    [
      "a row without position",
      "drop constraint events_pkey, alter position drop not null",
      copyOf("null", "tenant"),
    ],
    ["a row without tenant", "alter tenant drop not null", copyOf("1401", "null")],
  ])("%s, after its constraint was dropped, fails the format verdict", async (_what, alter, insert) => {
    const report = await changed(`alter table eventstore.events ${alter}; ${insert}`, (one) =>
      verifyDatabase(one, 1),
    );
    expect(failures(report)).toHaveProperty("format");
  });

  test("a truncated end is detected only with a known head", async () => {
    const cut = "delete from eventstore.events where log_id = 1 and position > 1398";
    const heads = [{ position: 1400, hash_prefix: main.at(-1)!.log_hash }];
    expect(failures(await changed(cut, (one) => verifyDatabase(one, 1)))).toEqual({});
    expect(failures(await changed(cut, (one) => verifyDatabase(one, 1, { heads })))).toEqual({
      completeness: 1399,
    });
  });
});

describe("an export", () => {
  test("of a log matches the text, and verifies", async () => {
    const text = await collect((writable) => exportLog(pool, { log_id: 1 }, writable));
    expect(withoutTime(text)).toBe(withoutTime(`${exportLines(ORIGIN, main).join("\n")}\n`));
    expect((await verifyBytes(text)).ok).toBe(true);
  });

  test("of a part ends with a commit and verifies against the head before it", async () => {
    const text = await collect((writable) => exportLog(pool, { log_id: 1, from: 101, to: 1001 }, writable));
    const heads = [main[99]!, main[1001]!].map(({ position, log_hash }) => ({
      position,
      hash_prefix: log_hash,
    }));
    const report = await verifyBytes(text, { heads });
    expect(report).toMatchObject({ ok: true, events: 902, head: { position: 1002 } });
    expect(report.verdicts.at(-1)!.detail).toContain("begins at 101");
  });

  test("of an empty log verifies", async () => {
    const text = await collect((writable) => exportLog(pool, { log_id: 3 }, writable));
    expect(await verifyBytes(text)).toMatchObject({ ok: true, events: 0 });
    expect(text).toContain(logGenesis("log.test/empty/e1").toString("hex"));
  });

  test("of one stream matches the text, and verifies", async () => {
    const text = await collect((writable) =>
      exportStream(pool, { log_id: 1, tenant: "t1", stream_id: "s1" }, writable),
    );
    expect(withoutTime(text)).toBe(
      withoutTime(`${streamExportLines(ORIGIN, main, "t1", "s1").join("\n")}\n`),
    );
    expect(await verifyBytes(text)).toMatchObject({ ok: true, streams: 1 });
  });

  test("is gzipped if the file's name says so", async () => {
    const dir = await mkdtemp(join(tmpdir(), "tallystick-export-"));
    try {
      const plain = join(dir, "log.ndjson");
      await exportFile(pool, { log_id: 1 }, plain);
      await exportFile(pool, { log_id: 1 }, `${plain}.gz`);
      expect((await readFile(`${plain}.gz`)).length).toBeLessThan((await readFile(plain)).length / 3);
      for (const path of [plain, `${plain}.gz`])
        expect(await verifyExport(openExport(path))).toMatchObject({ ok: true, events: 1400 });
      await expect(exportFile(pool, { log_id: 1 }, plain)).rejects.toThrow(/EEXIST/);
      const nowhere = createWriteStream(join(dir, "missing", "log.ndjson"));
      await expect(exportLog(pool, { log_id: 1 }, nowhere)).rejects.toThrow();
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  test("includes what existed at its start", async () => {
    const tables = "insert into eventstore.events select * from late";
    const text = await changed(
      "create temp table late as select * from eventstore.events where log_id = 1 and position > 1000; delete from eventstore.events where log_id = 1 and position > 1000",
      (one) =>
        collect(async (writable) => {
          const running = exportLog(one, { log_id: 1 }, writable);
          writable.once("drain", () => void one.query(tables));
          await running;
        }),
    );
    expect(await verifyBytes(text)).toMatchObject({ ok: true, events: 1000 });
  });

  test("refuses a missing log or range", async () => {
    const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
    await expect(exportLog(pool, { log_id: 9 }, nowhere())).rejects.toThrow("there is no log 9");
    await expect(exportLog(pool, { log_id: 1, from: 1402 }, nowhere())).rejects.toThrow(/from is 1402/);
    await expect(exportLog(pool, { log_id: 1, to: 1401 }, nowhere())).rejects.toThrow(/to is 1401/);
    await expect(exportStream(pool, { log_id: 1, tenant: "t", stream_id: "s" }, nowhere())).rejects.toThrow(
      /no stream "s"/,
    );
  });

  test("fails when its reader leaves", async () => {
    const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error("the disk is full")) });
    await expect(exportLog(pool, { log_id: 1 }, gone)).rejects.toThrow("the disk is full");
  });
});
