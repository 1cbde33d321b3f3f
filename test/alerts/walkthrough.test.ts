/** From a subscription to the alert of a released dataset, as an agent and its webhook see it. */
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as subscriptions from "../../src/domain/alerts/subscription.ts";
import { alertsProjection } from "../../src/projections/alerts/subscriptions.ts";
import { alerts, alertsInput } from "../../src/projections/trade/answers/alerts.ts";
import { releasesProjection } from "../../src/projections/trade/releases.ts";
import { MONTHS } from "../../src/reactors/alerts/evaluate.ts";
import { LARGER, openSandbox, sandboxIn } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { LIMIT_MS } from "../support/until.ts";
import { development, takeAlertTurn } from "./delivery-setup.ts";
import { finding } from "./histories.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

type Answer = { data: Record<string, never>; status: number; errors: { path: string; message: string }[] };

let service: Service;
let receiver: Receiver;
let mine: Record<string, string>;
let others: Record<string, string>;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: development }), openReceiver()]);
  // Built here, because it takes the longest.
  await sandboxIn(service.data_dir, LARGER);
  mine = (await service.issue()).headers;
  others = (await service.issue({ tenant: "other" })).headers;
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const ROOT = "/v1/agent/trade/alerts";

async function call(method: string, path: string, body?: object, headers = mine): Promise<Answer> {
  const response = await fetch(service.url + ROOT + path, {
    method,
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Answer;
}

const statusOf = async (id: string) => (await call("GET", `/status/${id}`)).data as Record<string, unknown>;

const seriesOf = ({ reporter, product, period }: Record<string, unknown>) =>
  `${reporter} ${product} ${period}`;

const receivedAt = (path: string) => receiver.received.filter(({ url }) => url === path);

/** Ticks until nothing is due. */
async function turns(): Promise<void> {
  for (let before = -1; receiver.received.length !== before; ) {
    before = receiver.received.length;
    const { position } = await service.app.store.head();
    for (const projection of [alertsProjection, releasesProjection])
      await service.app.runner.reached(projection, position, LIMIT_MS);
    await takeAlertTurn(service.app);
  }
}

test("a subscription gets the findings of trade_alerts in a release, once over all vintages, and shows its status", async () => {
  // Releases before a subscription trigger no alert.
  await openSandbox(service);
  const wanted = { url: receiver.url, flow: "IMPORT", threshold: 4, dataset: "sandbox" };
  const { secret, ...subscription } = (await call("POST", "/subscribe", wanted)).data as Record<
    string,
    string
  >;
  const real = (await call("POST", "/subscribe", { url: `${receiver.url}?real` })).data as Record<
    string,
    string
  >;
  // Products that the dataset lacks, or has in part, hold nothing up.
  for (const hs of ["99999999", "39206290", "44"]) {
    const { data } = await call("POST", "/subscribe", {
      url: `${receiver.url}?${hs}`,
      hs,
      dataset: "sandbox",
    });
    expect(data).toMatchObject({ watch: { hs } });
  }
  expect(secret).toMatch(/^whsec_/);
  const id = subscription.subscription_id!;
  expect(await statusOf(id)).toEqual(subscription);
  expect(subscription).toMatchObject({ status: "active", credits: 100, delivered: 0, waiting: 0 });

  await openSandbox(service, LARGER);
  await turns();
  const trade = { vintages: service.app.data.vintages, allow_synthetic: true };
  const found = await alerts(trade, alertsInput.parse({ months: MONTHS, dataset: "sandbox" }));
  expect(found.meta.significant).toBe(found.data.alerts.length);
  const expected = found.data.alerts.filter(({ z, flow }) => Math.abs(z) >= 4 && flow === "IMPORT");
  expect(expected.length).toBeGreaterThan(0);
  const results = receivedAt("/hook").map(
    ({ body, headers }) =>
      (
        new Webhook(secret!).verify(body, headers as Record<string, string>) as {
          data: Record<string, unknown>;
        }
      ).data,
  );
  const nameOf = ({ reporter, product, period, z }: Record<string, unknown>) =>
    `${reporter} ${product} ${period} ${z}`;
  expect(results.map(nameOf).toSorted()).toEqual(expected.map(nameOf).toSorted());
  for (const one of results)
    expect(one).toMatchObject({ subscription_id: id, dataset: "sandbox", synthetic: true });
  expect(await statusOf(id)).toMatchObject({
    credits: 100 - results.length,
    delivered: results.length,
    waiting: 0,
  });

  // Another vintage of the same months: only series without an earlier alert may alert.
  await openSandbox(service);
  const again = await alerts(
    trade,
    alertsInput.parse({ months: MONTHS, dataset: "sandbox", flow: "IMPORT" }),
  );
  const first = new Set(expected.map(seriesOf));
  expect(
    again.data.alerts.filter((one) => Math.abs(one.z) >= 4 && first.has(seriesOf(one))).length,
  ).toBeGreaterThan(0);
  expect(again.meta.vintage).not.toBe(found.meta.vintage);
  await turns();
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(ids.length);
  const { rows } = await service.app.pool.query("select * from read.alerts_evaluated_v1");
  expect(rows).toHaveLength(1);
  // A subscription without a named dataset gets no synthetic one: the sandbox is synthetic.
  expect(await statusOf(real.subscription_id!)).toMatchObject({ delivered: 0, waiting: 0 });
});

test("a subscription is topped up, gets a new secret, and is deleted for good", async () => {
  const { subscription_id, secret } = (await call("POST", "/subscribe", { url: receiver.url }))
    .data as Record<string, string>;
  expect((await call("POST", "/topup", { subscription_id })).data).toMatchObject({ credits: 600 });
  const rotated = (await call("POST", "/rotate-secret", { subscription_id })).data as Record<string, string>;
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(secret);
  expect(Date.parse(rotated.old_secret_until!) - Date.now()).toBeGreaterThan(86_000_000);
  expect(await statusOf(subscription_id!)).not.toHaveProperty("secret");
  expect((await call("DELETE", `/${subscription_id}`)).data).toMatchObject({ status: "deleted", credits: 0 });
  expect((await call("DELETE", `/${subscription_id}`)).data).toMatchObject({ status: "deleted", credits: 0 });
  expect(await statusOf(subscription_id!)).toMatchObject({ status: "deleted", credits: 0 });
  expect((await call("POST", "/topup", { subscription_id })).status).toBe(409);
  await service.app.caughtUp(alertsProjection);
  const listed = "select credits from read.alert_subscriptions_v1 where subscription_id = $1";
  expect((await service.app.pool.query(listed, [subscription_id])).rows).toEqual([{ credits: 0 }]);
});

test("subscriptions are listed for their owner in pages, newest first, and by status", async () => {
  const { headers } = await service.issue({ tenant: "lister" });
  const made: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { data } = await call("POST", "/subscribe", { url: `${receiver.url}?${n}` }, headers);
    made.unshift(data.subscription_id!);
  }
  type Page = { data: { subscription_id: string; url: string }[]; meta: Record<string, string | null> };
  const listed = async (query: string, by: Record<string, string> = headers) =>
    (await call("GET", `/subscriptions?${query}`, undefined, by)) as unknown as Page;
  const idsOf = ({ data }: Page) => data.map(({ subscription_id }) => subscription_id);
  const first = await listed("limit=2");
  expect(first.meta).toMatchObject({ tenant: "lister", next_cursor: expect.stringMatching(/^\d+$/) });
  const rest = await listed(`limit=2&cursor=${first.meta.next_cursor}`);
  expect(rest.meta.next_cursor).toBeNull();
  expect([idsOf(first), idsOf(rest)]).toEqual([made.slice(0, 2), made.slice(2)]);
  expect(rest.data[0]).toEqual((await call("GET", `/status/${made[2]}`, undefined, headers)).data);
  await call("DELETE", `/${made[0]}`, undefined, headers);
  expect(idsOf(await listed("status=active"))).toEqual(made.slice(1));
  expect(idsOf(await listed("status=deleted"))).toEqual([made[0]]);
  expect(idsOf(await listed("", others))).toEqual([]);
});

test("a disabled subscription resumes without a topup, for its owner alone", async () => {
  const { subscription_id: id } = (await call("POST", "/subscribe", { url: receiver.url })).data as Record<
    string,
    string
  >;
  const own = { tenant: "acme", id: id! };
  const meta = { actor: "test", operation: "test" };
  const at = new Date().toISOString();
  const found = [{ alert_id: `msg_${id}`, finding }];
  const gone = { status: 410, reason: "it answered 410", retry_after_s: null };
  await service.app.decide(subscriptions, own, subscriptions.trigger(found, at), { meta });
  await service.app.decide(subscriptions, own, subscriptions.fail(`msg_${id}`, gone, 0, at), { meta });
  expect(await statusOf(id!)).toMatchObject({ status: "disabled", waiting: 1, next_attempt_at: null });
  receiver.received.length = 0;
  expect((await call("POST", "/resume", { subscription_id: id }, others)).status).toBe(404);
  for (const _ of ["first", "repeat"])
    expect((await call("POST", "/resume", { subscription_id: id })).data).toMatchObject({
      status: "active",
      disabled: null,
      credits: 100,
    });
  await turns();
  expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([`msg_${id}`]);
  expect(await statusOf(id!)).toMatchObject({ credits: 99, delivered: 1, waiting: 0 });
});

test("a subscription is its tenant's only", async () => {
  const { subscription_id } = (await call("POST", "/subscribe", { url: receiver.url })).data as Record<
    string,
    string
  >;
  const requests = [
    call("GET", `/status/${subscription_id}`, undefined, others),
    call("DELETE", `/${subscription_id}`, undefined, others),
    call("POST", "/topup", { subscription_id }, others),
    call("POST", "/rotate-secret", { subscription_id }, others),
  ];
  for (const { status } of await Promise.all(requests)) expect(status).toBe(404);
  expect(await statusOf(subscription_id!)).toMatchObject({ status: "active", credits: 100 });
});

test("the same command again makes one subscription, also when its answer is no longer stored", async () => {
  const headers = { ...mine, "Idempotency-Key": "once" };
  const first = await call("POST", "/subscribe", { url: receiver.url }, headers);
  expect(await call("POST", "/subscribe", { url: receiver.url }, headers)).toEqual(first);
  await service.app.pool.query("delete from access.kept_answers");
  expect(await call("POST", "/subscribe", { url: receiver.url }, headers)).toEqual(first);
  const { subscription_id } = first.data;
  expect(await call("POST", "/subscribe", { url: receiver.url })).not.toMatchObject({
    data: { subscription_id },
  });
});

test.each([
  [{ url: "ftp://agent.example.org/" }, "url"],
  [{ url: "https://me:secret@agent.example.org/" }, "url"],
  [{ url: "https://a.example/", threshold: 2 }, "threshold"],
  [{ url: "https://a.example/", reporter: "US" }, "reporter"],
  [{}, "url"],
])("%j is refused, naming %s", async (body, path) => {
  const { status, errors } = await call("POST", "/subscribe", body);
  expect(status).toBe(400);
  expect(errors.map((error) => error.path)).toContain(path);
});

test("a tenant has a hundred subscriptions at most", async () => {
  const { headers } = await service.issue({ tenant: "many" });
  const subscribe = () => call("POST", "/subscribe", { url: "https://agent.example.org" }, headers);
  const made: Answer[] = [];
  for (let last = await subscribe(); last.data !== undefined; last = await subscribe()) made.push(last);
  expect(made).toHaveLength(100);
  expect(made[0]!.data).toMatchObject({ url: "https://agent.example.org/" });
  const { status } = await subscribe();
  expect(status).toBe(409);
  const { subscription_id } = made[0]!.data;
  await call("DELETE", `/${subscription_id}`, undefined, headers);
  expect((await subscribe()).data).toBeDefined();
});

test("private addresses are refused where they are not allowed", async () => {
  const strict = await startService();
  const { headers } = await strict.issue();
  for (const url of ["https://127.0.0.1/", "https://[::ffff:10.0.0.1]/", "http://agent.example.org/"]) {
    const response = await fetch(`${strict.url}${ROOT}/subscribe`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ url }),
    });
    expect([url, response.status]).toEqual([url, 400]);
    expect(await response.json()).toMatchObject({ errors: [{ path: "url" }] });
  }
  await strict.stop();
});

test("no secret is in the log", async () => {
  const { subscription_id, secret } = (await call("POST", "/subscribe", { url: receiver.url }))
    .data as Record<string, string>;
  const rotated = (await call("POST", "/rotate-secret", { subscription_id })).data as Record<string, string>;
  const { rows } = await service.app.pool.query<{ text: string }>(
    "select convert_from(payload, 'UTF8') || convert_from(meta, 'UTF8') as text from eventstore.events",
  );
  const log = rows.map(({ text }) => text).join("\n");
  expect(log).toContain(receiver.url);
  for (const one of [secret!, rotated.secret!]) {
    const raw = Buffer.from(one.slice(6), "base64");
    for (const form of [one, one.slice(6), raw.toString("hex")]) expect(log).not.toContain(form);
  }
});
