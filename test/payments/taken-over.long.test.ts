/** A payment claimed by one process is finished by another once the first is dead, or paused for too long. */

import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChainUnavailable } from "../../src/core/model/ports/chain.ts";
import { balanceOf, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { present, quoteOf, type SignedPayment, settlementOf, signPayment } from "../support/buyer.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { type DoomedService, startDoomed } from "./doomed.ts";
import { sampleOperations } from "./sample-operations.ts";
import { storyOf } from "./stall.ts";

let workshop: Workshop;
let survivor: Service & { database_url: string };
const chainOf = () => ({ rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE });
const children: ChildProcess[] = [];
let sleeper: DoomedService;
beforeAll(async () => {
  workshop = await openWorkshop();
  survivor = await startService({ operations: sampleOperations, chain: chainOf() });
  sleeper = await startDoomed("none", survivor, workshop, children);
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  if (survivor) await expectBooks(survivor.app);
  await survivor?.stop();
  await workshop?.close();
});

const PRICE = 500_000n;
const earned = () => balanceOf(workshop.chain, PAYEE);
const orderUrl = ({ url }: { url: string }) => `${url}/v1/agent/test/order`;
const order = (name: string): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ name }),
});
const sign = async (name: string, payer: number) =>
  signPayment(wallet(payer), await quoteOf(orderUrl(survivor), order(name)));
const story = (paid: SignedPayment) => storyOf(survivor, paid);
const TAKEN_OVER = ["PaymentClaimed", "PaymentTakenOver", "PaymentSettled"];

/** A promise that the test resolves. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

test.each(["after the claim", "while it is sent", "after it is settled", "after the answer is kept"])(
  "a process that is paused %s and resumes is fenced off, and returns the other's answer",
  async (step) => {
    const before = await earned();
    const name = `k_paused_${step.replaceAll(" ", "_")}`;
    const paid = await sign(name, 1);
    sleeper.tell("pause", step);
    const arrived = sleeper.arrived();
    const asleep = present(orderUrl(sleeper), paid, order(name));
    await arrived;
    const answer = await present(orderUrl(survivor), paid, order(name));
    expect(answer.status).toBe(201);
    sleeper.child.kill("SIGCONT");
    const late = await asleep;
    expect(late.status).toBe(201);
    expect(await late.text()).toBe(await answer.text());
    expect(settlementOf(late)).toMatchObject({ transaction: settlementOf(answer).transaction });
    expect(await story(paid)).toEqual(TAKEN_OVER);
    expect(await earned()).toBe(before + PRICE);
  },
);

test("a process that counts as dead decides nothing about a payment that another is sending", async () => {
  const other = await startService({ operations: sampleOperations, chain: chainOf(), beside: survivor });
  const [wakes, carries] = [gate(), gate()];
  const { settlement } = survivor.app;
  const { settle } = settlement;
  try {
    const before = await earned();
    const paid = await sign("k_unsent", 2);
    other.app.settlement.settle = async () => {
      await wakes.opened;
      throw new ChainUnavailable("it was asleep");
    };
    settlement.settle = async (...given) => {
      await carries.opened;
      return settle(...given);
    };
    const asleep = present(orderUrl(other), paid, order("k_unsent"));
    await until(async () => (await story(paid)).length === 1);
    await other.app.presence.leave();
    const answering = present(orderUrl(survivor), paid, order("k_unsent"));
    await until(async () => (await story(paid)).length === 2);
    wakes.open();
    // It has noticed once it waits for the outcome like any other process.
    const { presence } = other.app;
    const { livesFor } = presence;
    const noticed = gate();
    replace(other.app, {
      presence: {
        ...presence,
        livesFor: async (name) => {
          noticed.open();
          return livesFor(name);
        },
      },
    });
    await noticed.opened;
    expect(await story(paid)).toEqual(["PaymentClaimed", "PaymentTakenOver"]);
    carries.open();
    const [answer, late] = await Promise.all([answering, asleep]);
    expect([answer.status, late.status]).toEqual([201, 201]);
    expect(await story(paid)).toEqual(TAKEN_OVER);
    expect(await earned()).toBe(before + PRICE);
  } finally {
    settlement.settle = settle;
    await other.stop();
  }
});

// Last, because the other process is gone afterwards.
test("a claim of a live process is reported with its time; after kill -9 it is taken over, and charged once", async () => {
  const before = await earned();
  const paid = await sign("k_held", 0);
  sleeper.tell("stick", "after the claim");
  const arrived = sleeper.arrived();
  const cut = expect(present(orderUrl(sleeper), paid, order("k_held"))).rejects.toThrow();
  await arrived;
  const result = await present(orderUrl(survivor), paid, order("k_held"));
  expect(result.status).toBe(503);
  const { detail, type } = (await result.json()) as { detail: string; type: string };
  expect(type).toContain("payment-pending");
  expect(detail).toMatch(/its claim ends at \d{4}-.*Z at the latest, or in [1-5] s if its process has died$/);
  expect(Number(result.headers.get("Retry-After"))).toBeLessThanOrEqual(5);
  expect(await story(paid)).toEqual(["PaymentClaimed"]);

  sleeper.child.kill("SIGKILL");
  await cut;
  const answer = await present(orderUrl(survivor), paid, order("k_held"));
  expect(answer.status).toBe(201);
  expect(await story(paid)).toEqual(TAKEN_OVER);
  expect(await earned()).toBe(before + PRICE);
});
