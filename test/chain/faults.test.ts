/** The endpoint dies, hangs or lies; transactions get stuck, are overtaken or removed by a reorg. */
import { createServer, type Server, type ServerResponse } from "node:http";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BaseChain } from "../../src/adapters/base-chain.ts";
import type { Receipt } from "../../src/core/model/chain.ts";
import { ChainUnavailable, TransactionPending } from "../../src/core/model/ports/chain.ts";
import type { SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import { settledBy, TRANSFER_GAS, transferCall } from "../../src/domain/payments/usdc.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";
import { balanceOf, factsOf, inPool, mineAgain, openWorkshop, stopMining, type Workshop } from "./fixture.ts";

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

const settle = (chain: BaseChain, signed: SignedTransfer): Promise<Receipt> =>
  chain.send(transferCall(signed), { gas: TRANSFER_GAS, purpose: "settlement" });

describe("an endpoint", () => {
  type Manner = (body: string, response: ServerResponse) => void | Promise<void>;
  let manner: Manner;
  let proxy: Server;
  let chain: BaseChain;
  beforeAll(async () => {
    proxy = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      await manner(Buffer.concat(parts).toString(), response);
    });
    await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
    const address = proxy.address();
    const port = typeof address === "object" ? address!.port : 0;
    chain = workshop.connect({ rpc_url: `http://127.0.0.1:${port}`, request_ms: 200, deadline_ms: 600 });
  });
  afterAll(async () => {
    chain.close();
    proxy.closeAllConnections();
    await new Promise((done) => proxy.close(done));
  });

  const honest: Manner = async (body, response) => {
    const answer = await fetch(workshop.node.rpc_url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    response.setHeader("content-type", "application/json").end(await answer.text());
  };
  const says = (answer: object): Manner => {
    return (body, response) => {
      const { id } = JSON.parse(body) as { id: number };
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    };
  };
  const wrong: [name: string, manner: Manner][] = [
    ["hangs up", (_, response) => void response.destroy()],
    ["never answers", () => undefined],
    [
      "begins an answer and never ends it",
      (_, response) => void response.writeHead(200).write('{"jsonrpc":'),
    ],
    ["answers 500", (_, response) => void response.writeHead(500).end("no")],
    ["answers 429", (_, response) => void response.writeHead(429).end("slow down")],
    ["answers what is not JSON", (_, response) => void response.end("<html>")],
    ["has an internal error", says({ error: { code: -32603, message: "internal error" } })],
    ["has a limit", says({ error: { code: -32005, message: "limit exceeded" } })],
    ["serves another chain", says({ result: "0x1" })],
  ];
  test.each(wrong)("%s is ChainUnavailable in time, and recovers by itself", async (_, bad) => {
    const signed = await payment(wallet(0), 10n);
    // A new chain, so that its first request meets the fault.
    const fresh = workshop.connect({
      rpc_url: rpcUrl(),
      request_ms: 200,
      deadline_ms: 600,
      sending: { wait_ms: 1_000 },
    });
    manner = bad;
    const failures = await Promise.allSettled([
      fresh.heads(),
      factsOf(fresh, [signed]),
      fresh.hasCode([PAYEE]),
      fresh.receipt(signed.transfer.nonce),
      settle(fresh, signed),
    ]);
    for (const failure of failures)
      expect(failure).toMatchObject({ status: "rejected", reason: expect.any(ChainUnavailable) });
    manner = honest;
    const healed = await until(() => factsOf(fresh, [signed]));
    expect(healed).toMatchObject([{ used: false, would_settle: true }]);
    expect(settledBy(await settle(fresh, signed), signed.transfer)).toBe(true);
    fresh.close();
  });

  test("that answers late or never during a transaction does not settle it twice", async () => {
    const before = await balanceOf(workshop.chain, PAYEE);
    const signed = await payment(wallet(0), 11n);
    let swallowed = 0;
    manner = async (body, response) => {
      // The transaction reaches the chain, but its answer is lost at first.
      if (body.includes("eth_sendRawTransaction") && swallowed++ < 3) {
        await fetch(workshop.node.rpc_url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        });
        return;
      }
      await honest(body, response);
    };
    const receipt = await settle(chain, signed);
    expect(swallowed).toBeGreaterThan(0);
    expect(settledBy(receipt, signed.transfer)).toBe(true);
    expect(await balanceOf(workshop.chain, PAYEE)).toBe(before + 11n);
  });

  const rpcUrl = () => {
    const address = proxy.address();
    return `http://127.0.0.1:${typeof address === "object" ? address!.port : 0}`;
  };
});

describe("a transaction", () => {
  const sending = { stuck_ms: 150, foreign_ms: 150, poll_ms: 20, wait_ms: 20_000 };
  const sender = privateKeyToAccount(GAS_KEY);
  test("that is stuck is replaced by one with a higher fee, and settles once", async () => {
    const chain = workshop.connect({ sending });
    await stopMining(workshop);
    const signed = await payment(wallet(1), 20n);
    const settled = settle(chain, signed);
    const first = await until(async () => {
      const [one] = await inPool(workshop);
      expect(one).toBeDefined();
      return one!;
    });
    const second = await until(async () => {
      const [one] = await inPool(workshop);
      expect(one!.hash).not.toBe(first.hash);
      return one!;
    });
    expect(second.nonce).toBe(first.nonce);
    expect(BigInt(second.maxFeePerGas) * 10n).toBeGreaterThanOrEqual(BigInt(first.maxFeePerGas) * 11n);
    await mineAgain(workshop);
    const receipt = await settled;
    expect(receipt.transaction).not.toBe(first.hash);
    expect(settledBy(receipt, signed.transfer)).toBe(true);
    chain.close();
  });

  test("whose nonce another used is sent again", async () => {
    const chain = workshop.connect({ sending: { ...sending, stuck_ms: 400 } });
    await stopMining(workshop);
    const signed = await payment(wallet(2), 30n);
    const settled = settle(chain, signed);
    const ours = await until(async () => {
      const [one] = await inPool(workshop);
      expect(one).toBeDefined();
      return one!;
    });
    const raw = await sender.signTransaction({
      ...{ type: "eip1559", chainId: 8453, nonce: Number(ours.nonce), to: sender.address, gas: 21_000n },
      ...{ maxFeePerGas: 50_000_000_000n, maxPriorityFeePerGas: 50_000_000_000n },
    });
    await workshop.rpc("eth_sendRawTransaction", raw);
    await mineAgain(workshop);
    const receipt = await settled;
    expect(receipt.transaction).not.toBe(ours.hash);
    expect(settledBy(receipt, signed.transfer)).toBe(true);
    chain.close();
  });

  test("that is not mined in time is reported as pending, and the queue continues", async () => {
    const chain = workshop.connect({ sending: { ...sending, wait_ms: 300, stuck_ms: 10_000 } });
    await stopMining(workshop);
    const [signed, behind] = [await payment(wallet(3), 40n), await payment(wallet(3), 41n)];
    const pending = settle(chain, signed).catch((error: unknown) => error);
    await until(async () => expect(await inPool(workshop)).toHaveLength(1));
    const refused = await settle(chain, behind).catch((error: unknown) => error);
    const answer = await pending;
    expect(answer).toBeInstanceOf(TransactionPending);
    expect(refused).toBeInstanceOf(ChainUnavailable);
    await mineAgain(workshop);
    const [hash] = (answer as TransactionPending).transactions;
    const receipt = await until(async () => {
      const found = await chain.receipt(hash!);
      expect(found).toBeDefined();
      return found!;
    });
    expect(settledBy(receipt, signed.transfer)).toBe(true);
    // A slow machine mines it later than the wait of this chain.
    const next = await until(() => settle(chain, behind));
    expect(settledBy(next, behind.transfer)).toBe(true);
    chain.close();
  });

  test("without gas is refused at once, and is sent once there is gas", async () => {
    const chain = workshop.connect({ sending });
    const signed = await payment(wallet(4), 50n);
    await workshop.rpc("anvil_setBalance", sender.address, "0x1");
    await expect(settle(chain, signed)).rejects.toThrow(/too little ether/);
    expect(await inPool(workshop)).toEqual([]);
    await workshop.rpc("anvil_setBalance", sender.address, "0x56bc75e2d63100000");
    expect(settledBy(await settle(chain, signed), signed.transfer)).toBe(true);
    chain.close();
  });

  test("that a reorg removed is detected, and settles again", async () => {
    const { chain } = workshop;
    const signed = await payment(wallet(5), 60n);
    const seen = await settle(chain, signed);
    const blockOf = async ({ transaction }: Receipt) => (await chain.receipt(transaction))?.block_hash;
    expect(await blockOf(seen)).toBe(seen.block_hash);
    await workshop.rpc(
      "anvil_reorg",
      1 + Number((await chain.heads()).latest.number - seen.block_number),
      [],
    );
    expect(await blockOf(seen)).not.toBe(seen.block_hash);
    expect((await chain.block(seen.block_number))?.hash).not.toBe(seen.block_hash);
    const [facts] = await factsOf(chain, [signed]);
    const again = facts!.used ? (await chain.receipt(seen.transaction))! : await settle(chain, signed);
    expect(settledBy(again, signed.transfer)).toBe(true);
    const isFinal = async () => (await chain.heads()).finalized.number >= again.block_number;
    await until(async () => expect(await isFinal()).toBe(true));
    expect(await blockOf(again)).toBe(again.block_hash);
  });
});
