/** The daily gas budget over real transactions: their cost is counted, and nothing is sent beyond it. */
import { parseEther } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type GasBudget, gasBudget } from "../../src/adapters/gas-budget.ts";
import type { GasRecord, MinedTransaction } from "../../src/adapters/gas-record.ts";
import { chainSettlement } from "../../src/adapters/settlement.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { type Chain, ChainUnavailable, GasBudgetSpent } from "../../src/core/model/ports/chain.ts";
import type { Settlement } from "../../src/core/model/ports/settlement.ts";
import { TRANSFER_GAS, transferCall } from "../../src/domain/payments/usdc.ts";
import { PAYEE, payment, wallet } from "../support/wallets.ts";
import { balanceOf, openWorkshop, type Workshop } from "./fixture.ts";

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

/** The record's mined transactions, and the days whose sum was read. */
let records: Pick<MinedTransaction, "day" | "transaction" | "fee_wei">[];
let questions: string[];
let isAway: boolean;
let now: number;
let budget: GasBudget;
let chain: Chain;
let settlement: Settlement;
/** Only settling costs the workshop's sender ether. */
let etherBefore: bigint;

const ether = async () => BigInt(await workshop.rpc<Hex>("eth_getBalance", workshop.chain.sender, "latest"));
const settle = async () => settlement.settle(await payment(wallet(0), 5n), 0n);
const later = (ms: number) => {
  now += ms;
};

/** A budget of this size, over the record. */
function open(budget_wei: bigint): void {
  const committed = async (text: string) => {
    questions.push(text);
    if (isAway) throw new Error("the database is away");
    return records.filter(({ day }) => day === text).reduce((sum, { fee_wei }) => sum + fee_wei, 0n);
  };
  const budget_eth = `0.${String(budget_wei).padStart(18, "0")}`;
  expect(parseEther(budget_eth)).toBe(budget_wei);
  const record: GasRecord = {
    signed: async () => {},
    mined: async (one) => {
      if (!records.some(({ transaction }) => transaction === one.transaction)) records.push(one);
    },
    replaced: async () => {},
    spent: committed,
    committed,
    byPurpose: async () => [],
    open: async () => [],
  };
  budget = gasBudget({ budget_eth, clock: { now: () => new Date(now) }, record });
  chain = budget.counted(workshop.chain);
  settlement = budget.guarded(chainSettlement(chain));
}

beforeEach(async () => {
  records = [];
  questions = [];
  isAway = false;
  now = Date.parse("2026-01-02T23:50:00Z");
  etherBefore = await ether();
});

test("payments settle until the budget is spent; then nothing is sent until the next UTC day", async () => {
  open(1n);
  const first = await settle();
  expect(etherBefore - (await ether())).toBe(first.fee_wei);
  const paid = await balanceOf(workshop.chain, PAYEE);
  const left = await ether();
  const failure = await settle().catch((error) => error);
  expect(failure).toBeInstanceOf(GasBudgetSpent);
  expect(failure).toBeInstanceOf(ChainUnavailable);
  expect(failure.message).toContain("2026-01-03T00:00:00.000Z");
  await expect(settlement.facts(await payment(wallet(0), 5n))).rejects.toThrow(GasBudgetSpent);
  expect(await ether()).toBe(left);
  expect(await balanceOf(workshop.chain, PAYEE)).toBe(paid);
  later(9 * 60_000 + 59_000);
  await expect(settle()).rejects.toThrow(GasBudgetSpent);
  later(1_000);
  await settle();
});

test("a transaction of many payments costs once, and a failed one costs too", async () => {
  open(10n ** 17n);
  const many = await Promise.all(Array.from({ length: 20 }, () => settle()));
  expect(new Set(many.map(({ transaction }) => transaction)).size).toBe(1);
  const drained = await payment(wallet(1), 20_000_000_000n);
  await expect(settlement.settle(drained, 0n)).rejects.toThrow(/exceeds balance/);
  const spent = etherBefore - (await ether());
  expect(spent).toBeGreaterThan(many[0]!.fee_wei);
  // The spent amount is below a budget of one wei more, and above its own.
  open(spent + 1n);
  records = [{ day: "2026-01-02", transaction: "0x01", fee_wei: spent }];
  expect(await settlement.facts(await payment(wallet(0), 5n))).toMatchObject({ would_settle: true });
  open(spent);
  await expect(settle()).rejects.toThrow(GasBudgetSpent);
});

test("a failed transaction is counted by the process that sent it", async () => {
  open(1n);
  await expect(settlement.settle(await payment(wallet(1), 20_000_000_000n), 0n)).rejects.toThrow(
    /exceeds balance/,
  );
  await expect(settle()).rejects.toThrow(GasBudgetSpent);
});

test("costs recorded by other processes and earlier runs count, read at most every ten seconds", async () => {
  open(1_000n);
  records = [{ day: "2026-01-01", transaction: "0x01", fee_wei: 5_000n }];
  const signed = await payment(wallet(0), 5n);
  for (let i = 0; i < 5; i++) await settlement.facts(signed);
  expect(questions).toEqual(["2026-01-02"]);
  records.push({ day: "2026-01-02", transaction: "0x02", fee_wei: 1_000n });
  later(9_999);
  await settlement.facts(signed);
  later(1);
  const failures = await Promise.allSettled([1, 2, 3].map(() => settlement.facts(signed)));
  for (const failure of failures) expect(failure).toMatchObject({ reason: expect.any(GasBudgetSpent) });
  expect(questions).toHaveLength(2);
  // An unavailable database does not reduce the day's cost.
  isAway = true;
  later(10_000);
  await expect(settlement.facts(signed)).rejects.toThrow(GasBudgetSpent);
});

test("other transactions of the key count too, but are not delayed", async () => {
  open(1n);
  const send = async () =>
    chain.send(transferCall(await payment(wallet(2), 3n)), { gas: TRANSFER_GAS, purpose: "anchor" });
  await send();
  await expect(settle()).rejects.toThrow(GasBudgetSpent);
  await send();
});
