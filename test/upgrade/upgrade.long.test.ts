/**
 * The current code opens the databases of earlier releases. Each folder in fixture/ has a database and an export that make.ts
 * recorded with a release, and the answers of that release. Add one before each release; never change one.
 */
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportFile } from "../../eventstore/files/export.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { openExport } from "../../eventstore/verify/verify-export.ts";
import { parseVerifierKey } from "../../src/anchoring/note.ts";
import { areas } from "../../src/areas/index.ts";
import { verifyPack } from "../../src/audit/verify-pack.ts";
import { listKeys } from "../../src/projections/access/keys.ts";
import { MOST_RECENT } from "../../src/projections/anchoring/streams.ts";
import { currentReferences } from "../../src/projections/reference/releases.ts";
import { currentReleases } from "../../src/projections/trade/releases.ts";
import { recoverKey } from "../../src/runtime/assemble-audit.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { type Service, startService } from "../support/service.ts";

type ReleaseFixture = {
  settings: Record<string, string>;
  secret: string;
  answers: { path: string; answer: string }[];
};

const fixtures = new URL("fixture/", import.meta.url).pathname;

describe.each(await readdir(fixtures))("a database of version %s", (release) => {
  const pathOf = (name: string) => join(fixtures, release, name);
  let result: ReleaseFixture;
  let database: FreshDatabase;
  let service: Service & { database_url: string };
  /** The log before today's code has changed it. */
  let before: { digest: string; head: number };

  beforeAll(async () => {
    result = JSON.parse(await readFile(pathOf("told.json"), "utf8"));
    database = await freshDatabase();
    const dump = gunzipSync(await readFile(pathOf("database.sql.gz"))).toString();
    before = await withClient(database.url, async (client) => {
      await client.query(dump);
      return contentOf(client);
    });
    service = await startService({ database_url: database.url, chain: "embedded", env: result.settings });
    const { position } = await service.app.store.head();
    for (const projection of areas.flatMap(({ projections }) => projections))
      expect(await service.app.runner.reached(projection, position, 60_000), projection.name).toBe(true);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const headers = () => ({ Authorization: `Bearer ${result.secret}`, "Content-Type": "application/json" });
  const ask = async (path: string, body?: object): Promise<string> => {
    const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const answer = await fetch(service.url + path, { ...init, headers: headers() });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    return text;
  };

  test("repeats the answers of that version", async () => {
    for (const { path, answer } of result.answers)
      expect(linesOf(await ask(path)), path).toMatchObject(linesOf(answer));
  });

  test("has complete read models", async () => {
    const { pool } = service.app;
    const keys = await listKeys(pool, { tenant: "acme", limit: 10 });
    expect(keys.map(({ revoked_at }) => revoked_at === null).sort()).toEqual([false, true]);
    expect((await currentReleases(pool)).map(({ dataset }) => dataset).sort()).toEqual([
      "sandbox",
      "sandbox-lv",
    ]);
    expect((await currentReferences(pool)).length).toBeGreaterThan(5);
    const { rows } = await pool.query<{ streams: object[]; counted: object[] }>(
      `select (select jsonb_agg(s order by s) from (select tenant, stream_id, max(version) as events,
                 max(position) as last_position from eventstore.events group by 1, 2 order by 4 desc limit ${MOST_RECENT}) s) as streams,
              (select jsonb_agg(s order by s) from (select tenant, stream_id, events,
                 last_position from read.log_streams_v2) s) as counted`,
    );
    expect(rows[0]!.counted).toEqual(rows[0]!.streams);
    const { anchors } = JSON.parse(await ask("/log/anchors")) as { anchors: object[] };
    expect(anchors.length).toBeGreaterThan(0);
  });

  test("takes further commands, which are decided on its events and verified with them", async () => {
    const [first] = factsAt<{ roll_id: string }[]>("/v1/agent/rng/history");
    const proven = JSON.parse(await ask("/v1/agent/rng/verify", { roll_id: first!.roll_id }));
    expect(proven.data).toMatchObject({ valid: true });
    const open = factsAt<{ check_id: string; from: string; status: string }[]>("/v1/agent/checks/list").find(
      ({ status }) => status === "pending",
    );
    await ask("/v1/agent/checks/cancel", { check_id: open!.check_id, issuer_address: open!.from });
    const checks = JSON.parse(await ask("/v1/agent/checks/list")) as { data: { status: string }[] };
    expect(checks.data.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    expect((await service.app.store.head()).position).toBe(before.head + 1);
    expect(await verifyDatabase(service.app.pool, MAIN_LOG)).toMatchObject({ ok: true });
  });

  test("has the same bytes: the old export verifies, and a new one has the same events", async () => {
    const key = parseVerifierKey((await ask("/log/key")).trimEnd());
    const options = { key, origin: (await service.app.store.identity()).origin, recover: recoverKey };
    expect(await verifyPack(openExport(pathOf("log.ndjson.gz")), options)).toMatchObject({ ok: true });
    expect(await withClient(database.url, (client) => contentOf(client, before.head))).toEqual(before);
    const dir = await mkdtemp(join(tmpdir(), "tallystick-upgrade-"));
    try {
      const today = join(dir, "log.ndjson.gz");
      await exportFile(service.app.pool, { log_id: MAIN_LOG, to: before.head }, today);
      expect(await eventsIn(today)).toEqual(await eventsIn(pathOf("log.ndjson.gz")));
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });

  const factsAt = <T>(path: string): T =>
    JSON.parse(result.answers.find((one) => one.path === path)!.answer).data as T;
});

/** These follow the head of the log, which grows between two answers. */
const MOMENT = ["served_at", "as_of_position", "cursor"];

/** JSON, or a line each; without the moment of the answer. */
const linesOf = (text: string): object[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line, (name, value) => (MOMENT.includes(name) ? undefined : value)));

/** The lines of an export that are events. */
const eventsIn = async (path: string): Promise<string[]> =>
  gunzipSync(await readFile(path))
    .toString()
    .split("\n")
    .filter((line) => line.includes('"event_hash":'));

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A digest of all columns of the log up to a position. Default: the whole log. */
async function contentOf(client: pg.Client, to = 2 ** 31): Promise<{ digest: string; head: number }> {
  const { rows } = await client.query<{ place: number; line: string }>(
    "select e.position::float8 as place, e::text as line from eventstore.events e where e.position <= $1 order by e.position",
    [to],
  );
  const digest = createHash("sha256")
    .update(rows.map(({ line }) => line).join("\n"))
    .digest("hex");
  return { digest, head: rows.at(-1)!.place };
}
