/** A feed that a wallet bought: its payment is public on the chain, and gives the feed again to that wallet alone. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { walletTenant } from "../../src/domain/payments/payment.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { buy, present, type SignedPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { walletProof } from "../support/wallet-proof.ts";
import { addressOf, GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { ALL, type FeedObject, objectsOf, PATH, writerOf } from "./consumer.ts";

let workshop: Workshop;
let service: Service & { database_url: string };
let write: ReturnType<typeof writerOf>;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ chain });
  write = writerOf(service);
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});
afterEach(() => void vi.restoreAllMocks());

const feedUrl = (query = "") => `${service.url}${PATH}?${ALL}${query}`;
const tenantOf = (nth: number) => walletTenant(addressOf(wallet(nth)));
const proof = (nth: number, url = feedUrl()) =>
  walletProof(wallet(nth), new URL(new URL(url).pathname, url).href, { method: "GET" });

/** A reader of the chain has the payment, and nothing else of its payer. */
const fromTheChain = (url: string, payment: SignedPayment, headers: Record<string, string> = {}) =>
  present(url, payment, { headers });

const objectsIn = async (answer: Response) => {
  expect(answer.status).toBe(200);
  const objects: FeedObject[] = [];
  for await (const object of objectsOf(answer)) objects.push(object);
  return objects;
};

test("a feed is repeated only for its payer's signature, up to its purchase", async () => {
  await write(tenantOf(0), "mine", [{ said: "before" }]);
  const { payment, answer } = await buy(wallet(0), feedUrl());
  const first = await objectsIn(answer);
  expect(first.map(({ type }) => type)).toContain("Written");
  const [later] = await write(tenantOf(0), "mine", [{ said: "after" }]);

  for (const guess of ["", "&proof=true"]) {
    const stranger = await fromTheChain(feedUrl(guess), payment);
    expect(stranger.status).toBe(401);
    expect(await stranger.text()).toMatch(/SIGN-IN-WITH-X.*wallet that paid/);
  }
  expect((await fromTheChain(feedUrl(), payment, await proof(1))).status).toBe(403);
  expect(
    (await fromTheChain(feedUrl(), payment, await proof(0, `${service.url}/v1/agent/orders`))).status,
  ).toBe(401);

  const again = await objectsIn(await fromTheChain(feedUrl(), payment, await proof(0)));
  expect(again.map(({ position }) => position)).not.toContain(later!.position);
  const purchase = again.at(-2)!;
  expect(purchase).toMatchObject({ type: "PaymentSettled" });
  expect(first.map(({ position }) => position)).toContain(purchase.position);
  expect(again.at(-1)).toMatchObject({ cursor: purchase.cursor, up_to_date: false });

  // A bought page is not followed live: server-sent events are another request.
  const live = { ...(await proof(0)), Accept: "text/event-stream" };
  expect((await fromTheChain(feedUrl(), payment, live)).status).toBe(402);
});

test("a feed bought with follow continues for a day after its purchase, and no longer", async () => {
  const url = feedUrl("&follow=true");
  const { payment, answer } = await buy(wallet(2), url);
  await answer.body!.cancel();
  expect((await fromTheChain(url, payment)).status).toBe(401);

  const feed = objectsOf(await fromTheChain(url, payment, await proof(2)));
  const next = async () => (await feed.next()).value;
  const until = async (wanted: (object: FeedObject) => boolean) => {
    for (;;) {
      const object = await next();
      expect(object).toBeDefined();
      if (wanted(object!)) return;
    }
  };
  const isMark = (object: FeedObject) => object.up_to_date === true;
  await until(isMark);
  await write(tenantOf(2), "mine", [{ n: 1 }]);
  await until(({ type }) => type === "Written");

  vi.spyOn(service.app.clock, "now").mockImplementation(() => new Date(Date.now() + 86_460_000));
  await write(tenantOf(2), "mine", [{ n: 2 }]);
  // It ends normally, without events from after the day.
  expect(await next()).toMatchObject({ up_to_date: false });
  expect(await next()).toBeUndefined();
});

test("a list that a wallet bought is repeated only for its signature", async () => {
  const url = `${service.url}/v1/agent/checks/list`;
  const { payment, answer } = await buy(wallet(3), url);
  const text = await answer.text();
  expect(answer.status).toBe(200);
  const stranger = await fromTheChain(url, payment);
  expect([stranger.status, stranger.headers.get("X-PAYMENT-RESPONSE")]).toEqual([401, null]);
  expect(await (await fromTheChain(url, payment, await proof(3, url))).text()).toBe(text);
});

test("an answer that is the same for all is repeated unchanged", async () => {
  const url = `${service.url}/v1/agent/skills/catalog`;
  const { payment, answer } = await buy(wallet(4), url);
  expect(await (await fromTheChain(url, payment)).text()).toBe(await answer.text());
});
