/** The process is killed at each step of a paid call; what comes after agrees with the chain. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as payments from "../../src/domain/payments/payment.ts";
import type { Hex } from "../../src/domain/ports.ts";
import { balanceOf, GAS_KEY, openWorkshop, PAYEE, type Workshop, wallet } from "../chain/fixture.ts";
import { present, quoteOf, type SignedPayment, signPayment } from "../support/buyer.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { type Service, startService } from "../support/service.ts";
import { wares } from "./wares.ts";

let workshop: Workshop;
let database: FreshDatabase;
let survivor: Service;
beforeAll(async () => {
  [workshop, database] = await Promise.all([openWorkshop(), freshDatabase()]);
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  survivor = await startService({ operations: wares, database_url: database.url, chain });
}, 60_000);
afterAll(async () => {
  await survivor?.stop();
  await database?.drop();
  await workshop?.close();
});

async function doomed(dies_at: string) {
  const child = spawn(process.execPath, ["--import", "tsx", resolve("test/payments/doomed-service.ts")], {
    env: {
      PATH: process.env.PATH,
      DIES_AT: dies_at,
      DATABASE: database.url,
      RPC: workshop.node.rpc_url,
      GAS_KEY,
      PAY_TO: PAYEE,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { url: line.toString().trim(), ended: once(child, "exit") };
}

const idOf = ({ authorization }: SignedPayment) =>
  payments.idOf({
    network: "eip155:8453",
    asset: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    payer: authorization.from.toLowerCase() as Hex,
    nonce: authorization.nonce as Hex,
  });
const typesOf = async (id: string) => {
  const { tenant } = payments.targetOf(id);
  const stream_id = payments.streamOf(id);
  return (await survivor.app.store.readStream({ tenant, stream_id })).map(({ type }) => type);
};

const order = (name: string): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ name }),
});

const steps = [
  { step: "after the facts", left: [], settled: false },
  { step: "in the handler", left: [], settled: false },
  { step: "before the claim", left: [], settled: false },
  { step: "after the claim", left: ["PaymentClaimed"], settled: false },
  { step: "while it is sent", left: ["PaymentClaimed"], settled: true },
  { step: "after it is settled", left: ["PaymentClaimed"], settled: true },
  { step: "after the answer is kept", left: ["PaymentClaimed"], settled: true },
  { step: "after it is recorded", left: ["PaymentClaimed", "PaymentSettled"], settled: true },
];

test.each(steps)(
  "killed $step: asked again it is answered, and charged once",
  { timeout: 60_000 },
  async ({ step, left, settled }) => {
    const name = `k_${step.replaceAll(" ", "_")}`;
    const path = "/v1/agent/test/order";
    const before = await balanceOf(workshop.chain, PAYEE);
    const victim = await doomed(step);
    const payment = await signPayment(wallet(0), await quoteOf(victim.url + path, order(name)));
    await expect(present(victim.url + path, payment, order(name))).rejects.toThrow();
    await victim.ended;
    expect(await typesOf(idOf(payment))).toEqual(left);
    expect((await balanceOf(workshop.chain, PAYEE)) - before).toBe(settled ? 500_000n : 0n);

    // What the dead process claimed is held for a while; here that while is over at once.
    const { clock } = survivor.app;
    survivor.app.clock = { now: () => new Date(Date.now() + 100_000) };
    try {
      const answer = await present(survivor.url + path, payment, order(name));
      expect(await answer.json()).toMatchObject({ data: { name } });
      expect(answer.status).toBe(201);
    } finally {
      survivor.app.clock = clock;
    }
    expect(await typesOf(idOf(payment))).toEqual(["PaymentClaimed", "PaymentSettled"]);
    expect((await balanceOf(workshop.chain, PAYEE)) - before).toBe(500_000n);
  },
);

test("while a claim is held, the same payment is told to wait and never to pay again", {
  timeout: 60_000,
}, async () => {
  const path = "/v1/agent/test/order";
  const victim = await doomed("after the claim");
  const payment = await signPayment(wallet(1), await quoteOf(victim.url + path, order("k_held")));
  await expect(present(victim.url + path, payment, order("k_held"))).rejects.toThrow();
  const answer = await present(survivor.url + path, payment, order("k_held"));
  expect(answer.status).toBe(503);
  expect(answer.headers.get("Retry-After")).toBeTruthy();
  expect(await answer.json()).toMatchObject({ type: expect.stringContaining("payment-pending") });
  expect(await typesOf(idOf(payment))).toEqual(["PaymentClaimed"]);
});
