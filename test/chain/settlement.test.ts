/** Payments on a real chain: their facts, their settlement, and the proof in the logs. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Hex, Receipt } from "../../src/core/model/chain.ts";
import type { SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import {
  CONTRACT_PAYER_GAS,
  settledBy,
  TRANSFER_GAS,
  transferCall,
  USDC,
  usedQuery,
} from "../../src/domain/payments/usdc.ts";
import { addressOf, PAYEE, payment, wallet } from "../support/wallets.ts";
import { balanceOf, carriedByStranger, factsOf, openWorkshop, type Workshop } from "./fixture.ts";

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

const settle = (signed: SignedTransfer): Promise<Receipt> =>
  workshop.chain.send(transferCall(signed), { gas: TRANSFER_GAS, purpose: "settlement" });

test("the token has Base's address, name and domain, and the demo wallets have worthless money", async () => {
  const [separator, name, version, symbol, decimals] = await workshop.chain.read(
    ["0x3644e515", "0x06fdde03", "0x54fd4d50", "0x95d89b41", "0x313ce567"].map((data) => ({
      to: USDC.address as Hex,
      data: data as Hex,
    })),
  );
  expect(separator!.data).toBe("0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f");
  const text = (data: Hex) =>
    Buffer.from(data.slice(2 + 128), "hex")
      .toString()
      .replaceAll("\0", "");
  expect([text(name!.data), text(version!.data), text(symbol!.data)]).toEqual(["USD Coin", "2", "USDC"]);
  expect(BigInt(decimals!.data)).toBe(6n);
  for (let i = 0; i < 10; i++)
    expect(await balanceOf(workshop.chain, addressOf(wallet(i)))).toBe(10_000_000_000n);
});

test("an authorization settles once: the balance moves, the logs prove it, a replay moves nothing", async () => {
  const { chain } = workshop;
  const signed = await payment(wallet(0), 50_000n);
  expect(await factsOf(chain, [signed])).toEqual([
    { used: false, balance: 10_000_000_000n, would_settle: true },
  ]);
  const before = await balanceOf(chain, PAYEE);
  const receipt = await settle(signed);
  expect(receipt.success).toBe(true);
  expect(receipt.fee_wei).toBeGreaterThan(0n);
  expect(settledBy(receipt, signed.transfer)).toBe(true);
  expect(await balanceOf(chain, PAYEE)).toBe(before + 50_000n);
  expect(await factsOf(chain, [signed])).toEqual([
    { used: true, balance: 9_999_950_000n, would_settle: false, reason: expect.stringMatching(/used/) },
  ]);

  const again = await settle(signed);
  expect(again.success).toBe(true);
  expect(settledBy(again, signed.transfer)).toBe(false);
  expect(await balanceOf(chain, PAYEE)).toBe(before + 50_000n);
});

test("batched payments fail separately", async () => {
  const { chain } = workshop;
  const good = await Promise.all(
    Array.from({ length: 40 }, (_, i) => payment(wallet(i % 10), BigInt(1_000 + i))),
  );
  const now = BigInt(Math.floor(Date.now() / 1000));
  const tooMuch = await payment(wallet(1), 20_000_000_000n);
  const expired = await payment(wallet(2), 1n, { valid_before: now - 10n });
  const early = await payment(wallet(2), 1n, { valid_after: now + 100n });
  const forged = { ...(await payment(wallet(3), 1n)), signature: (await payment(wallet(4), 1n)).signature };
  const bad = [tooMuch, expired, early, forged];
  const facts = await factsOf(chain, [...good, ...bad]);
  expect(facts.map(({ would_settle }) => would_settle)).toEqual([
    ...good.map(() => true),
    ...bad.map(() => false),
  ]);
  expect(facts.slice(-4).map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/exceeds balance/),
    expect.stringMatching(/expired/),
    expect.stringMatching(/not yet valid/),
    expect.stringMatching(/signature/),
  ]);

  const before = await balanceOf(chain, PAYEE);
  const receipts = await Promise.all([...good.slice(0, 20), ...bad, ...good.slice(20)].map(settle));
  expect(new Set(receipts.map(({ transaction }) => transaction)).size).toBe(1);
  const [receipt] = receipts;
  expect(good.every(({ transfer }) => settledBy(receipt!, transfer))).toBe(true);
  expect(bad.some(({ transfer }) => settledBy(receipt!, transfer))).toBe(false);
  const paid = good.reduce((sum, { transfer }) => sum + transfer.value, 0n);
  expect(await balanceOf(chain, PAYEE)).toBe(before + paid);

  // The books: the logs of these nonces are those of the good payments.
  const { latest } = await chain.heads();
  const logs = await chain.logs(
    usedQuery(
      [...good, ...bad].map(({ transfer }) => transfer),
      0n,
      latest.number,
    ),
  );
  expect(new Set(logs.map(({ topics }) => topics[2]))).toEqual(
    new Set(good.map(({ transfer }) => transfer.nonce)),
  );
});

test("another sender's settlement is found by its log; a cancellation is not a settlement", async () => {
  const { chain } = workshop;
  const [carried, cancelled] = [await payment(wallet(5), 70n), await payment(wallet(5), 80n)];
  await carriedByStranger(workshop, carried);
  const cancellation = await wallet(5).signTypedData({
    ...{ ...typedDomain, primaryType: "CancelAuthorization" },
    message: { authorizer: cancelled.transfer.from, nonce: cancelled.transfer.nonce },
  });
  await chain.send(
    { to: USDC.address, data: cancelCall(cancelled.transfer.from, cancelled.transfer.nonce, cancellation) },
    { gas: TRANSFER_GAS, purpose: "settlement" },
  );
  const facts = await factsOf(chain, [carried, cancelled]);
  expect(facts.map(({ used }) => used)).toEqual([true, true]);

  const { latest } = await chain.heads();
  const logs = await chain.logs(usedQuery([carried.transfer, cancelled.transfer], 0n, latest.number));
  expect(logs.map(({ topics }) => topics[2])).toEqual([carried.transfer.nonce]);
  const receipt = await chain.receipt(logs[0]!.transaction);
  expect(settledBy(receipt!, carried.transfer)).toBe(true);
  expect(settledBy(receipt!, { ...carried.transfer, value: 71n })).toBe(false);
  expect(settledBy(receipt!, { ...carried.transfer, to: addressOf(wallet(1)) })).toBe(false);
});

const typedDomain = {
  domain: { name: USDC.name, version: USDC.version, chainId: 8453, verifyingContract: USDC.address },
  types: {
    CancelAuthorization: [
      { name: "authorizer", type: "address" },
      { name: "nonce", type: "bytes32" },
    ],
  },
} as const;

/** cancelAuthorization(address authorizer, bytes32 nonce, bytes signature) */
const cancelCall = (authorizer: Hex, nonce: Hex, signature: Hex): Hex =>
  `0xb7b72899${authorizer.slice(2).padStart(64, "0")}${nonce.slice(2)}${"60".padStart(64, "0")}${"41".padStart(64, "0")}${signature.slice(2).padEnd(192, "0")}`;

describe("a contract wallet (ERC-1271)", () => {
  const CONTRACT: Hex = "0x00000000000000000000000000000000c0ffee01";
  /** Answers every call with isValidSignature's magic value: PUSH4 0x1626ba7e, shift left 224, return 32 bytes. */
  const YES: Hex = "0x631626ba7e60e01b60005260206000f3";
  /** Answers 32 bytes of zero. */
  const NO: Hex = "0x600060005260206000f3";
  /** Jumps back to its start forever. */
  const LOOP: Hex = "0x5b600056";

  test("pays if its code accepts the signature, even one of no curve", async () => {
    const { chain, rpc } = workshop;
    await rpc("anvil_setCode", CONTRACT, YES);
    await settle(await payment(wallet(6), 500n, { to: CONTRACT }));
    const { transfer } = await payment(wallet(6), 400n, { from: CONTRACT });
    const signed = { transfer, signature: `0x${"5a".repeat(300)}` as Hex };
    expect(await chain.hasCode([CONTRACT, addressOf(wallet(6))])).toEqual([true, false]);
    expect(await factsOf(chain, [signed])).toMatchObject([{ would_settle: true, balance: 500n }]);
    await rpc("anvil_setCode", CONTRACT, NO);
    expect(await factsOf(chain, [signed])).toMatchObject([{ would_settle: false, balance: 500n }]);
    await rpc("anvil_setCode", CONTRACT, YES);
    const receipt = await chain.send(transferCall(signed), {
      gas: CONTRACT_PAYER_GAS,
      alone: true,
      purpose: "settlement",
    });
    expect(settledBy(receipt, transfer)).toBe(true);
  });

  test("that burns all its gas burns only its own", async () => {
    const { chain, rpc } = workshop;
    await rpc("anvil_setCode", CONTRACT, LOOP);
    const { transfer, signature } = await payment(wallet(7), 1n, { from: CONTRACT });
    const hostile = { transfer, signature };
    expect(await factsOf(chain, [hostile], CONTRACT_PAYER_GAS)).toMatchObject([{ would_settle: false }]);
    const good = await Promise.all([1n, 2n, 3n].map((value) => payment(wallet(7), value)));
    const [burnt, ...receipts] = await Promise.all([
      chain.send(transferCall(hostile), { gas: CONTRACT_PAYER_GAS, alone: true, purpose: "settlement" }),
      ...good.map(settle),
    ]);
    expect(burnt).toMatchObject({ success: false, logs: [] });
    expect(good.map((one, i) => settledBy(receipts[i]!, one.transfer))).toEqual([true, true, true]);
  });
});

test("payments that are sent alone do not block the others", async () => {
  const { chain } = workshop;
  const send = async (index: number, alone: boolean) =>
    chain.send(transferCall(await payment(wallet(index), 1_000n)), {
      gas: TRANSFER_GAS,
      alone,
      purpose: "settlement",
    });
  const signed = [true, true, true, false].map((alone, i) => send(i, alone));
  const [, second, third, shared] = (await Promise.all(signed)).map(({ block_number }) => block_number);
  expect(shared! < second! && second! < third!).toBe(true);
});
