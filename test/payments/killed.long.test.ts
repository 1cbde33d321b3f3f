/** The process is killed at each step of a paid call; afterwards the log agrees with the chain. */

import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { balanceOf, carriedByStranger, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { present, quoteOf, type SignedPayment, signPayment } from "../support/buyer.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { addressOf, GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";
import { startDoomed } from "./doomed.ts";
import { sampleOperations } from "./sample-operations.ts";
import { reactorsOf, storyOf } from "./stall.ts";

let workshop: Workshop;
let database: FreshDatabase;
let survivor: Service & { database_url: string };
const children: ChildProcess[] = [];
beforeAll(async () => {
  [workshop, database] = await Promise.all([openWorkshop(), freshDatabase()]);
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  survivor = await startService({ operations: sampleOperations, database_url: database.url, chain });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  if (survivor) await expectBooks(survivor.app);
  await survivor?.stop();
  await database?.drop();
  await workshop?.close();
});

/** A service process that dies when two paid calls have reached this step. */
const doomed = (dies_at: string) => startDoomed(dies_at, survivor, workshop, children);

const PATH = "/v1/agent/test/order";
const PRICE = 500_000n;
const earned = () => balanceOf(workshop.chain, PAYEE);
const typesOf = (payment: SignedPayment) => storyOf(survivor, payment);

const order = (name: string): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ name }),
});

/** Presents a payment to the survivor with its clock at `now` (Unix milliseconds). */
async function presentAt(now: number, paid: SignedPayment, name: string): Promise<Response> {
  const { clock } = survivor.app;
  replace(survivor.app, { clock: { now: () => new Date(now) } });
  try {
    return await present(survivor.url + PATH, paid, order(name));
  } finally {
    replace(survivor.app, { clock });
  }
}

/** `left`: the log's events when the process dies; `forgotten`: those in the end if nobody calls again. */
type Step = { step: string; left: string[]; settled: boolean; forgotten: string[] };
const REFUNDED = ["PaymentClaimed", "PaymentSettled", "RefundOpened", "RefundPaid"];
const steps: Step[] = [
  { step: "after the facts", left: [], settled: false, forgotten: [] },
  { step: "in the handler", left: [], settled: false, forgotten: [] },
  { step: "before the claim", left: [], settled: false, forgotten: [] },
  {
    step: "after the claim",
    left: ["PaymentClaimed"],
    settled: false,
    forgotten: ["PaymentClaimed", "PaymentFailed"],
  },
  { step: "while it is sent", left: ["PaymentClaimed"], settled: true, forgotten: REFUNDED },
  { step: "after it is settled", left: ["PaymentClaimed"], settled: true, forgotten: REFUNDED },
  { step: "after the answer is kept", left: ["PaymentClaimed"], settled: true, forgotten: REFUNDED },
  {
    step: "after it is recorded",
    left: ["PaymentClaimed", "PaymentSettled"],
    settled: true,
    forgotten: ["PaymentClaimed", "PaymentSettled"],
  },
];

/** The second payment of each death, for which nobody calls again. */
const forgottenOnes = new Map<Step, SignedPayment>();

test.each(steps)("killed $step: a repeated call is answered, and charged once", async (one) => {
  const { step, left, settled } = one;
  const name = `k_${step.replaceAll(" ", "_")}`;
  const before = await earned();
  const victim = await doomed(step);
  const quote = await quoteOf(victim.url + PATH, order(name));
  const [paid, forgotten] = [await signPayment(wallet(0), quote), await signPayment(wallet(1), quote)];
  const arrived = victim.arrived();
  const answering = expect(present(victim.url + PATH, paid, order(name))).rejects.toThrow();
  await arrived;
  await expect(present(victim.url + PATH, forgotten, order(`${name}_forgotten`))).rejects.toThrow();
  await Promise.all([answering, victim.ended]);
  forgottenOnes.set(one, forgotten);
  expect([await typesOf(paid), await typesOf(forgotten)]).toEqual([left, left]);
  expect((await earned()) - before).toBe(settled ? 2n * PRICE : 0n);

  // A dead process keeps its claim until it is noticed; here every claim's time is over at once.
  const answer = await presentAt(Date.now() + 100_000, paid, name);
  expect(await answer.json()).toMatchObject({ data: { name } });
  expect(answer.status).toBe(201);
  const isClaimed = left.length === 1;
  expect(await typesOf(paid)).toEqual([
    "PaymentClaimed",
    ...(isClaimed ? ["PaymentTakenOver"] : []),
    "PaymentSettled",
  ]);
  expect((await earned()) - before).toBe(settled ? 2n * PRICE : PRICE);
});

// Last, because it moves the chain's time ahead.
test("without another call, the reactors alone make the books agree", async () => {
  const { reconcile, payRefunds } = reactorsOf(survivor.app);
  const refunds = addressOf(survivor.app.refunds);
  await carriedByStranger(workshop, await payment(wallet(9), 4n * PRICE, { to: refunds }));

  // A sent payment is found and owed an answer; an unsent one cannot be sent once it has expired.
  const at_once = { claim_holds_ms: 0, answer_within_ms: 0 };
  expect(await reconcile(at_once)).toBe("done");
  await workshop.rpc("evm_increaseTime", 400);
  for (let i = 0; i < 4; i++) await workshop.rpc("evm_mine");
  expect(await reconcile(at_once)).toBe("done");
  expect(await reconcile(at_once)).toBe("done");
  expect(await payRefunds()).toBe("done");
  for (const [{ step, forgotten }, paid] of forgottenOnes)
    expect([step, ...(await typesOf(paid))]).toEqual([step, ...forgotten]);
  await expectBooks(survivor.app);
});
