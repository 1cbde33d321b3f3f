/** The chain reverts a payment into an account for good: its credit goes, and the spent part becomes a debt. */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import * as account from "../../src/domain/payments/account.ts";
import { accountsProjection } from "../../src/projections/payments/accounts.ts";
import { paymentsProjection } from "../../src/projections/payments/payments.ts";
import { accountsReactor } from "../../src/reactors/payments/accounts.ts";
import { reconcile } from "../../src/reactors/payments/reconcile.ts";
import { balanceOf, openWorkshop, rewind, type Workshop } from "../chain/fixture.ts";
import { type ComputeSetup, openComputeSetup } from "../compute/compute-setup.ts";
import { turn, turnOf } from "../support/turns.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { addressOf, GAS_KEY, wallet } from "../support/wallets.ts";

const REFUND_KEY = generatePrivateKey();
const pay_to = addressOf(privateKeyToAccount(REFUND_KEY));
const buyer = wallet(3);

let workshop: Workshop;
let setup: ComputeSetup;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to };
  setup = await openComputeSetup({ chain, env: { REFUND_KEY, CUSTODY: "1", TRUST_PROXY: "1" } });
});
afterAll(async () => {
  await setup.service.stop();
  await workshop.close();
});

/** Waits until the lists of payments and accounts have the whole log. */
async function folded(): Promise<void> {
  const { position } = await setup.app.store.head();
  for (const list of [paymentsProjection, accountsProjection])
    await until(() => setup.app.runner.reached(list, position, LIMIT_MS));
}

const followed = async () => {
  await folded();
  expect(await turnOf(setup.app, "payments", ({ app }) => reconcile(app))).toEqual({ status: "done" });
  await folded();
};

const reversed = async () => {
  await folded();
  expect(await turn(setup.app, accountsReactor)).toEqual({ status: "done" });
};

/** A task with a hold from a payment, and the chain before it. */
async function paidIn(tenant: string) {
  const headers = await setup.keyOf(tenant);
  const snapshot = await workshop.rpc<Hex>("evm_snapshot");
  const had = await balanceOf(workshop.chain, addressOf(buyer));
  const body = { task_type: "translate", input_data: {}, max_price_usd: 0.05 };
  const { status, body: task } = await setup.pays(buyer, body, headers);
  expect(status, JSON.stringify(task)).toBe(201);
  expect(await setup.account(tenant)).toMatchObject({ credited: 50_000, held: 50_000, available: 0 });
  return { headers, snapshot, had, task_id: task.task_id as string };
}

/** Another history of the chain, in which the payment never happened and cannot happen. */
async function takenBackForGood({ snapshot, had }: { snapshot: Hex; had: bigint }): Promise<void> {
  await rewind(workshop, snapshot);
  expect(await balanceOf(workshop.chain, addressOf(buyer))).toBe(had);
  await workshop.rpc("evm_increaseTime", 3_600);
  for (let n = 0; n < 4; n++) await workshop.rpc("evm_mine");
  await followed();
  await followed();
}

const reversalsOf = async (tenant: string) =>
  (await setup.app.store.readStream({ tenant, stream_id: account.streamOf(tenant) }))
    .filter(({ type }) => type === "AccountCreditReversed")
    .map(({ payload }) => payload);

test("the credit of a payment that is still on the chain is not reversed", async () => {
  const { headers, task_id } = await paidIn("standing");
  await followed();
  await reversed();
  expect(await reversalsOf("standing")).toEqual([]);
  await setup.ask(headers, "/soul/compute/cancel", { task_id });
  expect(await setup.account("standing")).toMatchObject({ available: 50_000, debt: 0 });
});

test("a reverted payment that can be sent again is sent, and its credit stays", async () => {
  const paid = await paidIn("sent-again");
  await rewind(workshop, paid.snapshot);
  await followed();
  await reversed();
  expect(await balanceOf(workshop.chain, addressOf(buyer))).toBe(paid.had - 50_000n);
  expect(await reversalsOf("sent-again")).toEqual([]);
  expect(await setup.account("sent-again")).toMatchObject({ held: 50_000, reversed: 0, debt: 0 });
});

test("an undone credit removes available money once; held money becomes a debt that the end of the hold pays", async () => {
  const held = await paidIn("holding");
  const free = await paidIn("cancelled-before");
  await setup.ask(free.headers, "/soul/compute/cancel", { task_id: free.task_id });
  const standing = await setup.account("standing");
  await takenBackForGood(held);
  expect(await reversalsOf("holding")).toEqual([]);
  await reversed();
  const gone = { amount_micro: 50_000, source: expect.stringMatching(/^payment:eip155:8453:/) };
  expect(await reversalsOf("holding")).toMatchObject([{ ...gone, debt_micro: 50_000 }]);
  expect(await reversalsOf("cancelled-before")).toMatchObject([{ ...gone, debt_micro: 0 }]);
  expect(await setup.account("holding")).toMatchObject({ reversed: 50_000, held: 50_000, debt: 50_000 });
  expect(await setup.account("cancelled-before")).toMatchObject({ reversed: 50_000, available: 0, debt: 0 });
  expect(await setup.account("standing")).toEqual(standing);

  // No node works for missing money: another's task is leased, and this one is not.
  const node = await setup.node("eager");
  const lent: string[] = [];
  for (;;) {
    const { body } = await node.get("/soul/compute/pull");
    if (!body.task) break;
    lent.push(body.task.task_id);
  }
  expect(lent).not.toContain(held.task_id);
  expect(lent.length).toBeGreaterThan(0);

  await reversed();
  for (const tenant of ["holding", "cancelled-before"]) expect(await reversalsOf(tenant)).toHaveLength(1);
  await setup.ask(held.headers, "/soul/compute/cancel", { task_id: held.task_id });
  expect(await setup.account("holding")).toMatchObject({ available: 0, held: 0, debt: 0 });
  await folded();
  const { rows } = await setup.app.pool.query(
    "select tenant from read.accounts_v2 where credited - reversed <> available + held + spent + withdrawn - debt",
  );
  expect(rows).toEqual([]);
});
