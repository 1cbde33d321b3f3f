/**
 * Two processes and a delegate: it stops with the commit that revokes it, and another process answers a killed
 * process's call.
 */
import { once } from "node:events";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { setSuspended } from "../../src/operator/agents.ts";
import { aroundCommits, typesOf } from "../support/around-commits.ts";
import { startProgram } from "../support/compiled.ts";
import { freshDatabase } from "../support/database.ts";
import { orderExamples } from "../support/ordered.ts";
import { impatiently } from "../support/patience.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { caller, delegation, evmKey, PROXIED } from "./agents.ts";

let first: Service & { database_url: string };
let second: Service;
let vault: Awaited<ReturnType<typeof freshDatabase>>;
const wallet = evmKey();
const CANCEL = "/v1/agent/orders/cancel";
let headers: Record<string, string>;

beforeAll(async () => {
  vault = await freshDatabase();
  first = await startService({ env: PROXIED, vault: vault.url });
  second = await startService({ env: PROXIED, vault: vault.url, beside: first });
  const api = caller(first.url);
  await api.post("/soul/register", { agent_id: "principal", ...(await api.proof(wallet, "principal")) });
  const { body } = await api.post("/soul/register", { agent_id: "helper", issue_api_key: true });
  await delegation(api, { by: wallet, from: "principal", to: "SX#2", scopes: ["order"], expires_in_s: 600 });
  await orderExamples(first.app, `wallet:${wallet.name.toLowerCase()}`);
  headers = { Authorization: `Bearer ${body.api_key}`, "On-Behalf-Of": "SX#1" };
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
  await vault?.drop();
});

/** The number of events of a type, and the position of the last. */
const eventsOf = async (type: string) =>
  (
    await first.app.pool.query<{ count: number; last: number }>(
      `select count(*)::int as count, coalesce(max(position), 0)::float8 as last from eventstore.events where type = $1`,
      [type],
    )
  ).rows[0]!;

test("a call for a principal that another process suspends is refused, even after admission", async () => {
  let suspended = false;
  const leaveAlone = aroundCommits(first.app.store, async (commit, send) => {
    if (!suspended && typesOf(commit).includes("OrderCancelled")) {
      suspended = true;
      await setSuspended(second.app, "SX#1", { suspended: true, reason: "asked" });
    }
    return send();
  });
  try {
    expect(await caller(first.url).post(CANCEL, { order_id: 1 }, headers)).toMatchObject({
      status: 409,
      body: { type: expect.stringContaining("#agent-suspended") },
    });
  } finally {
    leaveAlone();
  }
  expect(suspended).toBe(true);
  expect(await eventsOf("OrderCancelled")).toMatchObject({ count: 0 });
  await setSuspended(second.app, "SX#1", { suspended: false, reason: "sorted out" });
});

/** Calls a process that dies after it appends an event of this type. */
async function askDoomed(dies_after: string, ask: (url: string) => Promise<unknown>): Promise<void> {
  const child = startProgram("test/identity/doomed-service.ts", [], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: inject("runDir"),
      DIES_AFTER: dies_after,
      DATABASE: first.database_url,
      DATA_DIR: first.data_dir,
      VAULT: vault.url,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const ended = once(child, "exit");
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    await expect(ask(line.toString().trim())).rejects.toThrow();
    expect(await ended).toEqual([null, "SIGKILL"]);
  } finally {
    child.kill("SIGKILL");
  }
}

test("a delegate's call whose process is killed before the answer is the same call at another process", async () => {
  const named = { ...headers, "Idempotency-Key": "cancel-once" };
  const ask = (url: string) => caller(url).post(CANCEL, { order_id: 2 }, named);
  await askDoomed("OrderCancelled", ask);
  const answers = await Promise.all([ask(first.url), ask(second.url), ask(first.url)]);
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 200, body: { data: { status: "cancelled" } } });
  expect(await eventsOf("OrderCancelled")).toMatchObject({ count: 1 });
});

test("a registration whose process is killed before the answer returns the same passport and key at another", async () => {
  const named = { "Idempotency-Key": "ffeeddccbbaa99887766554433221100" };
  const body = { agent_id: "orphan", display_name: "Orphan", issue_api_key: true };
  const ask = (url: string) => caller(url).post("/soul/register", body, named);
  await askDoomed("AgentRegistered", ask);
  const [one, other] = await Promise.all([ask(first.url), ask(second.url)]);
  expect(one).toMatchObject({ status: 200, body: { is_new: true, passport: { sx_id: "SX#3" } } });
  expect(other).toEqual(one);
  const own = { Authorization: `Bearer ${one!.body.api_key}` };
  const history = () => caller(second.url).get("/soul/orphan/trust/history", own);
  // The killed process may have owned the projection lease: until another takes it, the key is not yet unknown.
  const answer = await until(async () => {
    const { status } = await history();
    return status !== 503 && status;
  });
  expect(answer).toBe(200);
  expect(await eventsOf("AgentRegistered")).toMatchObject({ count: 3 });
});

test("a key that the read model does not have yet is unknown only once that has caught up", async () => {
  const stuck = await first.app.pool.connect();
  try {
    await stuck.query("begin");
    await stuck.query("lock table read.access_keys_v1 in exclusive mode");
    const body = { agent_id: "early", issue_api_key: true };
    const { body: answer } = await caller(first.url).post("/soul/register", body);
    const own = { Authorization: `Bearer ${answer.api_key}` };
    const history = () => caller(first.url).get("/soul/early/trust/history", own);
    await impatiently(first.app, async () => expect(await history()).toMatchObject({ status: 503 }));
    await stuck.query("commit");
    expect(await until(async () => (await history()).status !== 503 && history())).toMatchObject({
      status: 200,
    });
  } finally {
    stuck.release(true);
  }
});
