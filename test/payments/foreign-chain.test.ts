/** The RPC endpoint serves another chain than the log's: no payment may be taken, and none marked. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../eventstore/errors.ts";
import { chainSettlement } from "../../src/adapters/settlement.ts";
import { settlementOnLogsChain } from "../../src/chain/settlement.ts";
import type { App } from "../../src/core/app.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { TransactionPending } from "../../src/core/model/ports/chain.ts";
import * as confirmation from "../../src/domain/payments/confirmation.ts";
import { balanceOf, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { type Meddler, openMeddler } from "../chain/meddler.ts";
import { expectBooks } from "../support/books.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { addressOf, GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";
import { sampleOperations, script } from "./sample-operations.ts";
import { expectAway, storyOf } from "./stall.ts";

/** Records the current final block in the log, with this hash if given; returns its number. */
async function confirmed(app: App, hash?: Hex): Promise<bigint> {
  const { finalized } = await app.chain.heads();
  const facts: confirmation.ConfirmationData = {
    network: "eip155:8453",
    block_number: Number(finalized.number),
    block_hash: hash ?? finalized.hash,
    timestamp: finalized.timestamp,
    as_of_position: 0,
    claimed_before: new Date().toISOString(),
    payments: 0,
    settled_micro: 0,
    refunds: 0,
    refunded_micro: 0,
    confirmed_at: new Date().toISOString(),
  };
  const meta = { actor: "test", operation: "test" };
  await app.decide(
    confirmation,
    confirmation.targetOf(facts.network),
    confirmation.confirm(facts, undefined),
    { meta },
  );
  return finalized.number;
}

let workshop: Workshop;
let before: Service & { database_url: string };
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  before = await startService({ operations: sampleOperations, chain });
  const { app } = before;
  await confirmed(app, `0x${"ab".repeat(32)}`);
  service = await startService({ operations: sampleOperations, chain, beside: before, reactors: true });
});
afterAll(async () => {
  await service?.stop();
  await before?.stop();
  await workshop?.close();
});

test("payments are refused, keys keep working, and the operator gets the remedy", async () => {
  const warnings = () =>
    service.logged.filter(({ msg }) => String(msg).startsWith("payments are not accepted"));
  await until(() => warnings().length > 0);
  expect(warnings()[0]!.reason).toMatch(/another history.*BASE_RPC_URL/);
  const url = `${service.url}/v1/agent/test/echo`;
  const answer = await present(url, await signPayment(wallet(0), await quoteOf(url)));
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ type: expect.stringContaining("payment-unavailable") });
  const { headers } = await service.issue();
  expect((await fetch(url, { headers })).status).toBe(200);
});

describe("an endpoint that switches to another chain between calls", () => {
  let meddler: Meddler;
  let seller: Service & { database_url: string };
  /** The log's block as a parameter of the node. */
  let known: string;
  beforeAll(async () => {
    meddler = await openMeddler(workshop.node.rpc_url);
    const chain = { rpc_url: meddler.url, gas_key: GAS_KEY, pay_to: PAYEE };
    seller = await startService({ operations: sampleOperations, chain });
    known = `0x${(await confirmed(seller.app)).toString(16)}`;
  });
  afterEach(() => {
    script.before = async () => {};
    meddler.meddle = () => undefined;
  });
  afterAll(async () => {
    if (seller) await expectBooks(seller.app);
    await seller?.stop();
    await meddler?.close();
  });

  const echo = (say: string) => `${seller.url}/v1/agent/test/echo?say=${say}`;
  const sign = async (say: string) => signPayment(wallet(1), await quoteOf(echo(say)));
  const earned = () => balanceOf(workshop.chain, PAYEE);
  const foreign = { hash: `0x${"cd".repeat(32)}`, number: "0x1", timestamp: "0x1" };
  type Other = [what: string, block: typeof foreign | null];
  const others: Other[] = [
    ["with another block", { ...foreign }],
    ["that does not reach the block", null],
  ];
  const serve = (block: typeof foreign | null) => {
    meddler.meddle = (method, [number]) =>
      method === "eth_getBlockByNumber" && number === known ? { result: block } : undefined;
  };

  test.each(others)("%s, before the check: nothing is taken", async (_, block) => {
    const paid = await sign("before");
    serve(block);
    const answer = await present(echo("before"), paid);
    expect(answer.status).toBe(503);
    expect(await storyOf(seller, paid)).not.toContain("PaymentSettled");
  });

  test.each(others)("%s, after the check: nothing is sent", async (_, block) => {
    const paid = await sign("between");
    const before = await earned();
    script.before = async () => serve(block);
    await expectAway(await present(echo("between"), paid), "payment-unavailable");
    expect(await storyOf(seller, paid)).toEqual(["PaymentClaimed", "PaymentFailed"]);
    expect(await earned()).toBe(before);
    script.before = async () => {};
    meddler.meddle = () => undefined;
    expect((await present(echo("between"), paid)).status).toBe(200);
  });

  test.each(others)("%s, after sending: the outcome is unknown", async (_, block) => {
    const paid = await sign("after");
    const before = await earned();
    meddler.meddle = (method) => {
      if (method === "eth_sendRawTransaction") serve(block);
      return undefined;
    };
    await expectAway(await present(echo("after"), paid), "payment-pending");
    expect(await storyOf(seller, paid)).toEqual(["PaymentClaimed"]);
    meddler.meddle = () => undefined;
    expect((await present(echo("after"), paid)).status).toBe(200);
    expect(await earned()).toBe(before + 50_000n);
  });

  test("a log that is down after sending: the outcome is unknown", async () => {
    let app = seller.app;
    const past = chainSettlement(app.chain);
    const settlement = settlementOnLogsChain(() => app, {
      ...past,
      settle: async (...given) => {
        const receipt = await past.settle(...given);
        app = { ...app, load: () => Promise.reject(new StoreUnavailable("the log is away")) };
        return receipt;
      },
    });
    const signed = await payment(wallet(2), 5n, { to: addressOf(wallet(3)) });
    await expect(settlement.settle(signed, 0n)).rejects.toThrow(TransactionPending);
  });
});
