/** Paid calls while the log's disk is full, by what Postgres says then: nothing is charged for nothing, and what was charged is answered. */
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

/** From now on these rows find no room. */
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

test("no room for the claim: nothing was charged, and the same payment buys once there is room", async () => {
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
  "no room for %s, once the money has moved: the payment is pending, and is answered once there is room, charged once",
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

test("no room for the settlement, and its caller does not come back: what was paid is given back", async () => {
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

/** As a server sells by /x402/settle what it makes itself. */
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

test("no room while a payment is settled for a key: it is pending where the money has moved, and no-room where it has not", async () => {
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
  // Nobody is at it any more: the reactor sees it through.
  await expect.poll(() => stall.reconcile({ claim_holds_ms: -1_000 }).catch(String)).toBe("done");
  expect(await stall.earned()).toBe(earned + PRICE);
});

test("no room to keep the answer of a command that was recorded: it is answered, and so it is when said again", async () => {
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
