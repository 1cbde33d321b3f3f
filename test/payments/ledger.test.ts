/** Answers about payments for payers and the public, over real HTTP. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChainUnavailable } from "../../src/core/model/ports/chain.ts";
import * as payments from "../../src/domain/payments/payment.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { wallet } from "../support/wallets.ts";
import { type LedgerSetup, openLedgerSetup, type Paid } from "./ledger-setup.ts";

let setup: LedgerSetup;
let service: Service;
const told: Record<"pending" | "answered" | "refunded" | "failed", Paid> = {} as never;

beforeAll(async () => {
  setup = await openLedgerSetup();
  const { app } = setup;
  service = await startService({ database_url: setup.database_url, chain: setup.chain });
  told.pending = await setup.claim(wallet(0), 1n);
  told.answered = await setup.claim(wallet(1), 1_250_000n);
  told.failed = await setup.claim(wallet(2), 50_000n);
  told.refunded = await setup.claim(wallet(3), 100_000n, {}, { operation: "test_other" });
  await setup.fail(told.failed);
  await setup.settle(told.answered);
  await setup.settle(told.refunded, null);
  const refund = payments.openRefund("test", app.clock.now().toISOString());
  const meta = { actor: "test", operation: "test" };
  await app.decide(payments, told.refunded.target, refund, { meta });
  await setup.folded();
});
afterAll(async () => {
  await service.stop();
  await setup.close();
});

type Body = Record<string, never> & { data: Record<string, unknown>; errors: { path: string }[] };
async function get(path: string): Promise<{ status: number; body: Body }> {
  const response = await fetch(service.url + path);
  return { status: response.status, body: (await response.json()) as Body };
}
const statusOf = async (paid: Paid) => (await get(`/v1/agent/payments/${paid.id}`)).body.data;

describe("a payment", () => {
  test("that is settled shows its transaction, its finality, and its purchase", async () => {
    const before = await statusOf(told.answered);
    const { transfer } = told.answered.signed;
    expect(before).toMatchObject({
      status: "settled",
      amount_usdc: "1.25",
      payer: transfer.from,
      pay_to: transfer.to,
      operation: "test_echo",
      explorer_url: `https://basescan.org/tx/${before.transaction}`,
      finality: expect.stringMatching(/^(included|safe|final)$/),
      answer: { status: 200, body_seal: expect.stringMatching(/^[0-9a-f]{64}$/) },
      refund: null,
      development_chain: false,
    });
    expect(JSON.stringify(before)).not.toContain(told.answered.signed.signature.slice(2));
    // A plain digest could be compared with every likely answer.
    const state = await service.app.load(payments, payments.targetOf(told.answered.id));
    expect(state!.answer!.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(before)).not.toContain(state!.answer!.sha256);
    await setup.mine(4);
    // The heads may be a second old.
    await expect.poll(async () => (await statusOf(told.answered)).finality).toBe("final");
  });

  test("that is pending, failed or refunded shows that status", async () => {
    expect(await statusOf(told.pending)).toMatchObject({
      ...{ status: "pending", amount_usdc: "0.000001", transaction: null, finality: null, settled_at: null },
    });
    expect(await statusOf(told.failed)).toMatchObject({
      status: "failed",
      failure: { reason: "test", for_good: false },
    });
    expect(await statusOf(told.refunded)).toMatchObject({
      status: "settled",
      answer: null,
      refund: { amount_usdc: "0.10", status: "open", transaction: null },
    });
  });

  test("that nobody claimed is 404, and an invalid id is 400", async () => {
    const unknown = told.pending.id.replace(/.{4}$/, "0000");
    expect((await get(`/v1/agent/payments/${unknown}`)).status).toBe(404);
    const wrong = await get(`/v1/agent/payments/${told.pending.id.toUpperCase()}`);
    expect([wrong.status, wrong.body.errors]).toMatchObject([400, [{ path: "id" }]]);
  });

  test("has null finality while the chain is unavailable", async () => {
    const { chain } = service.app;
    const { heads, block } = chain;
    await setup.reconcile();
    const paid = await setup.claim(wallet(1), 10n);
    await setup.settle(paid);
    const away = () => Promise.reject(new ChainUnavailable("away"));
    Object.assign(chain, { heads: away, block: away });
    expect(await statusOf(paid)).toMatchObject({ status: "settled", finality: null });
    // The log's confirmations need no chain.
    expect(await statusOf(told.answered)).toMatchObject({ finality: "final" });
    Object.assign(chain, { heads, block });
  });
});

describe("the public ledger", () => {
  type Ledger = {
    totals: Record<string, unknown> & { by_operation: { operation: string; net_usdc: string }[] };
    payments: { id: string; transaction: string; explorer_url: string | null; refund: object | null }[];
    count: number;
    next_cursor: string | null;
  };
  const page = async (query = "") =>
    (await get(`/soul/revenue/transparency${query}`)).body as unknown as Ledger;

  test("sums settled payments by operation and by day, and shows no more than that", async () => {
    await setup.folded();
    const ledger = await page();
    expect(ledger).toMatchObject({
      development_chain: false,
      pay_to_url: expect.stringContaining("https://basescan.org/address/0x"),
      totals: {
        ...{
          payments: 3,
          settled_usdc: "1.35001",
          reorged_usdc: "0.00",
          refunded_usdc: "0.00",
          net_usdc: "1.35001",
        },
        by_operation: [{ operation: "test_echo", net_usdc: "1.25001" }, { operation: "test_other" }],
        by_day: expect.arrayContaining([expect.objectContaining({ payments: expect.any(Number) })]),
      },
    });
    expect(ledger.payments.map(({ id }) => id)).not.toContain(told.failed.id);
    expect(JSON.stringify(ledger)).not.toContain(told.answered.signed.signature.slice(2));
  });

  test("is read page by page, newest first, each payment once", async () => {
    const seen: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const one: Ledger = await page(`?limit=2${cursor ? `&cursor=${cursor}` : ""}`);
      seen.push(...one.payments.map(({ id }) => id));
      expect(one.count).toBe(one.payments.length);
      cursor = one.next_cursor;
      if (cursor === null) break;
    }
    expect(seen).toHaveLength(3);
    expect(seen.slice(1)).toEqual([told.refunded.id, told.answered.id]);
    expect((await get("/soul/revenue/transparency?cursor=x")).status).toBe(400);
    expect((await get("/soul/revenue/transparency?limit=101")).status).toBe(400);
  });

  test("links to no explorer on the development chain, and says why", async () => {
    replace(service.app, { embedded_chain: true });
    const ledger = await page();
    expect(ledger).toMatchObject({ development_chain: true, pay_to_url: null });
    expect(ledger.payments.every(({ explorer_url }) => explorer_url === null)).toBe(true);
    expect(await statusOf(told.answered)).toMatchObject({ development_chain: true, explorer_url: null });
    replace(service.app, { embedded_chain: false });
  });
});
