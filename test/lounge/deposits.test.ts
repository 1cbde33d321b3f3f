/** Deposits on a real chain: credited once, taken back with their block, and repaid from later deposits. */

import { encodeFunctionData, parseAbi } from "viem/utils";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DEVELOPMENT_TOKEN } from "../../src/adapters/chain-contracts.ts";
import { type App, withParts } from "../../src/core/app.ts";
import type { Block, Hex } from "../../src/core/model/chain.ts";
import * as account from "../../src/domain/lounge/account.ts";
import { ATTO } from "../../src/domain/lounge/token.ts";
import { depositsProjection } from "../../src/projections/lounge/deposits.ts";
import { type DepositMemory, followDeposits } from "../../src/reactors/lounge/follow-deposits.ts";
import { openWorkshop, rewind, sendAs, type Workshop } from "../chain/fixture.ts";
import { aroundCommits } from "../support/around-commits.ts";
import { type Service, startService } from "../support/service.ts";
import { turnOf } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { addressOf, GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

const ABI = parseAbi(["function transfer(address to, uint256 amount) returns (bool)"]);
const meta = { actor: "test", operation: "test" };

let workshop: Workshop;
let service: Service;
let memory: DepositMemory = {};
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  const env = { PLATFORM_TOKEN: DEVELOPMENT_TOKEN, REFUND_KEY: GAS_KEY };
  service = await startService({ chain, env });
  await mine(2);
  expect(await turnBy(service.app)).toEqual({ status: "done" });
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});
// Starts like a new process.
beforeEach(() => {
  memory = {};
});

async function mine(blocks: number): Promise<void> {
  for (let n = 0; n < blocks; n++) await workshop.rpc("evm_mine");
}

/** Sends tokens to the service, or elsewhere, from one of the demo wallets. */
async function send(index: number, amount: bigint, to: Hex = PAYEE): Promise<void> {
  const data = encodeFunctionData({ abi: ABI, functionName: "transfer", args: [to, amount] });
  await sendAs(workshop, addressOf(wallet(index)), { to: DEVELOPMENT_TOKEN, data });
}

const turnBy = (by: App) =>
  turnOf(by, "deposits", ({ app }) => followDeposits(app, DEVELOPMENT_TOKEN, memory));

async function follow(app = service.app): Promise<void> {
  await until(() => app.caughtUp(depositsProjection));
  expect(await turnBy(app)).toEqual({ status: "done" });
}

/** The service with no later block final; the newest is safe. */
function beforeFinality(finalized: Block): App {
  const { app } = service;
  const heads = async () => {
    const { latest } = await app.chain.heads();
    return { latest, safe: latest, finalized };
  };
  return withParts(app, { chain: { ...app.chain, heads } });
}

const targetOf = (index: number) => account.targetOf(`wallet:${addressOf(wallet(index))}`);
const held = (index: number) => service.app.load(account, targetOf(index));
const typesOf = async (index: number) => {
  const page = {
    tenant: targetOf(index).tenant,
    stream_id: "loungeaccount-main",
    after_version: 0,
    limit: 100,
  };
  return (await service.app.store.readStream(page)).map(({ type }) => type);
};

test("a transfer is credited once it is on L1, and once however often it is scanned", async () => {
  await send(0, 5n * ATTO);
  await send(0, 7n * ATTO);
  await mine(2);
  await follow();
  await follow();
  memory = {};
  await follow();
  expect(await typesOf(0)).toEqual(["DepositCredited", "DepositCredited"]);
  expect(await held(0)).toMatchObject({ balance: 12n * ATTO, deposited: 12n * ATTO, granted: 0n });
});

test("dust, and transfers to other addresses, are not a deposit", async () => {
  await send(1, ATTO - 1n);
  await send(1, 5n * ATTO, addressOf(wallet(2)));
  await mine(2);
  await follow();
  expect([await typesOf(1), await typesOf(2)]).toEqual([[], []]);
});

test("a reorged deposit is taken back; already staked, it is a debt that the next deposit pays", async () => {
  const { app } = service;
  await mine(3);
  await follow();
  const { latest } = await app.chain.heads();
  const snapshot = await workshop.rpc<Hex>("evm_snapshot");
  await send(3, 50n * ATTO);
  await send(4, 20n * ATTO);
  await follow(beforeFinality(latest));
  expect([(await held(3)).balance, (await held(4)).balance]).toEqual([50n * ATTO, 20n * ATTO]);
  await app.decide(account, targetOf(3), losing(30), { meta });

  await rewind(workshop, snapshot);
  await mine(6);
  await follow();
  expect(await held(3)).toMatchObject({ balance: 0n, debt: 30n * ATTO });
  expect(await typesOf(3)).toEqual(["DepositCredited", "BetPlayed", "DepositTakenBack", "DebtIncurred"]);
  expect(await held(4)).toMatchObject({ balance: 0n, debt: 0n });
  await follow();
  expect(await typesOf(4)).toEqual(["DepositCredited", "DepositTakenBack"]);

  await send(3, 45n * ATTO);
  await mine(2);
  await follow();
  expect(await held(3)).toMatchObject({ balance: 15n * ATTO, debt: 0n });
});

test("a deposit that a process credited before it died is not credited by the next", async () => {
  const { app } = service;
  await send(5, 9n * ATTO);
  await mine(2);
  expect(await turnBy(dyingAfterOne(app))).toEqual({ status: "failed", reason: "killed" });
  memory = {};
  await follow();
  expect(await typesOf(5)).toEqual(["DepositCredited"]);
});

test("nothing is credited while the chain is another one, or lags behind", async () => {
  const { app } = service;
  const block = (number: bigint) =>
    app.chain.block(number).then((found) => found && { ...found, hash: `0x${"0".repeat(64)}` as const });
  await send(6, 9n * ATTO);
  await mine(2);
  memory = {};
  expect(await turnBy(withParts(app, { chain: { ...app.chain, block } }))).toMatchObject({
    status: "foreign",
  });
  const lagging = withParts(app, { chain: { ...app.chain, block: async () => undefined } });
  expect(await turnBy(lagging)).toMatchObject({ status: "behind" });
  expect(await typesOf(6)).toEqual([]);
});

/** Loses this many tokens, whatever is drawn. */
const losing =
  (tokens: number) =>
  ({ balance }: account.AccountState): account.AccountEvent[] => {
    const stake = BigInt(tokens) * ATTO;
    const drawn = {
      space: "live",
      chain: 1,
      index: 0,
      seed_hash: "0".repeat(64),
      client_seed: "x",
      nonce: 0,
    } as const;
    const sums = { stake_atto: String(stake), payout_atto: "0", balance_atto: String(balance - stake) };
    const bet = { game: "roulette", params: { bet_type: "7" }, result: { pocket: "8" } } as const;
    const named = { roll_id: "lost", tenant: targetOf(3).tenant, rolled_at: "2026-11-22T12:00:00.000Z" };
    return [{ type: "BetPlayed", data: { ...drawn, ...bet, ...named, ...sums } }];
  };

/** The app of a process that dies after its first commit. */
function dyingAfterOne(app: App): App {
  const store = { ...app.store };
  let isDead = false;
  aroundCommits(store, async (_, send) => {
    if (isDead) throw new Error("killed");
    isDead = true;
    return send();
  });
  return withParts(app, { unit: { ...app.unit, store } });
}
