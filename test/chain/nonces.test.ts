/** Processes that send by one gas key take separate nonces. */
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { sharedNonces } from "../../src/adapters/nonces.ts";
import type { SendLimits } from "../../src/adapters/send-queue/limits.ts";
import { networkOf } from "../../src/core/model/chain.ts";
import {
  type Chain,
  ChainUnavailable,
  GasKeyEmpty,
  TransactionPending,
} from "../../src/core/model/ports/chain.ts";
import { settledBy, TRANSFER_GAS, transferCall } from "../../src/domain/payments/usdc.ts";
import { type FreshDatabase, freshDatabase, makeServiceTables } from "../support/database.ts";
import { until } from "../support/until.ts";
import { addressOf, GAS_KEY, payment, wallet } from "../support/wallets.ts";
import { inPool, mineAgain, openWorkshop, stopMining, type Workshop } from "./fixture.ts";
import { openMeddler } from "./meddler.ts";

let workshop: Workshop;
let database: FreshDatabase;
beforeAll(async () => {
  [workshop, database] = await Promise.all([openWorkshop(), freshDatabase()]);
  await makeServiceTables(database.url);
});
afterAll(async () => {
  await workshop.close();
  await database.drop();
});

/** An overtaken sender would not finish in time. */
const sending = { foreign_ms: 100_000, stuck_ms: 100_000, wait_ms: 20_000, poll_ms: 20 };

const minedCount = async () => {
  const { address } = privateKeyToAccount(GAS_KEY);
  return Number(await workshop.rpc<string>("eth_getTransactionCount", address, "latest"));
};

/** A process that sends by the gas key. */
function openProcess(
  limits: Partial<SendLimits> = {},
  { url = database.url, rpc_url = workshop.node.rpc_url } = {},
) {
  const pool = openPool(url, { max: 1 });
  const nonces = sharedNonces(pool, networkOf(workshop.chain), addressOf(privateKeyToAccount(GAS_KEY)));
  const chain = workshop.connect({ rpc_url, sending: { ...sending, ...limits }, nonces });
  return {
    pool,
    nonces,
    chain,
    settle: async (nth: number) => {
      const signed = await payment(wallet(nth), 10n);
      const receipt = await chain.send(transferCall(signed), { gas: TRANSFER_GAS, purpose: "settlement" });
      return settledBy(receipt, signed.transfer);
    },
    close: async () => {
      chain.close();
      await pool.end();
    },
  };
}

/** An empty transaction that travels alone. */
const sendAlone = (chain: Chain, confirm?: () => Promise<void>) => {
  const options = { gas: 30_000n, purpose: "attestation", alone: true, ...(confirm && { confirm }) } as const;
  return chain.send({ to: chain.sender, data: "0x" }, options);
};

test("nonces of many processes are in flight together, and none waits for another's receipt", async () => {
  const processes = Array.from({ length: 4 }, () => openProcess());
  const before = await minedCount();
  await stopMining(workshop);
  const settled = processes.map(({ settle }, n) => settle(n));
  const sent = await until(async () => {
    const pool = await inPool(workshop);
    expect(pool).toHaveLength(4);
    return pool;
  });
  const nonces = sent.map(({ nonce }) => Number(nonce)).sort((a, b) => a - b);
  expect(nonces).toEqual([0, 1, 2, 3].map((n) => before + n));
  await mineAgain(workshop);
  expect(await Promise.all(settled)).toEqual([true, true, true, true]);
  expect(await minedCount()).toBe(before + 4);
  await Promise.all(processes.map(({ close }) => close()));
});

test("a gap left by a process that died before sending is filled", async () => {
  const one = openProcess({ gap_ms: 200 });
  expect(await one.settle(0)).toBe(true);
  const next = await minedCount();
  expect([await one.nonces.take(next), await one.nonces.take(next)]).toEqual([next, next + 1]);
  expect(await Promise.all([one.settle(1), one.settle(2)])).toEqual([true, true]);
  expect(await minedCount()).toBe(next + 3);
  expect(await one.settle(3)).toBe(true);
  expect(await minedCount()).toBe(next + 4);
  await one.close();
});

test("a nonce that is far too high because of a lying endpoint is abandoned, and lower ones are free", async () => {
  const [one, other] = [openProcess({ gap_ms: 200 }), openProcess({ gap_ms: 200 })];
  const next = await minedCount();
  expect(await one.nonces.take(next + 10_000)).toBe(next + 10_000);
  expect(await Promise.all([one.settle(0), other.settle(1)])).toEqual([true, true]);
  expect(await one.settle(2)).toBe(true);
  expect(await minedCount()).toBe(next + 3);
  await workshop.rpc("anvil_dropAllTransactions");
  await Promise.all([one.close(), other.close()]);
});

test("a call that may be sent only once is not sent again next to an abandoned nonce", async () => {
  const one = openProcess({ gap_ms: 200 });
  const next = await minedCount();
  expect(await one.nonces.take(next + 10_000)).toBe(next + 10_000);
  await expect(sendAlone(one.chain)).rejects.toThrow(TransactionPending);
  expect(await minedCount()).toBe(next);
  expect(await one.settle(2)).toBe(true);
  expect(await minedCount()).toBe(next + 1);
  await workshop.rpc("anvil_dropAllTransactions");
  await one.close();
});

test("a nonce taken long ago and never sent is free", async () => {
  const one = openProcess();
  const next = await minedCount();
  expect(await one.nonces.take(next + 5)).toBe(next + 5);
  await one.pool.query("update chain.nonces set taken_at = taken_at - interval '2 days'");
  expect(await one.settle(0)).toBe(true);
  expect(await minedCount()).toBe(next + 1);
  await one.close();
});

test("a send with an empty gas key leaves no gap", async () => {
  const [one, other] = [openProcess(), openProcess()];
  const { address } = privateKeyToAccount(GAS_KEY);
  const balance = await workshop.rpc<string>("eth_getBalance", address, "latest");
  const next = await minedCount();
  await workshop.rpc("anvil_setBalance", address, "0x1");
  await expect(one.settle(0)).rejects.toThrow(GasKeyEmpty);
  await workshop.rpc("anvil_setBalance", address, balance);
  expect(await other.settle(1)).toBe(true);
  expect(await minedCount()).toBe(next + 1);
  await Promise.all([one.close(), other.close()]);
});

test("without the database the chain's nonce is used, and calls that may be sent only once are not sent", async () => {
  const one = openProcess({ unsent_ms: 300 }, { url: "postgres://nobody@127.0.0.1:1/nothing" });
  expect(await one.settle(4)).toBe(true);
  const next = await minedCount();
  await expect(sendAlone(one.chain)).rejects.toThrow(ChainUnavailable);
  expect(await minedCount()).toBe(next);
  expect(await inPool(workshop)).toEqual([]);
  await one.close();
});

test("a call that may be sent only once is not sent after its sender lost the right to it", async () => {
  const one = openProcess();
  const next = await minedCount();
  await expect(sendAlone(one.chain, () => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
  await sendAlone(one.chain, async () => {});
  expect(await minedCount()).toBe(next + 1);
  await one.close();
});

test("the highest nonce stays known for a day, even when lower ones are free again", async () => {
  const one = openProcess();
  const next = await minedCount();
  const aDayPasses = () =>
    one.pool.query("update chain.nonces set highest_at = highest_at - interval '2 days'");
  await aDayPasses();
  expect(await one.nonces.take(next + 20)).toBe(next + 20);
  await one.nonces.giveBack(next + 20);
  await one.nonces.leave(next + 19, next);
  expect(await one.nonces.take(next)).toBe(next);
  await one.nonces.giveBack(next);
  expect(await one.chain.highestNonce()).toBe(next + 20);
  await aDayPasses();
  expect(await one.chain.highestNonce()).toBe(-1);
  expect(await one.settle(0)).toBe(true);
  expect(await one.chain.highestNonce()).toBe(next);
  await one.close();
});

test("a dead process's underpriced transaction is replaced, so that others are mined", async () => {
  const [dead, other] = [openProcess(), openProcess({ gap_ms: 50, stuck_ms: 100 })];
  const next = await minedCount();
  await stopMining(workshop);
  const lost = dead.settle(0).catch(() => "lost");
  await until(async () => expect(await inPool(workshop)).toHaveLength(1));
  await dead.close();
  // More expensive than the offer.
  const [sent] = await inPool(workshop);
  const dear = 2n * BigInt(sent!.maxFeePerGas);
  await workshop.rpc("anvil_setNextBlockBaseFeePerGas", `0x${dear.toString(16)}`);
  await workshop.rpc("evm_mine");
  expect(await minedCount()).toBe(next);
  await mineAgain(workshop);
  expect(await other.settle(1)).toBe(true);
  expect(await minedCount()).toBe(next + 2);
  expect(await lost).toBe("lost");
  await other.close();
});

test("a repeated transaction is not rejected as unpaid, because a pool may have it", async () => {
  const meddler = await openMeddler(workshop.node.rpc_url);
  const [other, one] = [openProcess(), openProcess({ stuck_ms: 100 }, { rpc_url: meddler.url })];
  await stopMining(workshop);
  const before = other.settle(0);
  await until(async () => expect(await inPool(workshop)).toHaveLength(1));
  const settled = one.settle(1);
  await until(async () => expect(await inPool(workshop)).toHaveLength(2));
  let again = 0;
  meddler.meddle = (method) => {
    if (method !== "eth_sendRawTransaction") return undefined;
    again++;
    return { error: { code: -32000, message: "insufficient funds for gas * price + value" } };
  };
  await until(async () => expect(again).toBeGreaterThan(1));
  await mineAgain(workshop);
  expect(await Promise.all([before, settled])).toEqual([true, true]);
  await Promise.all([one.close(), other.close()]);
  await meddler.close();
});

test("a transaction that a node refuses as underpriced is signed again with a higher fee", async () => {
  const meddler = await openMeddler(workshop.node.rpc_url);
  const one = openProcess({ stuck_ms: 200 }, { rpc_url: meddler.url });
  const offered: string[] = [];
  meddler.meddle = (method, [raw]) => {
    if (method !== "eth_sendRawTransaction") return undefined;
    offered.push(String(raw));
    const isFirst = raw === offered[0];
    return isFirst
      ? { error: { code: -32000, message: "max fee per gas less than block base fee" } }
      : undefined;
  };
  expect(await one.settle(5)).toBe(true);
  expect(offered.length).toBeGreaterThan(2);
  await one.close();
  await meddler.close();
});

test("the queue follows a chain that went back", async () => {
  const one = openProcess({ gap_ms: 200 });
  const kept = await workshop.rpc<string>("evm_snapshot");
  const next = await minedCount();
  expect(await one.settle(0)).toBe(true);
  await workshop.rpc("evm_revert", kept);
  expect(await minedCount()).toBe(next);
  expect(await one.settle(1)).toBe(true);
  // An empty transaction uses the nonce that is free again.
  expect(await minedCount()).toBe(next + 2);
  await one.close();
});
