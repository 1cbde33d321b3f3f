/**
 * Withdrawals on a real chain: once, to the caller's own wallet, through crashes and reorgs; the books agree after
 * each.
 */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import * as account from "../../src/domain/payments/account.ts";
import { accountsProjection, withdrawalsToFollow } from "../../src/projections/payments/accounts.ts";
import { isPaying } from "../../src/projections/payments/watched.ts";
import { sendTransfers } from "../../src/reactors/payments/outgoing.ts";
import { payWithdrawals, withdrawalToSeek } from "../../src/reactors/payments/withdraw.ts";
import { balanceOf, finalize, openWorkshop, rewind, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { turnOf } from "../support/turns.ts";
import { addressOf, GAS_KEY, wallet } from "../support/wallets.ts";
import { type ComputeSetup, openComputeSetup } from "./compute-setup.ts";

/** Payments come in at the account that withdrawals leave from. */
const REFUND_KEY = generatePrivateKey();
const pay_to = addressOf(privateKeyToAccount(REFUND_KEY));
const buyer = wallet(3);
const DAY_S = 86_400 + 3_601;

let workshop: Workshop;
let setup: ComputeSetup;
let headers: Record<string, string>;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to };
  setup = await openComputeSetup({ chain, env: { REFUND_KEY, CUSTODY: "1", TRUST_PROXY: "1" } });
  headers = await setup.keyOf("acme");
  const body = { task_type: "translate", input_data: {}, max_price_usd: 2 };
  const { body: task } = await setup.pays(buyer, body, headers);
  await setup.ask(headers, "/soul/compute/cancel", { task_id: task.task_id });
  await setup.folded();
});
afterAll(async () => {
  await setup.service.stop();
  await workshop.close();
});
afterEach(() => expectBooks(setup.app));

const withdraw = (amount_usdc: number, more: object = {}, as = headers) =>
  setup.ask(as, "/soul/compute/withdraw", { amount_usdc, to: buyer.address, ...more });

/** A request a day later, when the money can be withdrawn. */
async function requestWithdrawal(amount_usdc: number): Promise<string> {
  let id = "";
  await setup.later(DAY_S, async () => {
    const { status, body } = await withdraw(amount_usdc);
    expect(status, JSON.stringify(body)).toBe(202);
    id = body.withdrawal_id;
  });
  return id;
}

const log = { info: () => {}, warn: () => {}, error: () => {} };
async function turn(): Promise<void> {
  await setup.folded();
  expect(await turnOf(setup.app, "payments", ({ app }) => payWithdrawals(app, { log }))).toEqual({
    status: "done",
  });
}

const has = () => balanceOf(workshop.chain, addressOf(buyer));
const storyOf = async (id: string) =>
  (await setup.app.store.readStream({ tenant: "acme", stream_id: account.streamOf("acme") }))
    .filter(({ payload }) => payload.withdrawal_id === id)
    .map(({ type }) => type);

test("money of the last day cannot be withdrawn, nor more than the balance", async () => {
  expect(await withdraw(0.5)).toMatchObject({
    status: 409,
    body: { type: expect.stringContaining("#funds-missing") },
  });
  await setup.later(DAY_S, async () => {
    expect((await withdraw(2.1)).status).toBe(409);
    expect((await withdraw(0.09)).body.errors).toMatchObject([{ path: "amount_usdc" }]);
  });
});

test("money in an account is not a payment: its owner can withdraw it", async () => {
  await setup.folded();
  expect(await isPaying(setup.app.pool, "acme")).toBe(false);
});

test("a withdrawal to a stranger's wallet is refused", async () => {
  await setup.later(DAY_S, async () => {
    expect(await withdraw(0.5, { to: addressOf(wallet(7)) })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("has not paid into this account") },
    });
    const node = await setup.node("earner");
    await setup.requester(`soul:${node.sx}`);
    expect((await withdraw(0.5, {}, node.headers)).body.detail).toContain("not a live key of this agent");
    expect((await withdraw(0.5, { to: undefined })).body.errors).toMatchObject([{ path: "to" }]);
  });
});

test("a withdrawal is paid once, also after another check", async () => {
  const before = await has();
  const id = await requestWithdrawal(0.5);
  expect(await setup.account("acme")).toMatchObject({ available: 1_500_000, withdrawn: 500_000 });
  for (const _ of [1, 2]) await turn();
  expect((await has()) - before).toBe(500_000n);
  expect(await storyOf(id)).toEqual(["WithdrawalAsked", "WithdrawalPaid"]);
});

test("a withdrawal sent by a process that died before recording it is found, and not sent again", async () => {
  const before = await has();
  const id = await requestWithdrawal(0.2);
  await setup.folded();
  const { withdrawals } = await setup.account("acme");
  const sought = withdrawalToSeek("acme", withdrawals.get(id)!);
  const dies = async () => {
    throw new Error("kill -9");
  };
  await expect(
    sendTransfers(setup.app, [{ name: "it", errand: "withdrawal", sought, record: dies }], "withdrawals", {
      log,
    }),
  ).rejects.toThrow("kill -9");
  expect((await has()) - before).toBe(200_000n);
  expect(await storyOf(id)).toEqual(["WithdrawalAsked"]);
  await turn();
  expect((await has()) - before).toBe(200_000n);
  expect(await storyOf(id)).toEqual(["WithdrawalAsked", "WithdrawalPaid"]);
});

test("a withdrawal that the chain reverts is paid again, once", async () => {
  const before = await has();
  const snapshot = await workshop.rpc<Hex>("evm_snapshot");
  const id = await requestWithdrawal(0.3);
  await turn();
  await rewind(workshop, snapshot);
  expect((await has()) - before).toBe(0n);
  await turn();
  await turn();
  expect((await has()) - before).toBe(300_000n);
  expect(await storyOf(id)).toEqual([
    "WithdrawalAsked",
    "WithdrawalPaid",
    "WithdrawalReorged",
    "WithdrawalPaid",
  ]);
});

test("two concurrent withdrawals leave no account below zero", async () => {
  const { available } = await setup.account("acme");
  const most = available / 1e6;
  await setup.later(DAY_S, async () => {
    const answer = await Promise.all([withdraw(most), withdraw(most), withdraw(most)]);
    expect(answer.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
  });
  expect(await setup.account("acme")).toMatchObject({ available: 0 });
  await turn();
});

test("a withdrawal that was not paid in time comes back, once no block can have it", async () => {
  // A credit without a payment: the paying account has less.
  await setup.requester("acme", 5_000_000);
  const id = await requestWithdrawal(5);
  await turn();
  expect(await storyOf(id)).toEqual(["WithdrawalAsked"]);
  const { withdrawals } = await setup.account("acme");
  await workshop.rpc("evm_setNextBlockTimestamp", withdrawals.get(id)!.valid_before + 10);
  await workshop.rpc("evm_mine");
  await turn();
  expect(await storyOf(id)).toEqual(["WithdrawalAsked"]);
  await finalize(workshop);
  await turn();
  expect(await storyOf(id)).toEqual(["WithdrawalAsked", "WithdrawalFailed"]);
  expect(await setup.account("acme")).toMatchObject({ available: 5_000_000 });
  await setup.app.caughtUp(accountsProjection);
  const open = await withdrawalsToFollow(setup.app.pool, "2999-01-01T00:00:00.000Z");
  expect(open.map(({ withdrawal_id }) => withdrawal_id)).not.toContain(id);
});
