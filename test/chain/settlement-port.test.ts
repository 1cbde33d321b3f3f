/**
 * The Settlement port over a real chain: its batches, the isolation of payments, and its answers when the outcome
 * is unknown.
 */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BaseChain } from "../../src/adapters/base-chain.ts";
import { chainSettlement } from "../../src/adapters/settlement.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { ChainUnavailable, TransactionPending } from "../../src/core/model/ports/chain.ts";
import type { SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import { NotSettled, type Settlement } from "../../src/core/model/ports/settlement.ts";
import { settledBy } from "../../src/domain/payments/usdc.ts";
import { addressOf, PAYEE, payment, SAYS_NO, SAYS_YES, wallet } from "../support/wallets.ts";
import {
  balanceOf,
  cancelAuthorization,
  carriedByStranger,
  finalize,
  openWorkshop,
  placeWallet,
  type Workshop,
} from "./fixture.ts";
import { type Meddler, openMeddler } from "./meddler.ts";

let workshop: Workshop;
let meddler: Meddler;
let chain: BaseChain;
let settlement: Settlement;
beforeAll(async () => {
  workshop = await openWorkshop();
  meddler = await openMeddler(workshop.node.rpc_url);
  chain = workshop.connect({
    rpc_url: meddler.url,
    request_ms: 2_000,
    deadline_ms: 5_000,
    sending: { wait_ms: 4_000 },
  });
  settlement = chainSettlement(chain);
  await chain.heads();
});
afterAll(async () => {
  chain.close();
  await meddler.close();
  await workshop.close();
});
beforeEach(() => {
  meddler.meddle = () => undefined;
  meddler.methods.length = 0;
});

/** Jumps back to its start forever. */
const BURN: Hex = "0x5b600056";

/** An account with this code and one USDC, and a payment that it claims to have signed. */
async function contractPayer(code: Hex, value = 100n): Promise<SignedTransfer> {
  const from: Hex = `0x${randomBytes(20).toString("hex")}`;
  await placeWallet(workshop, from, code);
  const { transfer } = await payment(wallet(8), value, { from });
  return { transfer, signature: `0x${"5a".repeat(300)}` };
}

const count = (method: string) => meddler.methods.filter((one) => one === method).length;

describe("facts", () => {
  test("of 200 payments queried together take few requests, and each is right", async () => {
    const good = await Promise.all(
      Array.from({ length: 198 }, (_, i) => payment(wallet(i % 8), BigInt(i + 1))),
    );
    const now = BigInt(Math.floor(Date.now() / 1000));
    const expired = await payment(wallet(0), 1n, { valid_before: now - 10n });
    const forged = { ...(await payment(wallet(1), 1n)), signature: good[0]!.signature };
    const facts = await Promise.all([...good, expired, forged].map((one) => settlement.facts(one)));
    expect(facts.slice(0, 198).every(({ used, would_settle }) => !used && would_settle)).toBe(true);
    expect(facts.slice(198)).toMatchObject([
      { would_settle: false, reason: expect.stringMatching(/expired/) },
      { would_settle: false, reason: expect.stringMatching(/signature/) },
    ]);
    const { latest } = await workshop.chain.heads();
    for (const { seen_block } of facts) expect(Number(latest.number - seen_block)).toBeLessThanOrEqual(2);
    // One for code, five for three requests each about 200 payments, and one each for the two whose trial failed in a
    // batch: another trial may have moved their money, so only a separate trial decides. Such payments are rare here,
    // because this process checks keys' signatures and times itself.
    expect(meddler.methods).toEqual(Array(8).fill("eth_call"));
  });

  test("of payers with code are queried separately; a delegated account (EIP-7702) has code", async () => {
    const [yes, no, burn] = [
      await contractPayer(SAYS_YES),
      await contractPayer(SAYS_NO),
      await contractPayer(BURN),
    ];
    const plain = await payment(wallet(2), 5n);
    const delegating = await contractPayer(`0xef0100${yes.transfer.from.slice(2)}`);
    meddler.methods.length = 0;
    const facts = await Promise.all([yes, plain, no, burn, delegating].map((one) => settlement.facts(one)));
    expect(facts.map(({ would_settle }) => would_settle)).toEqual([true, true, false, false, true]);
    expect(facts.map(({ balance }) => balance).with(1, 1_000_000n)).toEqual(Array(5).fill(1_000_000n));
    // Each payer with code is tried as a transaction.
    const count = (method: string) => meddler.methods.filter((one) => one === method).length;
    expect([count("eth_call"), count("eth_estimateGas"), count("eth_getCode")]).toEqual([6, 4, 4]);
    expect(count("eth_sendRawTransaction")).toBe(0);
  });

  test("about code cover more accounts than one call can answer", async () => {
    const { transfer } = await contractPayer(SAYS_YES);
    const accounts = Array.from({ length: 1_201 }, (): Hex => `0x${randomBytes(20).toString("hex")}`);
    accounts[1_100] = transfer.from;
    const found = await chain.hasCode(accounts);
    expect(found.flatMap((one, i) => (one ? [i] : []))).toEqual([1_100]);
    expect(found).toHaveLength(1_201);
    expect(await chain.hasCode([])).toEqual([]);
  });
});

describe("settling", () => {
  test("many payments together takes one transaction; a replay settles by the first", async () => {
    const before = await balanceOf(chain, PAYEE);
    const many = await Promise.all(Array.from({ length: 60 }, (_, i) => payment(wallet(i % 8), 10n)));
    const receipts = await Promise.all(many.map((one) => settlement.settle(one, 0n)));
    expect(new Set(receipts.map(({ transaction }) => transaction)).size).toBe(1);
    expect(await balanceOf(chain, PAYEE)).toBe(before + 600n);
    const again = await settlement.settle(many[0]!, receipts[0]!.block_number);
    expect(again.transaction).toBe(receipts[0]!.transaction);
    expect(await balanceOf(chain, PAYEE)).toBe(before + 600n);
  });

  test("a contract's payment is sent alone, and follows the contract's code", async () => {
    const [yes, no] = [await contractPayer(SAYS_YES), await contractPayer(SAYS_NO)];
    const plain = await payment(wallet(3), 5n);
    const settled = await Promise.all([settlement.settle(yes, 0n), settlement.settle(plain, 0n)]);
    expect(settledBy(settled[0], yes.transfer)).toBe(true);
    expect(settled[0].transaction).not.toBe(settled[1].transaction);
    await expect(settlement.settle(no, 0n)).rejects.toThrow(NotSettled);
  });

  test("a contract that burns its gas harms no other payment", async () => {
    const burn = await contractPayer(BURN);
    const good = await Promise.all([1n, 2n, 3n].map((value) => payment(wallet(4), value)));
    const [burnt, ...receipts] = await Promise.allSettled(
      [burn, ...good].map((one) => settlement.settle(one, 0n)),
    );
    expect(burnt).toMatchObject({ reason: expect.any(NotSettled) });
    for (const receipt of receipts) expect(receipt.status).toBe("fulfilled");
  });

  test("a payer that got code after the check harms no other payment: the others are sent again, alone", async () => {
    const burn = await contractPayer(BURN);
    const good = await Promise.all([1n, 2n, 3n].map((value) => payment(wallet(4), value)));
    const blind = chainSettlement({ ...chain, hasCode: async (accounts) => accounts.map(() => false) });
    const [burnt, ...receipts] = await Promise.allSettled(
      [burn, ...good].map((one) => blind.settle(one, 0n)),
    );
    expect(burnt).toMatchObject({ reason: expect.any(NotSettled) });
    expect(receipts.map(({ status }) => status)).toEqual(Array(3).fill("fulfilled"));
    const transactions = receipts.map(
      (one) => (one as PromiseFulfilledResult<{ transaction: Hex }>).value.transaction,
    );
    expect(new Set(transactions).size).toBe(3);
  });

  test("a transfer that a stranger sent first is found by its log", async () => {
    const signed = await payment(wallet(5), 70n);
    const { seen_block } = await settlement.facts(signed);
    const transaction = await carriedByStranger(workshop, signed);
    const receipt = await settlement.settle(signed, seen_block);
    expect(receipt.transaction).toBe(transaction);
    expect(settledBy(receipt, signed.transfer)).toBe(true);
  });

  test("is refused without balance, after a cancellation, or if the nonce was used for another transfer", async () => {
    const before = await balanceOf(chain, PAYEE);
    const everything = await balanceOf(chain, addressOf(wallet(6)));
    const signed = await payment(wallet(6), 100n);
    expect(await settlement.facts(signed)).toMatchObject({ would_settle: true });
    await carriedByStranger(workshop, await payment(wallet(6), everything, { to: addressOf(wallet(7)) }));
    await expect(settlement.settle(signed, 0n)).rejects.toThrow(/exceeds balance/);
    const cancelled = await payment(wallet(5), 80n);
    const { finalized } = await chain.heads();
    await cancelAuthorization(workshop, wallet(5), cancelled.transfer);
    // A reorg may still remove it; the node mines by itself, so the final block is fixed here.
    const early = chainSettlement({ ...chain, heads: async () => ({ ...(await chain.heads()), finalized }) });
    await expect(early.settle(cancelled, 0n)).rejects.toThrow(TransactionPending);
    await finalize(workshop);
    const failure = await chainSettlement(chain)
      .settle(cancelled, 0n)
      .catch((error) => error);
    expect(failure).toBeInstanceOf(NotSettled);
    expect(failure.message).toMatch(/cancelled/);
    const other = await payment(wallet(5), 81n);
    const { nonce } = other.transfer;
    await carriedByStranger(workshop, await payment(wallet(5), 81n, { to: addressOf(wallet(7)), nonce }));
    await finalize(workshop);
    await expect(chainSettlement(chain).settle(other, 0n)).rejects.toThrow(/another transfer/);
    expect(await balanceOf(chain, PAYEE)).toBe(before);
  });
});

describe("an endpoint", () => {
  test("that is dead gives no facts, sends nothing, and recovers", async () => {
    const signed = await payment(wallet(0), 9n);
    meddler.meddle = () => "hangs up";
    await expect(settlement.facts(signed)).rejects.toThrow(ChainUnavailable);
    await expect(settlement.settle(signed, 0n)).rejects.toThrow(ChainUnavailable);
    meddler.meddle = () => undefined;
    expect(await settlement.facts(signed)).toMatchObject({ used: false, would_settle: true });
    expect(settledBy(await settlement.settle(signed, 0n), signed.transfer)).toBe(true);
  });

  test("that fails one request fails no other", async () => {
    const contract = await contractPayer(SAYS_YES);
    const plain = await payment(wallet(1), 9n);
    const { from } = contract.transfer;
    // Of the two that share the code request, only the contract's own request stays unanswered.
    meddler.meddle = (method, [call]) => {
      const data = (call as { to?: Hex; data?: string })?.to ? String((call as { data?: string }).data) : "";
      return method === "eth_call" && data.includes(from.slice(2)) ? "hangs up" : undefined;
    };
    const [first, second] = await Promise.allSettled([settlement.facts(contract), settlement.facts(plain)]);
    expect(first).toMatchObject({ reason: expect.any(ChainUnavailable) });
    expect(second).toMatchObject({ value: { would_settle: true } });
  });

  test("that dies after a mined transaction without the transfer leaves the outcome unknown", async () => {
    const signed = await payment(wallet(5), 71n);
    const transaction = await carriedByStranger(workshop, signed);
    meddler.meddle = (method) => (method === "eth_getLogs" ? "hangs up" : undefined);
    await expect(settlement.settle(signed, 0n)).rejects.toThrow(TransactionPending);
    meddler.meddle = () => undefined;
    expect((await settlement.settle(signed, 0n)).transaction).toBe(transaction);
  });

  test("with lagging logs leaves a payment with a used nonce pending, not refused", async () => {
    const signed = await payment(wallet(5), 72n);
    await carriedByStranger(workshop, signed);
    meddler.meddle = (method) => (method === "eth_getLogs" ? { result: [] } : undefined);
    await expect(settlement.settle(signed, 0n)).rejects.toThrow(TransactionPending);
    expect(count("eth_sendRawTransaction")).toBe(1);
  });

  test("with wrong answers about code is not trusted", async () => {
    meddler.meddle = (method) => (method === "eth_call" ? { result: "0x" } : undefined);
    await expect(settlement.facts(await payment(wallet(0), 1n))).rejects.toThrow(ChainUnavailable);
  });
});
