/**
 * A service whose log lost signed events refuses to write or sell, and says why; reads continue, and writes resume
 * once the events are back.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import type { App } from "../../src/core/app.ts";
import * as apiKey from "../../src/domain/access/key.ts";
import { AT_ONCE } from "../anchoring/anchoring-setup.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { facts, sampleOperations } from "../payments/sample-operations.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { turnOf } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

let workshop: Workshop;
let service: Service & { database_url: string };
let pool: pg.Pool;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({
    operations: sampleOperations,
    chain,
    env: { OPEN_CALLS_PER_MINUTE: "100000" },
  });
  pool = new pg.Pool({ connectionString: service.database_url, max: 1 });
});
afterAll(async () => {
  await pool?.end();
  await service?.stop();
  await workshop?.close();
});

/** Acts with the owner's rights. */
async function asOwner(sql: string): Promise<void> {
  await pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
}

const echo = () => `${service.url}/v1/agent/test/echo?say=hello`;
const order = (name: string, headers: Record<string, string>) =>
  fetch(`${service.url}/v1/agent/test/order`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ name }),
  });
const read = async (path: string) => {
  const answer = await fetch(service.url + path);
  return { status: answer.status, body: (await answer.json()) as Record<string, never> };
};

/** Runs `work` while the log lacks the last signed event, and then restores it. */
async function whileCut(work: () => Promise<void>, { app: other } = service): Promise<void> {
  const { app } = service;
  const { position: left } = await app.store.head();
  await service.issue();
  expect(await signTick(app, AT_ONCE)).toBe("done");
  // Every process has the signed size before its events are lost.
  const { position: head } = await app.store.head();
  await until(async () => app.tail.position >= head && other.tail.position >= head);
  await asOwner(`create table kept as select * from eventstore.events where position > ${left};
    delete from eventstore.events where position > ${left}`);
  try {
    await work();
    expect((await app.store.head()).position).toBe(left);
  } finally {
    await asOwner("insert into eventstore.events select * from kept; drop table kept");
  }
}

const cli = promisify(execFile);
const bin = new URL("../../bin/tallystick", import.meta.url).pathname;

/** An operator's command on the same machine, and its refusal. */
const refusedCommand = (...args: string[]): Promise<{ code: number; stderr: string }> => {
  const { PATH } = process.env;
  const env = { PATH, DATABASE_URL: service.database_url, DATA_DIR: service.data_dir, LOG_LEVEL: "silent" };
  return cli(process.execPath, [bin, ...args], { env }).then(
    ({ stdout }) => expect.unreachable(stdout),
    (error) => error,
  );
};

test("nothing is recorded or sold once the log contradicts its signed heads", async () => {
  const { headers } = await service.issue({ tenant: "acme" });
  expect((await order("before", headers)).status).toBe(201);
  const quote = await quoteOf(echo());
  const paid = await signPayment(wallet(1), quote);
  await whileCut(async () => {
    const refused = await order("after", headers);
    expect(await refused.json()).toMatchObject({
      type: expect.stringMatching(/log-contradicted$/),
      detail: expect.stringMatching(/it was cut; the service records and sells nothing/),
    });
    expect((await fetch(echo())).status).toBe(503);
    const presented = await present(echo(), paid);
    expect(presented.status).toBe(503);
    expect(await presented.text()).toContain("log-contradicted");

    expect(await read("/ready")).toMatchObject({
      status: 503,
      body: { status: "not ready", log: { contradiction: expect.stringContaining("it was cut") } },
    });
    expect((await read("/v1/agent/health")).body).toMatchObject({
      data: { status: "contradicted", log: { contradiction: expect.stringContaining("it was cut") } },
    });
    expect((await read("/log/status")).body).toMatchObject({
      contradiction: expect.stringContaining("it was cut"),
    });
    expect((await fetch(echo(), { headers })).status).toBe(200);
  });
  expect((await order("after", headers)).status).toBe(201);
});

test("neither a reactor nor a process that signs nothing appends, and a reactor sends nothing", async () => {
  const other = await startService({ database_url: service.database_url });
  onTestFinished(() => other.stop());
  const record = (app: App) =>
    app.decide(apiKey, { tenant: "acme", id: "k_turn" }, apiKey.issue(facts("k_turn")), {
      meta: { actor: "reactor:test", operation: "test" },
    });
  await other.issue();
  await whileCut(async () => {
    const { app } = service;
    const recording = await turnOf(app, "test", ({ app: own }) => record(own).then(() => "done"));
    expect(recording).toMatchObject({ status: "failed", reason: expect.stringContaining("it was cut") });
    const call = { to: PAYEE, data: "0x" as const };
    const sending = await turnOf(app, "test", ({ app: own }) =>
      own.chain.send(call, { purpose: "anchor", gas: 21_000n }).then(() => "done"),
    );
    expect(sending).toMatchObject({ status: "failed", reason: expect.stringContaining("it was cut") });
    await expect(record(other.app)).rejects.toMatchObject({ type: { slug: "log-contradicted" } });
  }, other);
  expect((await record(other.app)).events).toHaveLength(1);
});

test("the operator's commands append nothing to a contradicted log", async () => {
  await whileCut(async () => {
    const issued = await refusedCommand("keys", "issue", "--tenant", "acme");
    expect(issued.stderr).toMatch(/it was cut; the service records and sells nothing/);
    expect(issued.code).toBeGreaterThan(0);
    const imported = await refusedCommand("import", new URL(import.meta.url).pathname);
    expect(imported.stderr).toMatch(/it was cut; the service records and sells nothing/);
    expect(imported.code).toBeGreaterThan(0);
  });
});

test("a rewritten log takes no appends, though its tree is the signed one", async () => {
  const { app } = service;
  expect((await app.accepting.contradiction()) ?? "none").toBe("none");
  await asOwner(`create table kept as select * from eventstore.events where position > 1;
    update eventstore.events set log_hash = sha256(log_hash) where position > 1`);
  await expect(service.issue()).rejects.toMatchObject({
    type: { slug: "log-contradicted" },
    message: expect.stringContaining("are not those that were signed"),
  });
  await asOwner(`update eventstore.events e set log_hash = k.log_hash from kept k
    where k.log_id = e.log_id and k.position = e.position; drop table kept`);
  await service.issue();
});

test("a log that cannot be compared with its signed heads takes no appends until it can", async () => {
  await asOwner("alter table anchoring.tiles_v1 rename to tiles_gone");
  const fresh = await startService({ operations: sampleOperations, beside: service });
  onTestFinished(() => fresh.stop());
  const { position } = await service.app.store.head();
  const refused = await fresh.issue().catch((error: unknown) => error);
  expect(refused).toMatchObject({ type: { slug: "log-unchecked" }, code: "unavailable" });
  const ready = await fetch(`${fresh.url}/ready`);
  expect(await ready.json()).toMatchObject({ status: "not ready", log: { up: true, checked: false } });
  expect((await service.app.store.head()).position).toBe(position);
  await asOwner("alter table anchoring.tiles_gone rename to tiles_v1");
  await fresh.issue();
});
