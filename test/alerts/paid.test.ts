/** A wallet without a key subscribes: what it pays for is its own, and the same payment never buys twice. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { walletTenant } from "../../src/domain/payments/payment.ts";
import { addressOf, GAS_KEY, openWorkshop, PAYEE, type Workshop, wallet } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { buy, present, quoteOf, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

let workshop: Workshop;
let service: Service;
let receiver: Receiver;
beforeAll(async () => {
  [workshop, receiver] = await Promise.all([openWorkshop(), openReceiver()]);
  // The chain of the workshop is reached as a real one, on which private webhooks are refused.
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ chain });
});
afterAll(async () => {
  if (service) await expectBooks(service.app);
  await service?.stop();
  await workshop?.close();
  await receiver?.close();
});

const post = (body: object): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});
const urlOf = (path: string) => `${service.url}/v1/agent/trade/alerts${path}`;

test("it subscribes, tops up and looks; another wallet finds nothing", async () => {
  const order = post({ url: "https://agent.example.org/hook", reporter: "LV" });
  const requirement = await quoteOf(urlOf("/subscribe"), order);
  expect(requirement.maxAmountRequired).toBe("1000000");
  const payment = await signPayment(wallet(0), requirement);
  const first = await present(urlOf("/subscribe"), payment, order);
  const text = await first.text();
  expect(first.status, text).toBe(200);
  const { data, meta } = JSON.parse(text) as {
    data: { subscription_id: string; secret: string };
    meta: object;
  };
  expect(data).toMatchObject({ credits: 100, secret: expect.stringMatching(/^whsec_/) });
  expect(meta).toEqual({ tenant: walletTenant(addressOf(wallet(0))) });

  expect(await (await present(urlOf("/subscribe"), payment, order)).text()).toBe(text);
  await service.app.pool.query("delete from access.kept_answers");
  expect(await (await present(urlOf("/subscribe"), payment, order)).text()).toBe(text);

  const { subscription_id } = data;
  const topUp = post({ subscription_id });
  const { answer: added } = await buy(wallet(0), urlOf("/topup"), topUp);
  expect(await added.json()).toMatchObject({ data: { credits: 600 } });
  const { answer: stranger } = await buy(wallet(1), urlOf("/topup"), topUp);
  expect(stranger.status).toBe(404);
  const { answer: seen } = await buy(wallet(0), urlOf(`/status/${subscription_id}`));
  expect(await seen.json()).toMatchObject({ data: { credits: 600, delivered: 0 } });
});

test("a private address is refused before anything is paid", async () => {
  const { answer: refused } = await buy(wallet(0), urlOf("/subscribe"), post({ url: receiver.url }));
  expect(refused.status).toBe(400);
  expect(receiver.received).toEqual([]);
});
