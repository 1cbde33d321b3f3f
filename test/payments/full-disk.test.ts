/** Paid calls while the log's disk is full, simulated by Postgres's error: no charge without an answer. */
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { expectBooks } from "../support/books.ts";
import type { SignedPayment } from "../support/buyer.ts";
import { PAYEE } from "../support/wallets.ts";
import { expectAnswered, expectAway, openStall, type Stall, storyOf } from "./stall.ts";

const PRICE = 50_000n;

let stall: Stall;
let owner: pg.Client;
beforeAll(async () => {
  stall = await openStall();
  owner = new pg.Client({ connectionString: stall.service.database_url });
  await owner.connect();
  await owner.query(`create function public.no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
});
afterAll(async () => {
  await owner?.end();
  await stall?.close();
});
let full: string | undefined;
afterEach(async () => {
  await freed();
  await expectBooks(stall.service.app, stall.workshop.chain);
});

/** From now on inserts of these rows fail with a full disk. */
async function fill(table: string, when = ""): Promise<void> {
  full = table;
  await owner.query(
    `create trigger no_room before insert on ${table} for each row ${when} execute function public.no_room()`,
  );
}

async function freed(): Promise<void> {
  if (full !== undefined) await owner.query(`drop trigger no_room on ${full}`);
  full = undefined;
}

const ofType = (type: string) => `when (new.type = '${type}')`;

test("a full disk at the claim: nothing is charged, and the same payment buys once there is room", async () => {
  const paid = await stall.sign("claim");
  const earned = await stall.earned();
  await fill("eventstore.events", ofType("PaymentClaimed"));
  await expectAway(await stall.pay("claim", paid), "no-room");
  await expectAway(await stall.pay("claim", paid), "no-room");
  expect([await stall.earned(), await storyOf(stall.service, paid)]).toEqual([earned, []]);
  await freed();
  await expectAnswered(await stall.pay("claim", paid), "claim");
  expect(await stall.earned()).toBe(earned + PRICE);
  expect(await storyOf(stall.service, paid)).toEqual(["PaymentClaimed", "PaymentSettled"]);
});

const late: [string, () => Promise<void>][] = [
  ["the settlement", () => fill("eventstore.events", ofType("PaymentSettled"))],
  ["the answer", () => fill("access.kept_answers")],
];
test.each(late)(
  "a full disk at %s after the transfer: pending, then answered and charged once there is room",
  async (what, fillIt) => {
    const said = what.replace(" ", "_");
    const paid = await stall.sign(said);
    const earned = await stall.earned();
    await fillIt();
    await expectAway(await stall.pay(said, paid), "payment-pending");
    expect(await stall.earned()).toBe(earned + PRICE);
    await expectAway(await stall.pay(said, paid), "payment-pending");
    await freed();
    await expectAnswered(await stall.askedAgain(said, paid), said);
    expect(await stall.earned()).toBe(earned + PRICE);
    expect(await storyOf(stall.service, paid)).toEqual(
      expect.arrayContaining(["PaymentClaimed", "PaymentSettled"]),
    );
  },
);

test("a full disk at the settlement without another call: the payment is refunded", async () => {
  const paid = await stall.sign("gone");
  await fill("eventstore.events", ofType("PaymentSettled"));
  await expectAway(await stall.pay("gone", paid), "payment-pending");
  expect(await stall.reconcile({ claim_holds_ms: -1_000 }).catch(String)).not.toBe("done");
  await freed();
  await expect.poll(() => stall.reconcile({ claim_holds_ms: -1_000 }).catch(String)).toBe("done");
  await stall.mine(4);
  await stall.reconcile();
  await stall.reconcile({ answer_within_ms: -1_000 });
  expect(await stall.payRefunds()).toBe("done");
  expect((await storyOf(stall.service, paid)).slice(-3)).toEqual([
    "PaymentSettled",
    "RefundOpened",
    "RefundPaid",
  ]);
});

/** As a server that sells its own answers by /x402/settle. */
async function settle(paid: SignedPayment, headers: Record<string, string>): Promise<Response> {
  const paymentRequirements = {
    ...{ scheme: "exact", network: "base", maxAmountRequired: String(PRICE), payTo: PAYEE },
    asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  };
  const paymentPayload = { x402Version: 1, scheme: "exact", network: "base", payload: paid };
  return fetch(`${stall.service.url}/x402/settle`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ x402Version: 1, paymentPayload, paymentRequirements }),
  });
}

test("a full disk during a settlement for a key: pending after the transfer, no-room before it", async () => {
  const { headers } = await stall.service.issue({ tenant: "elsewhere" });
  const earned = await stall.earned();
  const unclaimed = await stall.sign("sold");
  await fill("eventstore.events", ofType("PaymentClaimed"));
  await expectAway(await settle(unclaimed, headers), "no-room");
  expect(await stall.earned()).toBe(earned);
  await freed();
  await fill("eventstore.events", ofType("PaymentSettled"));
  await expectAway(await settle(unclaimed, headers), "payment-pending");
  expect(await stall.earned()).toBe(earned + PRICE);
  await freed();
  // The claiming process is gone: the reactor finishes the payment.
  await expect.poll(() => stall.reconcile({ claim_holds_ms: -1_000 }).catch(String)).toBe("done");
  expect(await stall.earned()).toBe(earned + PRICE);
});

test("a full disk at the stored answer of a recorded command: it is answered, and so is its repeat", async () => {
  const { headers } = await stall.service.issue();
  const order = async () => {
    const answer = await fetch(`${stall.service.url}/v1/agent/test/order`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json", "Idempotency-Key": "ordered-once" },
      body: JSON.stringify({ name: "k_no_room" }),
    });
    return [answer.status, await answer.json()];
  };
  await fill("access.kept_answers");
  const first = await order();
  expect(first).toMatchObject([201, { data: { name: "k_no_room" } }]);
  await freed();
  expect(await order()).toEqual(first);
});
