/** An airdrop is paid once or not at all, whatever faults the node and the chain have. */
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { gasRecord } from "../../src/adapters/gas-record.ts";
import { type App, withParts } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { type Chain, ChainUnavailable } from "../../src/core/model/ports/chain.ts";
import { AIRDROP_ADDRESS } from "../../src/domain/wallet/airdrop-contract.ts";
import { reachOf } from "../../src/projections/wallet/transfers.ts";
import { openMeddler } from "../chain/meddler.ts";
import { SAYS_NO } from "../support/wallets.ts";
import { type AirdropSetup, openAirdropSetup, TOKEN } from "./airdrop-setup.ts";

let setup: AirdropSetup;
let app: App;
beforeAll(async () => {
  setup = await openAirdropSetup();
  app = setup.app;
  await setup.ask(1);
  await setup.turn();
});
afterAll(() => setup?.close());

/** The same service through an endpoint that the test controls. */
async function meddled() {
  const meddler = await openMeddler(setup.ledger.workshop.node.rpc_url);
  // Longer than a busy machine takes to answer, so that only what the test delays is late.
  const sending = { wait_ms: 4_000, stuck_ms: 60_000, poll_ms: 20 };
  const limits = { request_ms: 5_000, deadline_ms: 10_000, sending };
  const chain = setup.ledger.workshop.connect({ rpc_url: meddler.url, ...limits });
  onTestFinished(async () => {
    chain.close();
    await meddler.close();
  });
  return { meddler, by: withParts(app, { chain }) };
}
const honest = () => undefined;

test("an airdrop waits while the node is unavailable, and is then paid", async () => {
  const { meddler, by } = await meddled();
  const airdrop = await setup.ask(2);
  meddler.meddle = () => "hangs";
  expect((await setup.turn(by)).airdrops.status).toBe("away");
  expect(await setup.storyOf(airdrop)).toEqual(["Asked"]);
  meddler.meddle = honest;
  await setup.turn(by);
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Sent", "Paid"]);
  expect(await setup.received(airdrop)).toEqual([1n, 1n]);
});

test("an airdrop with a lost receipt stays sent, and is found paid", async () => {
  const { meddler, by } = await meddled();
  const airdrop = await setup.ask(2);
  const before = await setup.sent();
  meddler.meddle = (method) => (method === "eth_getTransactionReceipt" ? { result: null } : undefined);
  await setup.turn(by);
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Sent"]);
  expect((await setup.stateOf(airdrop))?.status).toBe("sent");
  meddler.meddle = honest;
  await setup.turn();
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Sent", "Paid"]);
  expect(await setup.sent()).toBe(before + 1);
  expect(await setup.received(airdrop)).toEqual([1n, 1n]);
});

test("a reorged airdrop is paid again, under its name, and so once", async () => {
  const airdrop = await setup.ask(2);
  const snapshot = await setup.ledger.snapshot();
  await setup.turn();
  expect(await setup.received(airdrop)).toEqual([1n, 1n]);
  await setup.ledger.revert(snapshot);
  expect(await setup.received(airdrop)).toEqual([0n, 0n]);
  await setup.turn();
  expect((await setup.stateOf(airdrop))?.status).toBe("sent");
  await setup.turn();
  await setup.turn();
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Sent", "Paid", "Reorged", "Paid"]);
  expect(await setup.received(airdrop)).toEqual([1n, 1n]);
});

test("two processes with concurrent requests and ticks pay an airdrop once", async () => {
  const { app: other, close } = await setup.ledger.beside({ PLATFORM_TOKEN: app.platform_token! });
  onTestFinished(close);
  const airdrop = await setup.ask(2, {}, [app, other]);
  await Promise.allSettled([setup.pay(), setup.pay(other)]);
  await setup.turn();
  expect((await setup.storyOf(airdrop)).slice(0, 3)).toEqual(["Asked", "Sent", "Paid"]);
  expect((await setup.stateOf(airdrop))?.status).toBe("paid");
  expect(await setup.received(airdrop)).toEqual([1n, 1n]);
});

test("an airdrop that the token refuses is abandoned once that is final, and its cost is counted", async () => {
  const token: Hex = `0x${"c0de".repeat(10)}`;
  await setup.ledger.workshop.rpc("anvil_setCode", token, SAYS_NO);
  const airdrop = await setup.ask(2, { token, amount_each: "0" });
  const day = app.clock.now().toISOString().slice(0, 10);
  const { spent } = gasRecord(app.pool, "eip155:8453");
  const cost = await spent(day);
  await setup.turn();
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Sent", "Reverted"]);
  await setup.ledger.mine(4);
  await setup.turn();
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Sent", "Reverted", "Failed"]);
  expect(await setup.stateOf(airdrop)).toMatchObject({
    reason: expect.stringContaining("refused the airdrop"),
  });
  expect(await spent(day)).toBeGreaterThan(cost);
});

test("an airdrop mined where the contract is missing does not count as paid", async () => {
  const airdrop = await setup.ask(2);
  const { chain } = setup.ledger.workshop;
  const code = await setup.ledger.workshop.rpc<Hex>("eth_getCode", AIRDROP_ADDRESS, "latest");
  await setup.ledger.workshop.rpc("anvil_setCode", AIRDROP_ADDRESS, "0x");
  // Simulates a lying node, or a deployment removed by a reorg.
  await setup.turn(withParts(app, { chain: { ...chain, hasCode: async (some) => some.map(() => true) } }));
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Sent", "Reverted"]);
  await setup.ledger.workshop.rpc("anvil_setCode", AIRDROP_ADDRESS, code);
  expect(await setup.received(airdrop)).toEqual([0n, 0n]);
});

test("an airdrop that the account can no longer pay for fails, and moves nothing", async () => {
  const airdrop = await setup.ask(2, { amount_each: String(60_000_000n * TOKEN) });
  const before = await setup.sent();
  await setup.turn();
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Failed"]);
  expect([await setup.sent(), await setup.received(airdrop)]).toEqual([before, [0n, 0n]]);
});

test("a pending airdrop waits for the key that it was sent with", async () => {
  const { meddler, by } = await meddled();
  const airdrop = await setup.ask(1);
  meddler.meddle = (method) => (method === "eth_sendRawTransaction" ? "hangs" : undefined);
  await setup.turn(by);
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Sent"]);
  const other = setup.ledger.workshop.connect({ gas_key: generatePrivateKey() });
  onTestFinished(() => other.close());
  await setup.turn(withParts(app, { chain: other }));
  expect(setup.warnings.at(-1)).toContain(`waits until GAS_KEY is the key of ${app.chain.sender} again`);
  expect(await setup.received(airdrop)).toEqual([0n]);
  await setup.turn();
  expect(await setup.received(airdrop)).toEqual([1n]);
});

test("an airdrop is paid though the platform's transfers cannot be read", async () => {
  const airdrop = await setup.ask(1);
  const { chain } = app;
  const logs: Chain["logs"] = async (query) => {
    if (query.address === AIRDROP_ADDRESS) return chain.logs(query);
    throw new ChainUnavailable("more logs than are answered at once");
  };
  await setup.ledger.mine(3);
  const { transfers } = await setup.turn(withParts(app, { chain: { ...chain, logs } }));
  expect(transfers).toMatchObject({ status: "away", reason: expect.stringContaining("more logs") });
  expect(await setup.storyOf(airdrop)).toEqual(["Asked", "Sent", "Paid"]);
});

test("transfers are read in small ranges of blocks, as many as it takes", async () => {
  const followed = { network: "eip155:8453", account: app.chain.sender, token: app.platform_token! };
  await setup.turn();
  const before = (await reachOf(app.pool, followed))!;
  await setup.ledger.workshop.rpc("anvil_mine", "0x1f4");
  const { chain } = app;
  const spans: number[] = [];
  const logs: Chain["logs"] = (query) => {
    spans.push(Number(query.to_block - query.from_block) + 1);
    return chain.logs(query);
  };
  await setup.turn(withParts(app, { chain: { ...chain, logs } }));
  expect((await reachOf(app.pool, followed))!.to_block).toBeGreaterThan(before.to_block + 450n);
  expect(Math.max(...spans)).toBeLessThanOrEqual(200);
});

test("transfers stored from another chain are dropped and read again", async () => {
  const followed = { network: "eip155:8453", account: app.chain.sender, token: app.platform_token! };
  await setup.ledger.mine(3);
  await setup.turn();
  const reach = (await reachOf(app.pool, followed))!;
  await app.pool.query("update read.transfers_followed_v1 set to_hash = $1", [`0x${"0".repeat(64)}`]);
  await setup.turn();
  expect(await reachOf(app.pool, followed)).toBeUndefined();
  expect(setup.warnings.at(-1)).toContain("read from the beginning");
  await setup.turn();
  expect((await reachOf(app.pool, followed))!.to_block).toBeGreaterThanOrEqual(reach.to_block);
});
