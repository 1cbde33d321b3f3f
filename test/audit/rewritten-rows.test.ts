/** Rows rewritten below full tiles of the tree are neither exported nor backed up, and `anchor status` reports them. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventHash, logHash, payloadHash } from "../../eventstore/hash.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { storedPages } from "../../eventstore/verify/stored-rows.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { openTree } from "../../src/anchoring/tile-store.ts";
import { type AnchoringSetup, AT_ONCE, openAnchoringSetup } from "../anchoring/anchoring-setup.ts";
import { run } from "./run-command.ts";

let setup: AnchoringSetup;
let dir: string;
let env: Record<string, string>;

/** The first tile is full, and its events are signed. */
beforeAll(async () => {
  setup = await openAnchoringSetup();
  dir = await mkdtemp(join(tmpdir(), "tallystick-rewritten-"));
  await Promise.all(Array.from({ length: 260 }, () => setup.happen()));
  expect(await signTick(setup.app, AT_ONCE)).toBe("done");
  const { rows } = await setup.app.pool.query("select * from anchoring.tiles_v1");
  expect(rows).toHaveLength(1);
  env = { DATABASE_URL: setup.database_url, SIGNING_KEY: setup.signing_key, DATA_DIR: join(dir, "data") };
});
afterAll(async () => {
  await setup?.close();
  await rm(dir, { recursive: true, force: true });
});

/** With the owner's rights. */
async function asOwner(work: (query: (sql: string, values?: unknown[]) => Promise<unknown>) => unknown) {
  const client = await setup.app.pool.connect();
  await client.query("begin; set local session_replication_role = replica");
  await work((sql, values) => client.query(sql, values));
  await client.query("commit");
  client.release();
}

/** Until the test ends. */
async function changed(work: Parameters<typeof asOwner>[0]): Promise<void> {
  await asOwner((query) => query("create table kept as select * from eventstore.events"));
  onTestFinished(() =>
    asOwner(async (query) => {
      await query("delete from eventstore.events");
      await query("insert into eventstore.events select * from kept");
      await query("drop table kept");
    }),
  );
  await asOwner(work);
}

/** Another payload at a position, with all later hashes recomputed. */
const rewrite = (at: number) =>
  changed(async (query) => {
    const origin = await setup.origin();
    let previous = (await setup.app.store.headAt(at - 1))!.log_hash as Buffer;
    for await (const page of storedPages(setup.app.pool, { log_id: MAIN_LOG, after: at - 1, to: 1_000_000 }))
      for (const row of page) {
        const position = Number(row.position);
        const payload = position === at ? Buffer.from('{"rewritten":true}') : row.payload;
        const event_hash = eventHash({
          ...{ origin, tenant: row.tenant, stream_id: row.stream_id, version: Number(row.version) },
          ...{ event_id: row.event_id, type: row.type, schema_version: Number(row.schema_version) },
          ...{ recorded_at_us: Number(row.recorded_at_us), payload_hash: payloadHash(payload) },
          ...{ meta_hash: row.meta_hash, prev_hash: row.prev_hash },
        });
        expect(event_hash.equals(row.event_hash)).toBe(position !== at);
        previous = logHash(previous, position, event_hash);
        await query(
          `update eventstore.events set payload = $2, payload_hash = $3, event_hash = $4, log_hash = $5
            where position = $1`,
          [position, payload, payloadHash(payload), event_hash, previous],
        );
      }
  });

async function expectRefused(reason: RegExp): Promise<void> {
  for (const args of [
    ["export", join(dir, "log.ndjson")],
    ["backup", join(dir, "backup")],
  ]) {
    const { code, said } = await run(args, env);
    expect(said).toMatch(reason);
    expect(code).toBe(1);
  }
  const { said } = await run(["anchor", "status"], env);
  expect(said).toMatch(/^BROKEN /m);
  expect(said).toMatch(reason);
}

describe("a log with a full tile", () => {
  test("fails if its rows were rewritten with all their hashes", async () => {
    await rewrite(100);
    await expectRefused(/the first \d+ events are not those that were signed/);
  });

  test("fails if a row was edited without its hashes", async () => {
    await changed((query) =>
      query("update eventstore.events set payload = '{\"edited\":true}' where position = 100"),
    );
    await expectRefused(/the row at position 100 does not fit its hashes: payload_hash/);
  });

  test("fails if only its tile was changed", async () => {
    const { pool } = setup.app;
    await pool.query("update anchoring.tiles_v1 set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1)");
    onTestFinished(async () => {
      await pool.query("truncate anchoring.tiles_v1");
      await openTree(pool, MAIN_LOG).grow();
    });
    const { code, said } = await run(["export", join(dir, "log.ndjson")], env);
    expect(said).toMatch(/tile\/0\/000 does not match the hashes below it/);
    expect(code).toBe(1);
  });

  test("is exported and backed up as it was signed", async () => {
    expect((await run(["export", join(dir, "log.ndjson")], env)).code).toBe(0);
    expect((await run(["backup", join(dir, "backup")], env)).code).toBe(0);
    expect((await run(["anchor", "status"], env)).said).not.toContain("BROKEN");
  });
});
