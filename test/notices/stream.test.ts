/** The stream of notices and the operations of subscriptions, as callers see them. */
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { development } from "../alerts/delivery-setup.ts";
import { openReceiver, type Receiver } from "../alerts/receiver.ts";
import { type Service, startService } from "../support/service.ts";
import { deliverAll, eventOf, recorded } from "./notices-setup.ts";

let service: Service;
let receiver: Receiver;
let mine: Record<string, string>;
let others: Record<string, string>;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startService({ env: development }), openReceiver()]);
  mine = (await service.issue()).headers;
  others = (await service.issue({ tenant: "other" })).headers;
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const ROOT = "/v1/agent/notices";
type Event = { id: string; data: { type?: string; cursor?: string; data?: Record<string, unknown> } };
// biome-ignore lint/suspicious/noExplicitAny: what answers hold is what is tested
type Answer = { status: number; body: any };

async function call(method: string, path: string, body?: object, headers = mine): Promise<Answer> {
  const response = await fetch(service.url + ROOT + path, {
    method,
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const linesOf = async (query: string, headers = mine): Promise<Event["data"][]> => {
  const response = await fetch(`${service.url}${ROOT}?${query}`, { headers });
  const text = await response.text();
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event["data"]);
};

/** Reads server-sent events by the specification's own rules, until `enough`. */
async function eventsUntil(
  enough: (events: Event[]) => boolean,
  {
    query = "",
    headers = mine,
    last_id,
  }: { query?: string; headers?: Record<string, string>; last_id?: string } = {},
  begun: () => Promise<unknown> = async () => {},
): Promise<Event[]> {
  const leave = new AbortController();
  const response = await fetch(`${service.url}${ROOT}${query}`, {
    headers: { ...headers, Accept: "text/event-stream", ...(last_id && { "Last-Event-ID": last_id }) },
    signal: leave.signal,
  });
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  const events: Event[] = [];
  const [decoder, started] = [new TextDecoder(), begun()];
  let text = "";
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) {
      const [id, data] = ["id: ", "data: "].map((name) =>
        block
          .split("\n")
          .find((line) => line.startsWith(name))!
          .slice(name.length),
      );
      events.push({ id: id!, data: JSON.parse(data!) });
    }
    if (enough(events)) break;
  }
  leave.abort();
  await started;
  return events;
}

const ofTypes = (events: Event[]) => events.flatMap(({ data }) => data.type ?? []);
const paid = (id: string, tenant = "acme") => recorded(service.app, eventOf("OrderPaid", { tenant, id }));

test("a stream sends what is recorded while it is open, and Last-Event-ID resumes it without loss or repeat", async () => {
  const first = await eventsUntil(
    (events) => ofTypes(events).length === 2,
    {},
    async () => {
      await paid("1");
      await paid("1", "other");
      await recorded(service.app, eventOf("OrderShipped", { id: "1" }));
    },
  );
  expect(ofTypes(first)).toEqual(["order.paid", "order.shipped"]);
  await recorded(service.app, eventOf("OrderDelivered", { id: "1" }));
  const [paidEvent] = first.filter(({ data }) => data.type);
  const second = await eventsUntil((events) => ofTypes(events).length === 2, { last_id: paidEvent!.id });
  expect(ofTypes(second)).toEqual(["order.shipped", "order.delivered"]);
  const last = second.filter(({ data }) => data.type).at(-1)!;
  expect(last.data.data!.cursor).toBe(last.id);
  const after = await linesOf(`cursor=${last.id}`);
  expect(after).toEqual([{ cursor: last.id, up_to_date: true }]);
  expect((await linesOf("cursor=start", others)).flatMap(({ type }) => type ?? [])).toEqual(["order.paid"]);
});

test("a cursor of the change feed resumes the stream, and one of another history is refused", async () => {
  const feed = await fetch(`${service.url}/v1/agent/replay/wal-since?since=2020-01-01T00:00:00Z`, {
    headers: mine,
  });
  const lines = (await feed.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type?: string; cursor: string });
  const shipped = lines.find(({ type }) => type === "OrderShipped")!;
  const types = (await linesOf(`cursor=${shipped.cursor}`)).flatMap(({ type }) => type ?? []);
  expect(types).toEqual(["order.delivered"]);
  const foreign = shipped.cursor.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
  expect(await call("GET", `?cursor=${foreign}`)).toMatchObject({
    status: 409,
    body: { type: expect.stringMatching(/#history-diverged$/) },
  });
  expect((await call("GET", "?cursor=7")).body.errors).toMatchObject([{ path: "cursor" }]);
  expect((await call("GET", "?kinds=task,chair")).body.errors).toMatchObject([{ path: "kinds.1" }]);
});

test("kinds and a product choose notices, and a duty bears on codes above and below it", async () => {
  await recorded(service.app, eventOf("DutyChanged", { tenant: "operator", goods_code: "4407110000" }));
  await recorded(service.app, eventOf("DutyChanged", { tenant: "operator", goods_code: "8703000000" }));
  const codes = async (query: string) =>
    (await linesOf(`cursor=start&kinds=duty&${query}`)).flatMap(({ data }) => data?.goods_code ?? []);
  expect(await codes("")).toEqual(["4407110000", "8703000000"]);
  expect(await codes("product=44")).toEqual(["4407110000"]);
  expect(await codes("product=87032210")).toEqual(["8703000000"]);
  expect(await codes("product=440711")).toEqual(["4407110000"]);
  expect(await codes("product=9401")).toEqual([]);
  expect((await linesOf("cursor=start&kinds=order")).flatMap(({ type }) => type ?? [])).toHaveLength(3);
});

test("a subscription is made, tested, rotated, resumed and ended by its owner alone", async () => {
  const { app } = service;
  const asked = { url: receiver.url, kinds: ["order"] };
  const made = await call("POST", "/subscriptions", asked);
  expect(made).toMatchObject({
    status: 201,
    body: { data: { status: "active", kinds: ["order"], delivered: 0 } },
  });
  const { subscription_id, secret } = made.body.data;
  const named = { subscription_id };
  const tested = await call("POST", "/subscriptions/test", named);
  expect(tested.body.data).toMatchObject({ taken: true, status: 204, type: "notice.test" });
  await paid("2");
  await deliverAll(app);
  const rotated = await call("POST", "/subscriptions/rotate-secret", named);
  await recorded(app, eventOf("OrderShipped", { id: "2" }));
  await deliverAll(app);
  expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual([
    "notice.test",
    "order.paid",
    "order.shipped",
  ]);
  const [, before, after] = receiver.received;
  new Webhook(secret).verify(before!.body, before!.headers as Record<string, string>);
  for (const one of [secret, rotated.body.data.secret])
    new Webhook(one).verify(after!.body, after!.headers as Record<string, string>);
  // The stream has the very notice, under the id of the webhook.
  const lines = (await linesOf("cursor=start&kinds=order")).filter(({ data }) => data?.notice_id);
  expect(lines.at(-1)).toEqual(JSON.parse(after!.body));
  expect(lines.at(-1)!.data!.notice_id).toBe(after!.headers["webhook-id"]);
  const path = `/subscriptions/${subscription_id}`;
  expect((await call("GET", path)).body.data).toMatchObject({ delivered: 2, failing: 0, disabled: null });
  const second = (await call("POST", "/subscriptions", asked)).body.data.subscription_id;
  const newest = await call("GET", "/subscriptions?limit=1");
  expect(newest.body.data.map(({ subscription_id: id }: { subscription_id: string }) => id)).toEqual([
    second,
  ]);
  const rest = await call("GET", `/subscriptions?limit=1&cursor=${newest.body.meta.next_cursor}`);
  expect(rest.body).toMatchObject({
    data: [(await call("GET", path)).body.data],
    meta: { next_cursor: null },
  });
  expect((await call("GET", "/subscriptions?status=disabled")).body.data).toEqual([]);
  expect((await call("GET", "/subscriptions", undefined, others)).body.data).toEqual([]);
  await call("DELETE", `/subscriptions/${second}`);
  for (const [method, where, body] of [
    ["GET", path],
    ["POST", "/subscriptions/test", named],
    ["POST", "/subscriptions/resume", named],
    ["DELETE", path],
  ] as const)
    expect((await call(method, where, body, others)).status).toBe(404);
  expect((await call("POST", "/subscriptions/resume", named)).body.data.status).toBe("active");
  expect((await call("DELETE", path)).body.data.status).toBe("deleted");
  expect((await call("DELETE", path)).body.data.status).toBe("deleted");
  expect((await call("POST", "/subscriptions/test", named)).status).toBe(409);
  const refused = await call("POST", "/subscriptions", { url: "ftp://agent.example.org/", kinds: [] });
  expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual(["kinds"]);
  const wrong = await call("POST", "/subscriptions", { url: "ftp://agent.example.org/" });
  expect(wrong.body.errors).toMatchObject([{ path: "url" }]);
});
