/** Refunds on a real chain: paid once despite crashes and concurrent attempts, and followed through reorgs. */
import type pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { gasRecord } from "../../src/adapters/gas-record.ts";
import { startReactors } from "../../src/core/background/reactor.ts";
import { transact } from "../../src/core/commands/transact.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { GasBudgetSpent } from "../../src/core/model/ports/chain.ts";
import { Folding } from "../../src/core/read-models/folding.ts";
import * as apiKey from "../../src/domain/access/key.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { refundDigest } from "../../src/domain/payments/refund.ts";
import { books } from "../../src/operator/books.ts";
import { paymentsProjection } from "../../src/projections/payments/payments.ts";
import { paymentsReactor } from "../../src/reactors/payments/reactor.ts";
import { payRefunds, refundToSeek } from "../../src/reactors/payments/refund.ts";
import { balanceOf } from "../chain/fixture.ts";
import { freshDatabase } from "../support/database.ts";
import { turnOf } from "../support/turns.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { fundRefunds, type LedgerSetup, openLedgerSetup, type Paid } from "./ledger-setup.ts";
import { facts as keyFacts } from "./sample-operations.ts";

let setup: LedgerSetup;
beforeAll(async () => {
  setup = await openLedgerSetup();
});
afterAll(() => setup.close());
afterEach(() => setup.expectBooks());

const meta = { actor: "test", operation: "test" };
const warnings: string[] = [];
const warn = (_: object, message: string) => void warnings.push(message);
const log = { info: warn, warn, error: warn };

const pay = async (app = setup.app, memory = {}) => {
  await setup.folded();
  return (await turnOf(app, "payments", (turn) => payRefunds(turn.app, { log, memory }))).status;
};

/** A settled payment whose refund is open and can be paid. */
async function owed(micro: bigint): Promise<Paid> {
  const paid = await setup.claim(wallet(0), micro);
  await setup.settle(paid, null);
  await setup.app.decide(payments, paid.target, payments.openRefund("test", new Date().toISOString()), {
    meta: { actor: "test", operation: "test" },
  });
  await setup.mine(4);
  await setup.reconcile();
  return paid;
}

const refundOf = async (paid: Paid) => (await setup.stateOf(paid))?.refund;
const payerHas = () => balanceOf(setup.workshop.chain, addressOf(wallet(0)));

test("a refund without money stays open, and the operator is warned once which account needs how much", async () => {
  const paid = await owed(50_000n);
  const memory = {};
  expect([await pay(setup.app, memory), await pay(setup.app, memory)]).toEqual(["done", "done"]);
  expect(warnings).toEqual([
    `refunds of 0.05 USDC are open: send that much USDC to ${setup.app.refunds.address}`,
  ]);
  expect(await refundOf(paid)).not.toHaveProperty("paid");
  await fundRefunds(setup, 1_000_000n);
  await pay(setup.app, memory);
  expect(await refundOf(paid)).toHaveProperty("paid");
});

test("a refund is paid once, though two processes try at once and again", async () => {
  const paid = await owed(60_000n);
  const before = await payerHas();
  const other = await setup.beside();
  await Promise.all([pay(), pay(other.app), pay(), pay(other.app)]);
  await pay(other.app);
  await other.close();
  expect(await payerHas()).toBe(before + 60_000n);
  expect((await setup.storyOf(paid)).slice(2)).toEqual(["RefundOpened", "RefundPaid"]);
});

test("a refund sent by a process that died before recording it is found", async () => {
  const paid = await owed(70_000n);
  const before = await payerHas();
  const { transfer } = refundToSeek(setup.app, await setup.stateOf(paid))!;
  const signature = await setup.app.refunds.sign({ hash: refundDigest(transfer, 8453) });
  const { transaction } = await setup.app.settlement.settle({ transfer, signature }, 0n);
  await pay();
  expect(await refundOf(paid)).toMatchObject({ paid: { transaction } });
  expect(await payerHas()).toBe(before + 70_000n);
});

test("a refund waits for its payment's finality, and is not paid after a revert", async () => {
  const paid = await setup.claim(wallet(0), 80_000n);
  const snapshot = await setup.snapshot();
  await setup.settle(paid, null);
  await setup.app.decide(payments, paid.target, payments.openRefund("test", new Date().toISOString()), {
    meta: { actor: "test", operation: "test" },
  });
  await pay();
  expect(await refundOf(paid)).not.toHaveProperty("paid");
  await setup.revert(snapshot);
  await setup.pass(400);
  await setup.reconcile();
  await setup.reconcile();
  expect(await setup.stateOf(paid)).toMatchObject({ status: "failed", for_good: true });
  await pay();
  expect(await refundOf(paid)).not.toHaveProperty("paid");
});

test("a refund that a reorg dropped is paid again", async () => {
  const paid = await owed(90_000n);
  const before = await payerHas();
  const snapshot = await setup.snapshot();
  await pay();
  await setup.revert(snapshot);
  expect(await payerHas()).toBe(before);
  await setup.reconcile();
  await pay();
  expect(await payerHas()).toBe(before + 90_000n);
  const story = ["RefundOpened", "RefundPaid", "RefundReorged", "RefundPaid"];
  expect((await setup.storyOf(paid)).slice(2)).toEqual(story);
});

test("a refund that a reorg moved is followed", async () => {
  const paid = await owed(91_000n);
  const snapshot = await setup.snapshot();
  await pay();
  const { transfer } = refundToSeek(setup.app, await setup.stateOf(paid))!;
  await setup.revert(snapshot);
  const signature = await setup.app.refunds.sign({ hash: refundDigest(transfer, 8453) });
  const transaction = await setup.carry({ transfer, signature });
  await setup.mine(1);
  await setup.reconcile();
  expect(await refundOf(paid)).toMatchObject({ paid: { transaction } });
});

test.each([
  { what: "the whole", part: undefined, micro: 98_000n },
  { what: "a part", part: 30_000, micro: 30_000n },
])("$what of a purchase is refunded, opened in the commit with the reason", async ({ part, micro }) => {
  await fundRefunds(setup, 1_000_000n);
  const paid = await setup.claim(wallet(0), 98_000n);
  await setup.settle(paid);
  // It is final and owed nothing when it is cancelled.
  await setup.mine(4);
  await setup.reconcile();
  const before = await payerHas();
  const at = new Date().toISOString();
  const { app } = setup;
  const { events } = await transact(app.unit, { meta }, async ({ decide }) => {
    await decide(apiKey, { tenant: "acme", id: `k_${micro}` }, apiKey.issue(keyFacts(`k_${micro}`)));
    await decide(payments, paid.target, payments.refundAnswered("cancelled", at, part));
  });
  expect(events.map(({ stream_id }) => stream_id)).toEqual([`key-k_${micro}`, `payment-${paid.id}`]);
  await pay();
  expect(await payerHas()).toBe(before + micro);
  await pay();
  expect((await setup.storyOf(paid)).slice(1)).toEqual(["PaymentSettled", "RefundOpened", "RefundPaid"]);
  const found = await books(app);
  expect(found).toMatchObject({ agree: true });
  await setup.mine(4);
  await setup.reconcile();
  const sql = "select answered, refund_final, unfinished, refund_micro from read.payments_v1 where id = $1";
  const { rows } = await app.pool.query(sql, [paid.id]);
  expect(rows).toEqual([
    { answered: true, refund_final: true, unfinished: false, refund_micro: Number(micro) },
  ]);
});

test("a refund of a payment that is not final waits", async () => {
  const paid = await setup.claim(wallet(0), 99_000n);
  await setup.settle(paid);
  const before = await payerHas();
  const back = payments.refundAnswered("returned", new Date().toISOString(), 40_000);
  await setup.app.decide(payments, paid.target, back, { meta });
  await pay();
  expect(await payerHas()).toBe(before);
  await setup.mine(4);
  await setup.reconcile();
  await pay();
  expect(await payerHas()).toBe(before + 40_000n);
});

test("the reactors finish a payment alone, from settlement to a final refund, and stop on request", async () => {
  const before = await payerHas();
  const paid = await setup.claim(wallet(0), 95_000n);
  await setup.carry(paid.signed);
  const other = await setup.beside();
  const often = { ...paymentsReactor({ answer_within_ms: -1_000 }), every_ms: 20 };
  const reactors = [setup.app, other.app].map((app) => startReactors(app, [often], log));
  const isFinal = async () => {
    const sql = "select refund_final from read.payments_v1 where id = $1";
    const { rows } = await setup.app.pool.query<{ refund_final: boolean }>(sql, [paid.id]);
    return rows[0]?.refund_final;
  };
  while (!(await isFinal())) await setup.mine(1);
  await Promise.all(reactors.map((one) => one.stop()));
  await other.close();
  expect(await payerHas()).toBe(before);
  expect((await setup.storyOf(paid)).slice(1)).toEqual(["PaymentSettled", "RefundOpened", "RefundPaid"]);
});

test("gas counts once for each transaction of the service, including refunds, and never for a stranger's", async () => {
  const ours: { transaction: Hex; fee_wei: string }[] = (
    await setup.app.pool.query<{ transaction: Hex; fee_wei: string }>(
      "select transaction, fee_wei::text from chain.gas order by transaction",
    )
  ).rows;
  const carried = await setup.claim(wallet(0), 96_000n);
  await setup.carry(carried.signed);
  await setup.mine(4);
  await setup.reconcile();
  expect(await setup.stateOf(carried)).toMatchObject({ status: "settled" });
  const settled = await setup.claim(wallet(0), 97_000n);
  const { transaction, fee_wei } = await setup.settle(settled);
  const day = setup.app.clock.now().toISOString().slice(0, 10);
  const { rows } = await setup.app.pool.query<{ transaction: Hex; fee_wei: string; day: string }>(
    "select transaction, fee_wei::text, day from chain.gas order by transaction",
  );
  expect(rows).toHaveLength(ours.length + 1);
  expect(rows).toContainEqual({ transaction, fee_wei: String(fee_wei), day });
  expect(rows.map((row) => row.transaction)).not.toContain(await transactionOf(carried));
  const { spent } = gasRecord(setup.app.pool, "eip155:8453");
  expect(await spent(day)).toBe(
    rows.filter((row) => row.day === day).reduce((sum, row) => sum + BigInt(row.fee_wei), 0n),
  );
  expect(await spent("2026-01-01")).toBe(0n);
  // A service that starts later knows it, too.
  const other = await setup.beside({ GAS_BUDGET_ETH: "0.000000000000000001" });
  await expect(other.app.settlement.facts(carried.signed)).rejects.toThrow(GasBudgetSpent);
  await other.close();
});

const transactionOf = async (paid: Paid) => {
  const state = await setup.stateOf(paid);
  return state?.status === "settled" ? state.settlement.transaction : undefined;
};

test("the read model is the same however the log is split into batches", async () => {
  await setup.folded();
  const tables = ["payments", "payments_sums", "payments_confirmed"];
  const contentOf = async (pool: pg.Pool) =>
    Promise.all(
      tables.map(async (table) => {
        const sql = `select jsonb_agg(t order by t::text) as rows from read.${table}_v1 t`;
        return (await pool.query<{ rows: unknown }>(sql)).rows[0]!.rows;
      }),
    );
  const live = await contentOf(setup.app.pool);
  const events = await setup.app.store.readLog({ after: 0, limit: 10_000 });
  const folding = new Folding(setup.app.unit.schemas);
  for (const size of [1, 3, events.length]) {
    const database = await freshDatabase();
    const pool = openPool(database.url, { max: 1 });
    await pool.query(`create schema read; ${paymentsProjection.ddl}`);
    const client = await pool.connect();
    for (let at = 0; at < events.length; at += size)
      await folding.of(paymentsProjection, events.slice(at, at + size))?.(client);
    client.release();
    expect(await contentOf(pool)).toEqual(live);
    await pool.end();
    await database.drop();
  }
});
