/** The log follows the chain: whatever happens to a payment there, the books agree afterwards. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { compareChain } from "../../src/chain/history.ts";
import * as confirmation from "../../src/domain/payments/confirmation.ts";
import { reconcile } from "../../src/reactors/payments/reconcile.ts";
import { balanceOf, cancelAuthorization } from "../chain/fixture.ts";
import { alone, turnOf } from "../support/turns.ts";
import { PAYEE, wallet } from "../support/wallets.ts";
import { type LedgerSetup, openLedgerSetup } from "./ledger-setup.ts";

let setup: LedgerSetup;
beforeAll(async () => {
  setup = await openLedgerSetup();
});
afterAll(() => setup.close());
afterEach(() => setup.expectBooks());

test("a failed payment that a stranger settled becomes settled", async () => {
  const paid = await setup.claim(wallet(0), 50_000n);
  await setup.fail(paid);
  await setup.carry(paid.signed);
  await setup.reconcile();
  expect(await setup.storyOf(paid)).toEqual(["PaymentClaimed", "PaymentFailed", "PaymentSettled"]);
});

test("a payment whose process died between claim and send stays pending, then expires for good", async () => {
  const paid = await setup.claim(wallet(0), 50_000n);
  await setup.reconcile();
  expect(await setup.stateOf(paid)).toMatchObject({ status: "claimed" });
  await setup.pass(400);
  await setup.reconcile();
  expect(await setup.stateOf(paid)).toMatchObject({ status: "failed", reason: "expired", for_good: true });
  await setup.reconcile();
  expect(await setup.storyOf(paid)).toEqual(["PaymentClaimed", "PaymentFailed"]);
});

test("a temporarily failed payment is closed once nobody can send it", async () => {
  const paid = await setup.claim(wallet(0), 50_000n);
  await setup.fail(paid);
  await setup.reconcile();
  expect(await setup.stateOf(paid)).toMatchObject({ status: "failed", reason: "test", for_good: false });
  await setup.pass(400);
  await setup.reconcile();
  expect(await setup.stateOf(paid)).toMatchObject({ status: "failed", reason: "expired", for_good: true });
});

test("a payment whose process died between send and append is found; a running one is left alone", async () => {
  const claimed_at = new Date().toISOString();
  const [left, served] = [
    await setup.claim(wallet(1), 60_000n),
    await setup.claim(wallet(1), 70_000n, {}, { claimed_at }),
  ];
  const receipt = await setup.app.settlement.settle(left.signed, 0n);
  await setup.app.settlement.settle(served.signed, 0n);
  await setup.reconcile();
  expect(await setup.stateOf(left)).toMatchObject({
    status: "settled",
    settlement: { transaction: receipt.transaction, fee_wei: String(receipt.fee_wei) },
  });
  expect(await setup.stateOf(served)).toMatchObject({ status: "claimed" });
  await setup.reconcile({ claim_holds_ms: -1_000 });
  expect(await setup.stateOf(served)).toMatchObject({ status: "settled" });
});

test("a payment that its call settles during the lookup stays settled", async () => {
  const paid = await setup.claim(wallet(1), 80_000n);
  const { chain } = setup.app;
  const logs: typeof chain.logs = async (query) => {
    const found = await chain.logs(query);
    await setup.settle(paid);
    return found;
  };
  await setup.folded();
  expect(await reconcile({ ...setup.app, chain: { ...chain, logs } })).toBe("done");
  expect(await setup.storyOf(paid)).toEqual(["PaymentClaimed", "PaymentSettled"]);
});

describe("an authorization that ended otherwise fails for good once that is final:", () => {
  test("cancelled", async () => {
    const paid = await setup.claim(wallet(2), 50_000n);
    await cancelAuthorization(setup.workshop, wallet(2), paid.signed.transfer);
    await setup.mine(4);
    await setup.reconcile();
    expect(await setup.stateOf(paid)).toMatchObject({
      status: "failed",
      reason: "cancelled",
      for_good: true,
    });
  });

  test("used by its payer for a transfer to another account", async () => {
    const paid = await setup.claim(wallet(2), 50_000n);
    const { nonce } = paid.signed.transfer;
    await setup.carry(
      await setup.sign(wallet(2), 1n, { nonce, to: "0x000000000000000000000000000000000000dead" }),
    );
    await setup.mine(3);
    await setup.reconcile();
    const reason = "used for another transfer";
    expect(await setup.stateOf(paid)).toMatchObject({ status: "failed", reason, for_good: true });
  });
});

describe("a reorg", () => {
  test("to another transaction is followed", async () => {
    const paid = await setup.claim(wallet(3), 50_000n);
    const before = await setup.snapshot();
    const first = await setup.settle(paid);
    await setup.revert(before);
    const transaction = await setup.carry(paid.signed);
    await setup.mine(3);
    await setup.reconcile();
    expect(transaction).not.toBe(first.transaction);
    expect(await setup.stateOf(paid)).toMatchObject({
      status: "settled",
      settlement: { transaction },
      answer: {},
    });
    expect((await setup.storyOf(paid)).slice(1)).toEqual([
      "PaymentSettled",
      "PaymentReorged",
      "PaymentSettled",
    ]);
  });

  test("that drops a settlement sends it again while it is valid", async () => {
    const before = await balanceOf(setup.workshop.chain, PAYEE);
    const paid = await setup.claim(wallet(3), 51_000n);
    const snapshot = await setup.snapshot();
    await setup.settle(paid);
    await setup.revert(snapshot);
    await setup.reconcile();
    expect((await setup.storyOf(paid)).slice(1)).toEqual([
      "PaymentSettled",
      "PaymentReorged",
      "PaymentSettled",
    ]);
    expect(await balanceOf(setup.workshop.chain, PAYEE)).toBe(before + 51_000n);
  });

  test("that drops a settlement of an empty payer retries once it would settle", async () => {
    const paid = await setup.claim(wallet(4), 52_000n);
    const snapshot = await setup.snapshot();
    await setup.settle(paid);
    await setup.revert(snapshot);
    const rest = await balanceOf(setup.workshop.chain, paid.signed.transfer.from);
    const away = await setup.sign(wallet(4), rest, { to: "0x000000000000000000000000000000000000dead" });
    await setup.carry(away);
    await setup.reconcile();
    expect(await setup.stateOf(paid)).toMatchObject({ status: "reorged" });
    await setup.expectBooks();
    await setup.carry(await setup.sign(wallet(5), 52_000n, { to: paid.signed.transfer.from }));
    await setup.reconcile();
    expect(await setup.stateOf(paid)).toMatchObject({ status: "settled" });
  });

  test("that drops an expired settlement fails it for good, with its answer on record", async () => {
    const paid = await setup.claim(wallet(3), 53_000n);
    const snapshot = await setup.snapshot();
    await setup.settle(paid);
    await setup.revert(snapshot);
    await setup.pass(400);
    await setup.reconcile();
    expect(await setup.stateOf(paid)).toMatchObject({ status: "reorged" });
    await setup.reconcile();
    expect(await setup.stateOf(paid)).toMatchObject({
      status: "failed",
      reason: "expired",
      answer: { status: 200 },
    });
  });
});

test("a final payment is confirmed once, without further chain queries", async () => {
  const paid = await setup.claim(wallet(5), 50_000n);
  await setup.settle(paid);
  await setup.mine(4);
  await setup.reconcile();
  const target = confirmation.targetOf("eip155:8453");
  const confirmed = await setup.app.load(confirmation, target);
  const { rows } = await setup.app.pool.query<{ unfinished: boolean }>(
    "select unfinished from read.payments_v1 where id = $1 and final",
    [paid.id],
  );
  expect(rows).toEqual([{ unfinished: false }]);
  expect(confirmed).toMatchObject({ payments: expect.any(Number), settled_micro: expect.any(Number) });
  const events = await setup.app.store.readStream({ tenant: target.tenant, stream_id: "chain-eip155:8453" });
  const settled = await setup.app.pool.query<{ micro: number }>(
    "select sum(amount_micro)::bigint as micro from read.payments_v1 where status = 'settled'",
  );
  const sums = events.map(({ payload }) => payload.settled_micro as number);
  expect(sums.reduce((a, b) => a + b)).toBe(settled.rows[0]!.micro);
  const unreachable = () => Promise.reject(new Error("the chain was asked"));
  const deaf = {
    ...setup.app.chain,
    heads: unreachable,
    block: unreachable,
    logs: unreachable,
    receipt: unreachable,
    read: unreachable,
  };
  expect(await reconcile({ ...setup.app, chain: deaf })).toBe("done");
});

test("a settled payment without an answer is refunded after its time, and not before", async () => {
  const paid = await setup.claim(wallet(5), 50_000n);
  await setup.settle(paid, null);
  await setup.mine(4);
  await setup.reconcile();
  expect(await setup.stateOf(paid)).not.toHaveProperty("refund");
  await setup.reconcile({ answer_within_ms: -1_000 });
  expect(await setup.stateOf(paid)).toMatchObject({ refund: { amount_micro: 50_000 } });
});

test("while another process reconciles, nothing happens", async () => {
  await alone(setup.app, "payments", async () => {
    await setup.reconcile({}, "taken");
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
    const chain = setup.workshop.connect({ rpc_url, request_ms: 100, deadline_ms: 300 });
    const paid = await setup.claim(wallet(5), 50_000n);
    await setup.carry(paid.signed);
    await setup.folded();
    const { position } = await setup.app.store.head();
    expect(await turnOf({ ...setup.app, chain }, "payments", (turn) => reconcile(turn.app))).toMatchObject({
      status: "away",
    });
    expect(await setup.app.store.head()).toMatchObject({ position });
    chain.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await setup.reconcile();
    expect(await setup.stateOf(paid)).toMatchObject({ status: "settled" });
  });

  test("that lags behind its earlier heads changes nothing", async () => {
    const paid = await setup.claim(wallet(6), 50_000n);
    await setup.settle(paid);
    const { chain } = setup.app;
    const { latest } = await chain.heads();
    const old = (await chain.block(latest.number - 3n))!;
    const lagging = {
      ...chain,
      heads: async () => ({ latest: old, safe: old, finalized: old }),
      block: async (number: bigint) => (number > old.number ? undefined : chain.block(number)),
    };
    await setup.folded();
    expect(await reconcile({ ...setup.app, chain: lagging })).toBe("behind");
    expect(await setup.stateOf(paid)).toMatchObject({ status: "settled" });
  });
});

// Last, because the log and the chain have nothing in common afterwards.
describe("another history", () => {
  test("behind the RPC is distinguished from a reorg: nothing is marked, and the remedy is named", async () => {
    expect(await compareChain(setup.app)).toEqual({ status: "same" });
    const paid = await setup.claim(wallet(6), 50_000n);
    const snapshot = await setup.snapshot();
    await setup.settle(paid);
    await setup.mine(4);
    await setup.reconcile();
    const open = await setup.claim(wallet(6), 50_000n);
    await setup.revert(snapshot);
    expect(await compareChain(setup.app)).toMatchObject({
      status: "foreign",
      reason: expect.stringContaining("BASE_RPC_URL"),
    });
    await setup.reconcile({}, "foreign");
    expect(await setup.stateOf(paid)).toMatchObject({ status: "settled" });
    expect(await setup.stateOf(open)).toMatchObject({ status: "claimed" });
    // Also sent on this chain, so that the books can be compared.
    await setup.carry(paid.signed);
  });
});
