/** Notices over real HTTP: every kind, signed, in order, to those whom they concern and to nobody else. */
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { noticeTypes, sourceOf } from "../../src/domain/notices/kinds.ts";
import { noticeIdOf } from "../../src/domain/notices/message.ts";
import * as subscriptions from "../../src/domain/notices/subscription.ts";
import { BACKOFF_S } from "../../src/domain/webhooks/backoff.ts";
import { secretOf } from "../../src/domain/webhooks/message.ts";
import { development, stoppedClock } from "../alerts/delivery-setup.ts";
import { openReceiver, type Receiver } from "../alerts/receiver.ts";
import { replace } from "../support/replace.ts";
import { startService } from "../support/service.ts";
import {
  deliverAll,
  eventOf,
  historyOf,
  meta,
  recorded,
  stateOf,
  subscribed,
  TENANT,
} from "./notices-setup.ts";

let service: Awaited<ReturnType<typeof startService>>;
let receiver: Receiver;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: development }), openReceiver()]);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answers({ status: 204 });
  replace(service.app, { clock: { now: () => new Date() } });
});

type Body = {
  type: string;
  timestamp: string;
  data: Record<string, unknown> & { subject: { kind: string; id: string } };
};
const at = (path: string) => receiver.received.filter(({ url }) => url === path);
const bodies = (path = "/hook") => at(path).map(({ body }) => JSON.parse(body) as Body);
const idsAt = (path = "/hook") => at(path).map(({ headers }) => headers["webhook-id"]);
const told = (path: string) => bodies(path).map(({ type, data }) => `${data.subject.id} ${type}`);

test("every type of the table reaches its tenant once, in log order, as standardwebhooks verifies it", async () => {
  const { app } = service;
  const id = await subscribed(app, receiver.url);
  const stranger = await subscribed(app, `${receiver.url}?nobody`, { tenant: "nobody" });
  const first = new Map(historyOf(3_000, 1).map((event) => [event.type, event]));
  const own: string[] = [];
  for (const event of first.values()) {
    const source = sourceOf(event.type);
    if (!source) continue;
    const { event_id } = await recorded(app, { ...event, tenant: TENANT });
    const ownId = event.stream_id.slice(source.kind.of.prefix.length);
    const owners = source.kind.owners(TENANT, ownId);
    if (source.row.type !== undefined && owners.length > 0) own.push(noticeIdOf(event_id));
  }
  await deliverAll(app);
  const ofBounties = bodies().flatMap(({ data }) => (data.subject.kind === "bounty" ? data.notice_id : []));
  expect(
    idsAt()
      .filter((one) => !ofBounties.includes(one))
      .toSorted(),
  ).toEqual(own.toSorted());
  const places = new Map<string, number[]>();
  for (const { data } of bodies()) {
    const place = own.indexOf(data.notice_id as string);
    const { kind, id } = data.subject;
    if (place >= 0) places.set(`${kind} ${id}`, [...(places.get(`${kind} ${id}`) ?? []), place]);
  }
  for (const ofSubject of places.values()) expect(ofSubject).toEqual(ofSubject.toSorted((x, y) => x - y));
  const webhook = new Webhook(secretOf(app.signer, id, { rotation: 0 }));
  for (const { body, headers } of at("/hook")) webhook.verify(body, headers as Record<string, string>);
  const types = new Set(bodies().map(({ type }) => type));
  expect(noticeTypes.filter((type) => !types.has(type) && !type.startsWith("bounty."))).toEqual([]);
  // Releases and duties are everybody's; the rest is nobody else's.
  const others = bodies("/hook?nobody").map(({ data }) => data.subject.kind);
  expect([...new Set(others)].sort()).toEqual(["duty", "release"]);
  expect((await stateOf(app, stranger, "nobody")).delivered).toBe(others.length);
});

test("all changes of a bounty reach its creator and those who claimed it", async () => {
  const { app } = service;
  for (const tenant of ["creator", "soul:7", "soul:8"])
    await subscribed(app, `${receiver.url}?${tenant}`, { tenant, kinds: ["bounty"] });
  const bounty = { tenant: "operator", id: "b".repeat(32) };
  const claim = { claim_id: "c".repeat(32), sx: 7 };
  await recorded(app, eventOf("BountyOpened", { ...bounty, bounty_id: bounty.id }));
  await recorded(app, eventOf("BountyFunded", { ...bounty, creator: "creator" }));
  await recorded(app, eventOf("BountyClaimed", { ...bounty, ...claim }));
  await recorded(app, eventOf("BountySubmitted", { ...bounty, claim_id: claim.claim_id }));
  const ends = ["BountyAwarded", "BountyExpired", "BountyCancelled", "BountyHidden"];
  for (const type of ends) await recorded(app, eventOf(type, bounty));
  await deliverAll(app);
  const types = bodies("/hook?creator").map(({ type }) => type);
  expect(types).toEqual(noticeTypes.filter((type) => type.startsWith("bounty.")));
  expect(bodies("/hook?soul:7").map(({ type }) => type)).toEqual(types.slice(1));
  expect(bodies("/hook?soul:8")).toEqual([]);
});

test("a worker gets notices of a task while it has the lease, and those of a copy reach its worker alone", async () => {
  const { app } = service;
  const kinds = ["task" as const];
  for (const tenant of ["requester", "soul:1", "soul:2"])
    await subscribed(app, `${receiver.url}?${tenant}`, { tenant, kinds });
  const id = "d".repeat(32);
  const tells = (type: string, more = {}, name = id) =>
    recorded(app, eventOf(type, { tenant: "requester", id: name, ...more }));
  await tells("TaskSubmitted", { task_id: id });
  await tells("TaskLeased", { sx: 1, price_micro: 1_500_000 });
  await tells("TaskLeaseExpired");
  await tells("TaskLeased", { sx: 2 });
  await tells("TaskResultSubmitted");
  await tells("TaskLeased", { sx: 1 }, `${id}.1`);
  await deliverAll(app);
  const of = (...types: string[]) => types.map((type) => `${id} task.${type}`);
  expect(told("/hook?requester")).toEqual(
    of("submitted", "leased", "lease_expired", "leased", "result_submitted"),
  );
  // Subjects go out at once, so only each one's order is certain.
  expect(told("/hook?soul:1").filter((line) => line.startsWith(`${id} `))).toEqual(
    of("leased", "lease_expired"),
  );
  expect(told("/hook?soul:1")).toContain(`${id}.1 task.leased`);
  expect(told("/hook?soul:2")).toEqual(of("leased", "result_submitted"));
  const leased = bodies("/hook?requester").find(({ type }) => type === "task.leased");
  expect(leased!.data).toMatchObject({ price_usdc: "1.50" });
  expect(JSON.stringify(bodies("/hook?requester"))).not.toMatch(/lease_sha256|receipt/);
});

test("a payee gets notices of a check, and a key's tenant those of a refund to a wallet", async () => {
  const { app } = service;
  const [from, to] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];
  for (const tenant of ["writer", `wallet:${to}`, "keyed"])
    await subscribed(app, `${receiver.url}?${tenant}`, { tenant, kinds: ["check", "refund"] });
  const check = { tenant: "writer", id: "e".repeat(32) };
  await recorded(app, eventOf("CheckCreated", { ...check, check_id: check.id, from, to }));
  await recorded(app, eventOf("CheckRedeemed", check));
  const payment = { tenant: `wallet:${from}`, id: `eip155:8453:${to}:${from}:0x${"3".repeat(64)}` };
  await recorded(app, {
    ...eventOf("PaymentClaimed", payment),
    payload: { ...eventOf("PaymentClaimed", payment).payload, tenant: "keyed" },
  });
  await recorded(app, eventOf("RefundOpened", payment));
  await deliverAll(app);
  const ofCheck = ["check.created", "check.redeemed"].map((type) => `${check.id} ${type}`);
  expect(told("/hook?writer")).toEqual(ofCheck);
  expect(told(`/hook?wallet:${to}`)).toEqual(ofCheck);
  expect(told("/hook?keyed")).toEqual([`${payment.id} refund.opened`]);
});

test("a subject that fails waits with its later notices, while others go on, and a repeat is the same", async () => {
  const { app } = service;
  const clock = stoppedClock();
  replace(app, { clock, random: { bytes: (length) => new Uint8Array(length) } });
  const tenant = "failing";
  const id = await subscribed(app, receiver.url, { tenant, kinds: ["order"] });
  const tells = (type: string, order: string) => recorded(app, eventOf(type, { tenant, id: order }));
  const ofOrder = (order: string) => told("/hook").filter((line) => line.startsWith(order));
  receiver.answers((response) => {
    const { data } = JSON.parse(receiver.received.at(-1)!.body) as Body;
    response.writeHead(data.subject.id === "71" ? 500 : 204).end();
  });
  await tells("OrderPaid", "71");
  await tells("OrderPaid", "72");
  await tells("OrderShipped", "71");
  await tells("OrderShipped", "72");
  await deliverAll(app);
  expect(ofOrder("71")).toEqual(["71 order.paid"]);
  expect(ofOrder("72")).toEqual(["72 order.paid", "72 order.shipped"]);
  expect(await stateOf(app, id, tenant)).toMatchObject({
    delivered: 2,
    failing: [{ attempt: 1, status: 500 }],
  });
  receiver.answers({ status: 204 });
  await deliverAll(app);
  expect(receiver.received).toHaveLength(3);
  clock.pass(BACKOFF_S[0]);
  await deliverAll(app);
  expect(told("/hook").slice(3)).toEqual(["71 order.paid", "71 order.shipped"]);
  const [failed, repeated] = receiver.received.filter(({ body }) =>
    /71.*order\.paid|order\.paid.*"71"/.test(body),
  );
  expect(repeated!.body).toBe(failed!.body);
  expect(repeated!.headers["webhook-id"]).toBe(failed!.headers["webhook-id"]);
  expect(await stateOf(app, id, tenant)).toMatchObject({ delivered: 4, failing: [], ahead: [] });
});

test("a webhook that stays unavailable is disabled, and a resumed subscription has lost nothing", async () => {
  const { app } = service;
  const clock = stoppedClock();
  replace(app, { clock });
  const tenant = "away";
  const id = await subscribed(app, receiver.url, { tenant, kinds: ["order"] });
  receiver.answers({ status: 503 });
  const orders = Array.from({ length: subscriptions.MOST_FAILING + 5 }, (_, n) => String(200 + n));
  for (const order of orders) await recorded(app, eventOf("OrderPaid", { tenant, id: order }));
  await deliverAll(app);
  for (const seconds of BACKOFF_S) {
    clock.pass(2 * seconds);
    await deliverAll(app);
  }
  const { status, disabled, delivered } = await stateOf(app, id, tenant);
  expect([status, delivered]).toEqual(["disabled", 0]);
  expect(disabled?.reason).toMatch(/^7 attempts failed/);
  await recorded(app, eventOf("OrderDelivered", { tenant, id: orders[0]! }));
  receiver.received.length = 0;
  receiver.answers({ status: 204 });
  await deliverAll(app);
  expect(receiver.received).toEqual([]);
  const target = { tenant, id };
  await app.decide(subscriptions, target, subscriptions.resume(clock.now().toISOString()), { meta });
  await deliverAll(app);
  const all = [...orders.map((order) => `${order} order.paid`), `${orders[0]} order.delivered`];
  expect(told("/hook").toSorted()).toEqual(all.toSorted());
  const ofFirst = told("/hook").filter((line) => line.startsWith(orders[0]!));
  expect(ofFirst).toEqual([`${orders[0]} order.paid`, `${orders[0]} order.delivered`]);
  expect(new Set(idsAt()).size).toBe(orders.length + 1);
});

test("a slow webhook delays no other subscription", async () => {
  const { app } = service;
  await subscribed(app, `${receiver.url}?slow`, { tenant: "slow", kinds: ["execution"] });
  await subscribed(app, `${receiver.url}?quick`, { tenant: "slow", kinds: ["execution"] });
  let answerSlow = () => {};
  receiver.answers((response) => {
    if (receiver.received.at(-1)!.url === "/hook?slow") answerSlow = () => void response.writeHead(204).end();
    else response.writeHead(204).end();
  });
  const id = "f".repeat(32);
  for (const type of ["SkillRunStarted", "SkillRunFinished"])
    await recorded(app, eventOf(type, { tenant: "slow", id }));
  await deliverAll(app, () => told("/hook?quick").length === 2);
  expect(told("/hook?quick")).toEqual([`${id} execution.started`, `${id} execution.finished`]);
  expect(at("/hook?slow").length).toBeGreaterThan(0);
  answerSlow();
});
