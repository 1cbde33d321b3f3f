import { execFileSync, spawnSync } from "node:child_process";
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportLog } from "../../eventstore/files/export.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";
import { Folding } from "../../src/core/read-models/folding.ts";
import { decayed } from "../../src/domain/trust/decay.ts";
import { NOT_SPENT } from "../../src/domain/trust/rules.ts";
import { newestComputed } from "../../src/projections/trust/scores.ts";
import { trustProjection } from "../../src/projections/trust/trust.ts";
import { workDays } from "../../src/projections/trust/work.ts";
import { type Service, startService } from "../support/service.ts";
import { dayWith } from "../support/until.ts";
import { type Agency, agencyOf, walletOf } from "./agency.ts";
import { TRUST_VECTORS } from "./vectors.ts";

let service: Service;
let agency: Agency;
beforeAll(async () => {
  service = await startService();
  agency = agencyOf(service.app);
  await dayWith(120_000);
  day = Math.floor(Date.now() / DAY_MS);
  for (let n = 1; n <= 8; n++) await agency.register(n);
});
afterAll(() => service.stop());

/** Each computation is a minute after the one before, from the start of today. */
const DAY_MS = 86_400_000;
let day: number;
let minutes = 0;
const time = () => day * DAY_MS + minutes * 60_000;
async function scores(): Promise<Record<number, number>> {
  minutes += 1;
  expect(await agency.compute(time())).toEqual({ status: "done" });
  return agency.scores();
}

describe("evidence", () => {
  test("before the first, nothing is computed", async () => {
    expect(await scores()).toEqual({});
    expect(await newestComputed(service.app.pool)).toBeUndefined();
  });

  test("includes a wallet's payments, even from before its proof", async () => {
    await agency.pay(walletOf(1), 3);
    await agency.prove(1);
    expect(await scores()).toEqual({ 1: 3 });
    await agency.pay(walletOf(1), 1);
    expect(await scores()).toEqual({ 1: 4 });
  });

  test("excludes payments for attestations or goods", async () => {
    for (const operation of NOT_SPENT) await agency.pay(walletOf(1), 2, { operation });
    expect(await scores()).toEqual({ 1: 4 });
  });

  test("excludes a reverted or refunded payment until the chain has it again", async () => {
    const id = await agency.pay(walletOf(1), 0.5);
    expect(await scores()).toEqual({ 1: 4.5 });
    await agency.reorg(id);
    expect(await scores()).toEqual({ 1: 4 });
    await agency.settle(id, false);
    expect(await scores()).toEqual({ 1: 4.5 });
    const owing = await agency.pay(walletOf(1), 0.25, { answered: false });
    expect(await scores()).toEqual({ 1: 4.75 });
    await agency.refund(owing);
    expect(await scores()).toEqual({ 1: 4.5 });
  });

  test("excludes payments after a key's revocation, and never counts for two agents", async () => {
    const wallet = walletOf(200);
    await agency.prove(2, wallet);
    await agency.pay(wallet, 1);
    await agency.unprove(2, wallet);
    await agency.pay(wallet, 2);
    await agency.prove(3, wallet);
    expect(await scores()).toEqual({ 1: 4.5, 2: 1 });
    await agency.pay(wallet, 5);
    expect(await scores()).toEqual({ 1: 4.5, 2: 1, 3: 5 });
  });

  test("includes the newest attestation of a pair and skill until its attestor revokes it", async () => {
    await agency.attest(3, 4, 8);
    expect(await scores()).toMatchObject({ 3: 5, 4: 1 });
    const id = await agency.attest(3, 4, 4);
    await agency.attest(3, 4, 2, "speed");
    expect(await scores()).toMatchObject({ 4: 0.75 });
    await agency.takeBack(id, 3);
    expect(await scores()).toMatchObject({ 4: 0.25 });
    await expect(agency.takeBack(id, 1)).rejects.toThrow(/no such attestation/);
  });

  test("includes the operator's newest seed of a number", async () => {
    await agency.seed(5, 40);
    await agency.attest(5, 6, 10);
    expect(await scores()).toMatchObject({ 5: 40, 6: 10 });
    await agency.seed(5, 20);
    expect(await scores()).toMatchObject({ 5: 20, 6: 5 });
  });

  test("excludes attestations of a suspended or revoked agent, which keeps its own score", async () => {
    await agency.suspend(5);
    const silenced = await scores();
    expect(silenced).toMatchObject({ 5: 20 });
    expect(silenced).not.toHaveProperty("6");
    await agency.reinstate(5);
    expect(await scores()).toMatchObject({ 5: 20, 6: 5 });
    const wallet = walletOf(205);
    await agency.prove(5, wallet);
    await agency.revoke(5);
    // Payments of its wallets from now on belong to nobody.
    await agency.pay(wallet, 1);
    const revoked = await scores();
    expect(revoked).toMatchObject({ 5: 20 });
    expect(revoked).not.toHaveProperty("6");
  });
});

describe("a task", () => {
  test("counts when paid, up to the requester's spending", async () => {
    await agency.pay(walletOf(300), 0.5, { tenant: "acme" });
    await agency.task(7, "acme", "paid");
    expect(await scores()).toMatchObject({ 7: 2 });
    await agency.task(8, "acme", "paid");
    // Half a dollar and two fees of a cent allow 3.12 points, of which two are given.
    expect(await scores()).toMatchObject({ 7: 2, 8: 1.12 });
    await agency.task(7, "soul:7", "paid");
    expect(await scores()).toMatchObject({ 7: 2, 8: 1.12 });
  });

  test("costs points when our re-run refutes it, or its dispute is lost", async () => {
    await agency.seed(7, 40);
    expect(await scores()).toMatchObject({ 7: 42 });
    await agency.task(7, "acme", "refuted");
    expect(await scores()).toMatchObject({ 7: 32 });
    await agency.task(7, "acme", "lost");
    expect(await scores()).toMatchObject({ 7: 22 });
    await agency.seed(7, 0);
    expect(await scores()).not.toHaveProperty("7");
  });

  test("is measured, unless it is done for oneself", async () => {
    const { pool } = service.app;
    const [today] = await workDays(pool, { sx: 7, from: 0, to: 1e6 });
    expect(today).toMatchObject({ kept: 3, lost: 0, agreed: 0, differed: 1 });
    expect(today!.speed_ppm).toBe(3_000_000);
  });
});

const computations = async () => {
  const stream = { tenant: "operator", stream_id: "trust", limit: 1_000 };
  const events = await service.app.store.readStream(stream);
  return events.filter(({ type }) => type === "TrustComputed");
};

describe("a computation", () => {
  test("runs at most once a minute while evidence changes, and not otherwise", async () => {
    const before = (await computations()).length;
    await scores();
    expect((await computations()).length).toBe(before);
    await agency.pay(walletOf(1), 0.1);
    await scores();
    await agency.pay(walletOf(1), 0.1);
    await agency.compute(time() + 30_000);
    expect((await computations()).length).toBe(before + 1);
    await scores();
    expect((await computations()).length).toBe(before + 2);
  });

  test("runs when a day begins without changes: evidence is a day older", async () => {
    const before = await agency.scores();
    minutes += 24 * 60;
    const after = await scores();
    const sql = "select day from read.trust_evidence_v3 where sx = 3";
    const [paid] = (await service.app.pool.query<{ day: number }>(sql)).rows;
    expect(after[3]).toBe(decayed(5_000_000, day + 1, paid!.day) / 1_000_000);
    expect(before[3]).toBe(5);
    expect((await service.app.pool.query("select distinct day from read.trust_scores_v3")).rowCount).toBe(2);
  });
});

test("lost scores are computed again, the newest first, and stored only if they match the log's digest", async () => {
  const { pool } = service.app;
  const all = async () => (await pool.query("select * from read.trust_scores_v3 order by day, sx")).rows;
  const kept = await all();
  await pool.query("delete from read.trust_scores_v3");
  await pool.query("update read.trust_computed_v3 set kept = false");
  await agency.compute(time());
  expect(await all()).toEqual(kept.filter(({ day }) => day === kept.at(-1)!.day));
  await agency.compute(time());
  expect(await all()).toEqual(kept);
  await pool.query("update read.trust_computed_v3 set kept = false");
  await pool.query("update read.trust_evidence_v3 set points = points + 1");
  expect(await agency.compute(time())).toMatchObject({ status: "differs" });
  await pool.query("update read.trust_evidence_v3 set points = points - 1");
  await agency.compute(time());
  await agency.compute(time());
  expect(await all()).toEqual(kept);
});

const python = spawnSync("python3", ["--version"]).status === 0;
describe.skipIf(!python)(
  `docs/vectors/trust.py over an export${python ? "" : " (skipped: no python3 here)"}`,
  () => {
    const script = fileURLToPath(new URL("trust.py", TRUST_VECTORS));
    const dir = mkdtempSync(join(tmpdir(), "tallystick-trust-"));
    const file = join(dir, "export.ndjson");
    afterAll(() => rmSync(dir, { recursive: true }));
    const check = () => spawnSync("python3", [script, file], { encoding: "utf8" });

    test("computes every digest in the log", async () => {
      await exportLog(service.app.pool, { log_id: 1 }, createWriteStream(file));
      const { length } = await computations();
      expect(length).toBeGreaterThan(15);
      expect(execFileSync("python3", [script, file], { encoding: "utf8" })).toBe(
        `ok ${length} computations\n`,
      );
    });

    test("names the first digest that differs if any counted event is missing or changed", () => {
      const whole = readFileSync(file, "utf8");
      const lines = whole.trimEnd().split("\n");
      const counted = [
        ["PaymentSettled", "PaymentReorged", "RefundOpened", "AgentKeyProven", "AgentKeyRevoked"],
        ["AttestationMade", "AttestationRevoked", "TrustSeeded", "AgentSuspended", "AgentReinstated"],
        ["PassportRevoked", "TaskSettled", "TaskAudited", "NodeSlashed", "TaskDisputeDecided"],
      ].flat();
      const paid = lines.findIndex((line) => /"AccountCredited".*\\"source\\":\\"task:/.test(line));
      for (const type of [...counted, paid]) {
        const at =
          typeof type === "number" ? type : lines.findIndex((line) => line.includes(`"type":"${type}"`));
        expect(at, String(type)).toBeGreaterThan(0);
        writeFileSync(file, `${lines.filter((_, index) => index !== at).join("\n")}\n`);
        expect([type, check().stderr]).toEqual([type, expect.stringMatching(/^FAIL \w+ as of \d+/)]);
      }
    });
  },
);

test("the log gives the same rows however it is split into batches", async () => {
  const { pool, store } = service.app;
  const tables = [
    "edges",
    "evidence",
    "seeds",
    "silence",
    "agents",
    "wallets",
    "payments",
    "moved",
    "computed",
    "tasks",
    "requesters",
    "delegations",
    "work",
  ];
  const order = "order by (to_jsonb(t) - 'kept')::text";
  const client = await pool.connect();
  const rows = async (of: typeof client | typeof pool) => {
    const all: Record<string, object[]> = {};
    for (const table of tables)
      all[table] = (
        await of.query<{ row: object }>(
          `select to_jsonb(t) - 'kept' as row from read.trust_${table}_v3 t ${order}`,
        )
      ).rows.map(({ row }) => row);
    return all;
  };
  // The newest of an attestor, subject and skill counts, in one batch as in several.
  for (const weight of [1, 2, 3]) await agency.attest(7, 8, weight, "haste");
  await scores();
  const before = await rows(pool);
  const events: RecordedEvent[] = [];
  for (let page: RecordedEvent[]; (page = await store.readLog({ after: events.length })).length > 0; )
    events.push(...page);
  try {
    for (const size of [1, 7, events.length]) {
      await client.query("begin");
      await client.query(`truncate ${tables.map((table) => `read.trust_${table}_v3`).join(", ")}`);
      const folding = new Folding(store.schemas!);
      for (let from = 0; from < events.length; from += size)
        await folding.of(trustProjection, events.slice(from, from + size))?.(client);
      expect(await rows(client)).toEqual(before);
      await client.query("rollback");
    }
  } finally {
    client.release(true);
  }
});
