/** The log follows the chain: whatever happens to a payment there, and whoever did it, the books agree afterwards. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { compareChain } from "../../src/chain/history.ts";
import * as confirmation from "../../src/domain/payments/confirmation.ts";
import { reconcile } from "../../src/reactors/payments/reconcile.ts";
import { balanceOf, cancelAuthorization, PAYEE, wallet } from "../chain/fixture.ts";
import { alone, turnOf } from "../support/turns.ts";
import { type LedgerHouse, openLedgerHouse } from "./ledger-house.ts";

let house: LedgerHouse;
beforeAll(async () => {
  house = await openLedgerHouse();
});
afterAll(() => house.close());
afterEach(() => house.expectBooks());

test("one that a stranger settled after it failed here is settled after all", async () => {
  const paid = await house.claim(wallet(0), 50_000n);
  await house.fail(paid);
  await house.carry(paid.signed);
  await house.reconcile();
  expect(await house.storyOf(paid)).toEqual(["PaymentClaimed", "PaymentFailed", "PaymentSettled"]);
});

test("one whose process died between claim and send stays pending, then expires for good", async () => {
  const paid = await house.claim(wallet(0), 50_000n);
  await house.reconcile();
  expect(await house.stateOf(paid)).toMatchObject({ status: "claimed" });
  await house.pass(400);
  await house.reconcile();
  expect(await house.stateOf(paid)).toMatchObject({ status: "failed", reason: "expired", for_good: true });
  await house.reconcile();
  expect(await house.storyOf(paid)).toEqual(["PaymentClaimed", "PaymentFailed"]);
});

test("one that failed for a while is closed once nobody can carry it any more", async () => {
  const paid = await house.claim(wallet(0), 50_000n);
  await house.fail(paid);
  await house.reconcile();
  expect(await house.stateOf(paid)).toMatchObject({ status: "failed", reason: "test", for_good: false });
  await house.pass(400);
  await house.reconcile();
  expect(await house.stateOf(paid)).toMatchObject({ status: "failed", reason: "expired", for_good: true });
});

test("one whose process died between send and append is found; one that is being served is left alone", async () => {
  const claimed_at = new Date().toISOString();
  const [left, served] = [
    await house.claim(wallet(1), 60_000n),
    await house.claim(wallet(1), 70_000n, {}, { claimed_at }),
  ];
  const receipt = await house.app.settlement.settle(left.signed, 0n);
  await house.app.settlement.settle(served.signed, 0n);
  await house.reconcile();
  expect(await house.stateOf(left)).toMatchObject({
    status: "settled",
    settlement: { transaction: receipt.transaction, fee_wei: String(receipt.fee_wei) },
  });
  expect(await house.stateOf(served)).toMatchObject({ status: "claimed" });
  await house.reconcile({ claim_holds_ms: -1_000 });
  expect(await house.stateOf(served)).toMatchObject({ status: "settled" });
});

test("one that is settled and appended by its call while it is looked for stays settled", async () => {
  const paid = await house.claim(wallet(1), 80_000n);
  const { chain } = house.app;
  const logs: typeof chain.logs = async (query) => {
    const found = await chain.logs(query);
    await house.settle(paid);
    return found;
  };
  await house.folded();
  expect(await reconcile({ ...house.app, chain: { ...chain, logs } })).toBe("done");
  expect(await house.storyOf(paid)).toEqual(["PaymentClaimed", "PaymentSettled"]);
});

describe("an authorization that ended otherwise is given up once that is final:", () => {
  test("cancelled", async () => {
    const paid = await house.claim(wallet(2), 50_000n);
    await cancelAuthorization(house.workshop, wallet(2), paid.signed.transfer);
    await house.mine(4);
    await house.reconcile();
    expect(await house.stateOf(paid)).toMatchObject({
      status: "failed",
      reason: "cancelled",
      for_good: true,
    });
  });

  test("used by its payer for a transfer to another", async () => {
    const paid = await house.claim(wallet(2), 50_000n);
    const { nonce } = paid.signed.transfer;
    await house.carry(
      await house.sign(wallet(2), 1n, { nonce, to: "0x000000000000000000000000000000000000dead" }),
    );
    await house.mine(3);
    await house.reconcile();
    const reason = "used for another transfer";
    expect(await house.stateOf(paid)).toMatchObject({ status: "failed", reason, for_good: true });
  });
});

describe("a reorg", () => {
  test("that moves a settlement into another transaction is followed", async () => {
    const paid = await house.claim(wallet(3), 50_000n);
    const before = await house.snapshot();
    const first = await house.settle(paid);
    await house.revert(before);
    const transaction = await house.carry(paid.signed);
    await house.mine(3);
    await house.reconcile();
    expect(transaction).not.toBe(first.transaction);
    expect(await house.stateOf(paid)).toMatchObject({
      status: "settled",
      settlement: { transaction },
      answer: {},
    });
    expect((await house.storyOf(paid)).slice(1)).toEqual([
      "PaymentSettled",
      "PaymentReorged",
      "PaymentSettled",
    ]);
  });

  test("that drops it has it sent again while it holds", async () => {
    const before = await balanceOf(house.workshop.chain, PAYEE);
    const paid = await house.claim(wallet(3), 51_000n);
    const snapshot = await house.snapshot();
    await house.settle(paid);
    await house.revert(snapshot);
    await house.reconcile();
    expect((await house.storyOf(paid)).slice(1)).toEqual([
      "PaymentSettled",
      "PaymentReorged",
      "PaymentSettled",
    ]);
    expect(await balanceOf(house.workshop.chain, PAYEE)).toBe(before + 51_000n);
  });

  test("that drops it while its payer has nothing left is tried again when it would go through", async () => {
    const paid = await house.claim(wallet(4), 52_000n);
    const snapshot = await house.snapshot();
    await house.settle(paid);
    await house.revert(snapshot);
    const rest = await balanceOf(house.workshop.chain, paid.signed.transfer.from);
    const away = await house.sign(wallet(4), rest, { to: "0x000000000000000000000000000000000000dead" });
    await house.carry(away);
    await house.reconcile();
    expect(await house.stateOf(paid)).toMatchObject({ status: "reorged" });
    await house.expectBooks();
    await house.carry(await house.sign(wallet(5), 52_000n, { to: paid.signed.transfer.from }));
    await house.reconcile();
    expect(await house.stateOf(paid)).toMatchObject({ status: "settled" });
  });

  test("that drops it after it expired leaves it failed for good, its answer on record", async () => {
    const paid = await house.claim(wallet(3), 53_000n);
    const snapshot = await house.snapshot();
    await house.settle(paid);
    await house.revert(snapshot);
    await house.pass(400);
    await house.reconcile();
    expect(await house.stateOf(paid)).toMatchObject({ status: "reorged" });
    await house.reconcile();
    expect(await house.stateOf(paid)).toMatchObject({
      status: "failed",
      reason: "expired",
      answer: { status: 200 },
    });
  });
});

test("what is final is confirmed once, and nothing is asked of the chain after that", async () => {
  const paid = await house.claim(wallet(5), 50_000n);
  await house.settle(paid);
  await house.mine(4);
  await house.reconcile();
  const target = confirmation.targetOf("eip155:8453");
  const confirmed = await house.app.load(confirmation, target);
  const { rows } = await house.app.pool.query<{ unfinished: boolean }>(
    "select unfinished from read.payments_v1 where id = $1 and final",
    [paid.id],
  );
  expect(rows).toEqual([{ unfinished: false }]);
  expect(confirmed).toMatchObject({ payments: expect.any(Number), settled_micro: expect.any(Number) });
  const events = await house.app.store.readStream({ tenant: target.tenant, stream_id: "chain-eip155:8453" });
  const settled = await house.app.pool.query<{ micro: number }>(
    "select sum(amount_micro)::bigint as micro from read.payments_v1 where status = 'settled'",
  );
  const sums = events.map(({ payload }) => payload.settled_micro as number);
  expect(sums.reduce((a, b) => a + b)).toBe(settled.rows[0]!.micro);
  const asked = () => Promise.reject(new Error("the chain was asked"));
  const deaf = { ...house.app.chain, heads: asked, block: asked, logs: asked, receipt: asked, read: asked };
  expect(await reconcile({ ...house.app, chain: deaf })).toBe("done");
});

test("what was settled and never answered is refunded in the end, and not before", async () => {
  const paid = await house.claim(wallet(5), 50_000n);
  await house.settle(paid, null);
  await house.mine(4);
  await house.reconcile();
  expect(await house.stateOf(paid)).not.toHaveProperty("refund");
  await house.reconcile({ answer_within_ms: -1_000 });
  expect(await house.stateOf(paid)).toMatchObject({ refund: { amount_micro: 50_000 } });
});

test("while another process is at it, nothing is done", async () => {
  await alone(house.app, "payments", async () => {
    await house.reconcile({}, "taken");
    return "done";
  });
});

describe("an RPC", () => {
  const manners: [string, (end: (text: string) => void) => void][] = [
    ["that is dead", (end) => end("no")],
    ["that hangs", () => undefined],
  ];
  test.each(manners)("%s changes nothing", async (_, manner) => {
    const server = createServer((_request, response) =>
      manner((text) => void response.writeHead(500).end(text)),
    );
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const rpc_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const chain = house.workshop.connect({ rpc_url, request_ms: 100, deadline_ms: 300 });
    const paid = await house.claim(wallet(5), 50_000n);
    await house.carry(paid.signed);
    await house.folded();
    const { position } = await house.app.store.head();
    expect(await turnOf({ ...house.app, chain }, "payments", (turn) => reconcile(turn.app))).toMatchObject({
      status: "away",
    });
    expect(await house.app.store.head()).toMatchObject({ position });
    chain.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await house.reconcile();
    expect(await house.stateOf(paid)).toMatchObject({ status: "settled" });
  });

  test("that lags behind what it showed before changes nothing", async () => {
    const paid = await house.claim(wallet(6), 50_000n);
    await house.settle(paid);
    const { chain } = house.app;
    const { latest } = await chain.heads();
    const old = (await chain.block(latest.number - 3n))!;
    const lagging = {
      ...chain,
      heads: async () => ({ latest: old, safe: old, finalized: old }),
      block: async (number: bigint) => (number > old.number ? undefined : chain.block(number)),
    };
    await house.folded();
    expect(await reconcile({ ...house.app, chain: lagging })).toBe("behind");
    expect(await house.stateOf(paid)).toMatchObject({ status: "settled" });
  });
});

// The last one: afterwards the log and the chain have nothing in common.
describe("another history", () => {
  test("behind the RPC is told from a reorg: nothing is marked, and the remedy is named", async () => {
    expect(await compareChain(house.app)).toEqual({ status: "same" });
    const paid = await house.claim(wallet(6), 50_000n);
    const snapshot = await house.snapshot();
    await house.settle(paid);
    await house.mine(4);
    await house.reconcile();
    const open = await house.claim(wallet(6), 50_000n);
    await house.revert(snapshot);
    expect(await compareChain(house.app)).toMatchObject({
      status: "foreign",
      reason: expect.stringContaining("BASE_RPC_URL"),
    });
    await house.reconcile({}, "foreign");
    expect(await house.stateOf(paid)).toMatchObject({ status: "settled" });
    expect(await house.stateOf(open)).toMatchObject({ status: "claimed" });
    // Carried to this history too, so that the books can be compared.
    await house.carry(paid.signed);
  });
});
