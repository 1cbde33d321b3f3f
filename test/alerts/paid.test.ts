/** A wallet without a key subscribes: what it pays for is its own, and the same payment never buys twice. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { walletTenant } from "../../src/domain/payments/payment.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { storyOf } from "../payments/stall.ts";
import { expectBooks } from "../support/books.ts";
import { buy, present, quoteOf, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { walletProof } from "../support/wallet-proof.ts";
import { addressOf, GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

let workshop: Workshop;
let service: Service;
let receiver: Receiver;
beforeAll(async () => {
  [workshop, receiver] = await Promise.all([openWorkshop(), openReceiver()]);
  // The workshop's chain is configured as a real one, where private webhooks are refused.
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

test("a wallet subscribes, tops up and reads; another wallet finds nothing", async () => {
  const body = { url: "https://agent.example.org/hook", reporter: "LV" };
  const order = post(body);
  const requirement = await quoteOf(urlOf("/subscribe"), order);
  expect(requirement.maxAmountRequired).toBe("1000000");
  const payment = await signPayment(wallet(0), requirement);
  const first = await present(urlOf("/subscribe"), payment, order);
  const text = await first.text();
  expect(first.status, text).toBe(201);
  const { data, meta } = JSON.parse(text) as {
    data: { subscription_id: string; secret: string };
    meta: object;
  };
  expect(data).toMatchObject({ credits: 100, secret: expect.stringMatching(/^whsec_/) });
  expect(meta).toEqual({ tenant: walletTenant(addressOf(wallet(0))) });

  // The payment is public on the chain, so it alone gives no access to private fields.
  const askedAgain = (proof: Record<string, string> = {}) =>
    present(urlOf("/subscribe"), payment, { ...order, headers: { ...order.headers, ...proof } });
  const proofOf = (nth: number, signed = body) =>
    walletProof(wallet(nth), urlOf("/subscribe"), { method: "POST", body: signed });
  const [mine, theirs] = [await proofOf(0), await proofOf(1)];
  expect((await askedAgain(await proofOf(0, { ...body, reporter: "LT" }))).status).toBe(401);
  for (const forget of ["select", "delete from access.kept_answers"]) {
    await service.app.pool.query(forget);
    const again = await askedAgain();
    expect(again.status).toBe(201);
    expect(again.headers.get("Unencoded-Digest")).toBeNull();
    const { secret: _, url: __, ...shown } = data as { secret?: string; url?: string };
    expect(await again.json()).toEqual({ success: true, data: shown, meta });
    expect(await (await askedAgain(mine)).text()).toBe(text);
    expect((await askedAgain(theirs)).status).toBe(403);
  }

  const { subscription_id } = data;
  const topUp = post({ subscription_id });
  const { answer: added } = await buy(wallet(0), urlOf("/topup"), topUp);
  expect(await added.json()).toMatchObject({ data: { credits: 600 } });
  const { answer: stranger } = await buy(wallet(1), urlOf("/topup"), topUp);
  expect(stranger.status).toBe(404);
  const { answer: seen } = await buy(wallet(0), urlOf(`/status/${subscription_id}`));
  expect(await seen.json()).toMatchObject({ data: { credits: 600, delivered: 0 } });
});

test.each([
  () => receiver.url,
  () => "https://localhost/",
  () => "https://metadata.google.internal/",
  () => "https://agent.example.org:22/",
])(
  "a private address, a name that is not public, or another port is refused before anything is paid",
  async (url) => {
    const { answer: refused, payment } = await buy(wallet(0), urlOf("/subscribe"), post({ url: url() }));
    expect(refused.status).toBe(400);
    expect(await storyOf(service, payment)).toEqual([]);
    expect(receiver.received).toEqual([]);
  },
);
