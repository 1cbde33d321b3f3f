/** An agent's first five minutes with alerts: the page's own example, a test event, then a real alert of the sandbox. */
import { readFile } from "node:fs/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { TEST_TYPE } from "../../src/domain/alerts/message.ts";
import * as subscriptions from "../../src/domain/alerts/subscription.ts";
import { MOST_TESTS } from "../../src/domain/webhooks/subscription.ts";
import { alertsProjection } from "../../src/projections/alerts/subscriptions.ts";
import { releasesProjection } from "../../src/projections/trade/releases.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { LIMIT_MS } from "../support/until.ts";
import { development, takeAlertTurn } from "./delivery-setup.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

let service: Service;
let receiver: Receiver;
let mine: Record<string, string>;
let others: Record<string, string>;
let subscription_id: string;
let secret: string;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: development }), openReceiver()]);
  mine = (await service.issue()).headers;
  others = (await service.issue({ tenant: "other" })).headers;
  await openSandbox(service);
});
afterAll(async () => {
  await service?.stop();
  await receiver?.close();
});

type Answer = { status: number; body: Record<string, unknown> & { data: Record<string, unknown> } };

async function post(path: string, body: object, headers = mine): Promise<Answer> {
  const answer = await fetch(`${service.url}/v1/agent/trade/alerts/${path}`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

/** The request of docs/alerts.md, with the test's own webhook address. */
async function subscribeAsThePageSays(): Promise<{ subscription_id: string; secret: string }> {
  const page = await readFile(new URL("../../docs/alerts.md", import.meta.url), "utf8");
  const example = /POST \/v1\/agent\/trade\/alerts\/subscribe\s+(\{.*\})/.exec(page)![1]!;
  const { body } = await post("subscribe", { ...JSON.parse(example), url: receiver.url });
  return body.data as { subscription_id: string; secret: string };
}

beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answers({ status: 204 });
  ({ subscription_id, secret } = await subscribeAsThePageSays());
});

test("a test event comes at once, signed like alerts, and costs nothing", async () => {
  const { status, body } = await post("test", { subscription_id });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ taken: true, status: 204, reason: null });
  expect(receiver.received).toHaveLength(1);
  const [{ headers, body: sent }] = receiver.received as [Receiver["received"][number]];
  expect(headers["webhook-id"]).toBe(body.data.alert_id);
  expect(new Webhook(secret).verify(sent, headers as Record<string, string>)).toMatchObject({
    type: TEST_TYPE,
    data: { subscription_id, flow: "IMPORT", dataset: "sandbox", synthetic: true },
  });
  const state = await service.app.load(subscriptions, { tenant: "acme", id: subscription_id });
  expect(state).toMatchObject({ status: "active", credits: 100, delivered: 0 });
});

test("a webhook's failure is reported, and not retried", async () => {
  receiver.answers({ status: 302, headers: { Location: "/elsewhere" } });
  const { body } = await post("test", { subscription_id });
  expect(body.data).toMatchObject({
    taken: false,
    status: 302,
    reason: expect.stringContaining("redirects"),
  });
  expect(receiver.received).toHaveLength(1);
  const gone = await openReceiver();
  const { body: other } = await post("subscribe", { url: gone.url });
  await gone.close();
  const unreached = await post("test", { subscription_id: other.data.subscription_id });
  expect(unreached.status).toBe(200);
  expect(unreached.body.data).toMatchObject({
    taken: false,
    status: null,
    reason: "no connection",
  });
});

test("the same command again sends nothing more", async () => {
  const headers = { ...mine, "Idempotency-Key": "test-once" };
  const first = await post("test", { subscription_id }, headers);
  expect(await post("test", { subscription_id }, headers)).toEqual(first);
  expect(receiver.received).toHaveLength(1);
});

test("a test event is its owner's only, in a limited number an hour", async () => {
  expect((await post("test", { subscription_id }, others)).status).toBe(404);
  expect((await post("test", { subscription_id }, {})).status).toBe(402);
  const requests = await Promise.all(
    Array.from({ length: MOST_TESTS + 2 }, () => post("test", { subscription_id })),
  );
  expect(requests.filter(({ status }) => status === 200)).toHaveLength(MOST_TESTS);
  expect(requests.find(({ status }) => status === 429)!.body).toMatchObject({
    type: expect.stringMatching(/#too-many-tests$/),
  });
  expect(receiver.received).toHaveLength(MOST_TESTS);
});

test("the page's example gets the next release of the sandbox", async () => {
  await openSandbox(service, 0.1);
  const { position } = await service.app.store.head();
  for (const projection of [alertsProjection, releasesProjection])
    await service.app.runner.reached(projection, position, LIMIT_MS);
  await takeAlertTurn(service.app);
  const own = receiver.received.filter(({ body }) => body.includes(subscription_id));
  expect(own.length).toBeGreaterThan(0);
  for (const { body, headers } of own)
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      type: "trade.anomaly",
      data: { dataset: "sandbox", flow: "IMPORT" },
    });
});
