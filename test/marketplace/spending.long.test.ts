/** A delegate spends of its principal's account what its delegation lets it, however many calls at however many processes. */
import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as account from "../../src/domain/payments/account.ts";
import { delegation, evmKey } from "../identity/agents.ts";
import { startProgram } from "../support/compiled.ts";
import { scaled } from "../support/scale.ts";
import { kindOf, type MarketSetup, openMarketSetup, type TestAgent } from "./market-setup.ts";

const CALLS = scaled(24, 4);

let setup: MarketSetup;
let child: ChildProcess;
let urls: string[];
let principal: TestAgent;
let delegate: TestAgent;
const key = evmKey();
beforeAll(async () => {
  setup = await openMarketSetup();
  const { database_url, data_dir, url } = setup.service;
  child = startProgram("test/marketplace/second-process.ts", [], {
    env: { PATH: process.env.PATH, DATABASE: database_url, DATA: data_dir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  principal = await setup.agent("principal");
  delegate = await setup.agent("delegate");
  const { post, proof } = setup.api;
  await post("/soul/principal/keys", await proof(key, "principal"), principal.headers);
  await setup.credited(principal.tenant, 10_000_000);
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  urls = [url, line.toString().trim()];
});
afterAll(async () => {
  child?.kill("SIGKILL");
  await setup?.service.stop();
});

const delegateSpending = (max_spend_usdc?: string) =>
  delegation(setup.api, {
    by: key,
    from: "principal",
    to: `SX#${delegate.sx}`,
    scopes: ["order"],
    expires_in_s: 3_600,
    ...(max_spend_usdc !== undefined && { max_spend_usdc }),
  });

const acting = () => ({ ...delegate.headers, "On-Behalf-Of": `SX#${principal.sx}` });
const task = { task_type: "translate", input_data: {}, max_price_usd: 0.1 };
const submits = (url?: string) => setup.ask(acting(), "/soul/compute/submit", task, url);
const heldBy = async (delegation_id: string) =>
  (await setup.account(principal.tenant)).delegated.get(delegation_id) ?? 0;

test("a delegation without an amount allows no spending", async () => {
  await delegateSpending();
  expect(kindOf(await submits())).toEqual([403, "delegation-spent"]);
  const request = { title: "On behalf of another", reward_usd: 1 };
  expect(kindOf(await setup.ask(acting(), "/soul/bounties", request))).toEqual([403, "delegation-spent"]);
  expect(await setup.account(principal.tenant)).toMatchObject({ available: 10_000_000, held: 0 });
});

test("the signed amount counts: another one is refused", async () => {
  const { post, proof } = setup.api;
  const wanted = { to: `SX#${delegate.sx}`, scopes: ["order"], expires_in_s: 3_600 };
  const text = JSON.stringify({
    agent_id: "principal",
    expires_in_s: 3_600,
    max_spend_usdc: "1",
    scopes: ["order"],
    to: wanted.to,
  });
  const signed = await proof(key, "principal", "delegate", createHash("sha256").update(text).digest("hex"));
  const answer = await post("/soul/principal/delegations", { ...wanted, max_spend_usdc: "100", ...signed });
  expect(answer.status).toBe(400);
});

test("concurrent calls at two processes spend at most the allowance, to the micro-unit", async () => {
  const delegation_id = await delegateSpending("1.00");
  const results = await Promise.all(Array.from({ length: CALLS }, (_, n) => submits(urls[n % 2])));
  const held = results.filter(({ status }) => status === 201);
  expect(held.length).toBe(10);
  expect(new Set(results.filter(({ status }) => status !== 201).map((one) => kindOf(one).join(" ")))).toEqual(
    new Set(["403 delegation-spent"]),
  );
  expect(await heldBy(delegation_id)).toBe(1_000_000);
  const holds = await setup.app.store.readStream({
    tenant: principal.tenant,
    stream_id: account.streamOf(principal.tenant),
  });
  const by = holds.filter(({ type }) => type === "AccountHeld").map(({ payload }) => payload.delegation_id);
  expect(by).toEqual(Array.from({ length: 10 }, () => delegation_id));

  // Refunded money can be spent by the delegate again.
  const { task_id } = held[0]!.body;
  expect((await setup.ask(acting(), "/soul/compute/cancel", { task_id })).status).toBe(200);
  expect(await heldBy(delegation_id)).toBe(900_000);
  expect((await submits(urls[1])).status).toBe(201);
  expect(kindOf(await submits(urls[0]))).toEqual([403, "delegation-spent"]);
  // The principal's own spending is counted against nobody.
  expect((await setup.ask(principal.headers, "/soul/compute/submit", task)).status).toBe(201);
});

test("a delegate opens and funds bounties by its delegation, and its own payments are its own", async () => {
  const delegation_id = await delegateSpending("1.50");
  const opened = await setup.ask(acting(), "/soul/bounties", { title: "On behalf", reward_usd: 0.75 });
  expect(opened.body).toMatchObject({ status: "open", creator: `SX#${principal.sx}` });
  expect(await heldBy(delegation_id)).toBe(750_000);
  const unfunded = await setup.ask({}, "/soul/bounties", { title: "To be funded", reward_usd: 0.8 });
  const path = `/soul/bounties/${unfunded.body.bounty_id}/fund`;
  expect(kindOf(await setup.ask(acting(), path, { reward_usd: 0.8 }))).toEqual([403, "delegation-spent"]);
  const paying = { ...acting(), "X-PAYMENT": "e30=" };
  expect((await setup.ask(paying, path, { reward_usd: 0.8 })).status).toBe(400);
  const shown = await setup.ask({}, `/soul/passport/${principal.sx}`);
  expect(shown.body.delegations.at(-1)).toMatchObject({ delegation_id, max_spend_usdc: "1.50" });
});

test("a delegate cannot award or withdraw money that its principal has reserved", async () => {
  await delegateSpending("1.50");
  const claimed = async (headers: Record<string, string>) => {
    const { body } = await setup.ask(headers, "/soul/bounties", { title: "A task", reward_usd: 0.2 });
    const path = `/soul/bounties/${body.bounty_id}`;
    const { claim_id } = (await setup.ask(delegate.headers, `${path}/claim`, {})).body;
    await setup.ask(delegate.headers, `${path}/submit`, { content: "Done." });
    return () => setup.ask(acting(), `${path}/award`, { claim_id });
  };
  const award = await claimed(principal.headers);
  expect(kindOf(await award())).toEqual([403, "forbidden"]);
  const before = (await setup.account(principal.tenant)).available;
  const to = "0x".padEnd(42, "d");
  const withdrawn = await setup.ask(acting(), "/soul/compute/withdraw", { amount_usdc: 1, to });
  expect(kindOf(withdrawn)).toEqual([403, "forbidden"]);
  expect((await setup.account(principal.tenant)).available).toBe(before);
});
