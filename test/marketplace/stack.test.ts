/**
 * The stack over HTTP: offers, x402 sales, votes, search, heat, removal. MARKET_SYBILS and MARKET_BUYERS make it
 * larger.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forEach } from "../../src/core/coordination/concurrency.ts";
import { digestOf } from "../../src/core/model/objects.ts";
import { stackProjection } from "../../src/projections/marketplace/stack.ts";
import { expectBooks } from "../support/books.ts";
import { scaled } from "../support/scale.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";
import { kindOf, type MarketSetup, openMarketSetup, type TestAgent } from "./market-setup.ts";

let setup: MarketSetup;
let author: TestAgent;
beforeAll(async () => {
  setup = await openMarketSetup();
  author = await setup.agent("author-one");
});
afterAll(() => setup.service.stop());

const note = (more: object = {}) => ({
  kind: "note",
  title: "Where pellets are cheapest",
  price_usd: 0.05,
  content: "March, by the ton.",
  ...more,
});

async function published(more: object = {}, by = author): Promise<string> {
  const { status, body } = await setup.ask(by.headers, "/soul/stack", note(more));
  expect(status, JSON.stringify(body)).toBe(201);
  return String(body.item_id);
}

const buys = (n: number, item_id: string, headers = {}, price_usd = 0.05) =>
  setup.pays(wallet(1 + (n % 9)), `/soul/stack/${item_id}/buy`, { price_usd }, headers);
const item = (item_id: string, headers = {}) => setup.ask(headers, `/soul/stack/${item_id}`);
const listed = async (query: string): Promise<string[]> =>
  (await setup.ask({}, `/soul/stack?${query}`)).body.items.map((one: { item_id: string }) => one.item_id);

/** Points of trust, as if they had been computed. */
async function trusted(points: Record<number, number>): Promise<void> {
  for (const [sx, score] of Object.entries(points))
    await setup.app.pool.query(
      `insert into read.trust_ranks_v3 (sx, score, valid_from) values ($1, $2, 0)
       on conflict (sx, valid_from) do update set score = excluded.score`,
      [sx, score * 1e6],
    );
}

describe("an item", () => {
  test("is bought by x402, four fifths go to its author, and only the buyer gets its content", async () => {
    const item_id = await published({ summary: "Three years." });
    expect((await item(item_id)).body).toMatchObject({ content: null, price_usd: "0.05", sales: 0 });
    const before = await setup.account(author.tenant);
    const { status, body } = await buys(3, item_id);
    expect([status, body]).toMatchObject([
      200,
      { content: "March, by the ton.", content_sha256: digestOf("March, by the ton."), price_usd: "0.05" },
    ]);
    expect((await setup.account(author.tenant)).available - before.available).toBe(40_000);
    const key = await setup.keyOf("reader");
    expect((await item(item_id, key)).body.content).toBeNull();
    expect((await buys(4, item_id, key)).status).toBe(200);
    expect((await item(item_id, key)).body).toMatchObject({ content: "March, by the ton.", sales: 2 });
    expect((await item(item_id, author.headers)).body.content).toBe("March, by the ton.");
    expect(kindOf(await buys(4, item_id, key))).toEqual([409, "item-state"]);
    expect(kindOf(await buys(4, item_id, author.headers))).toEqual([409, "own-goods"]);
    expect(kindOf(await buys(5, item_id, {}, 0.04))).toEqual([409, "item-state"]);
    await expectBooks(setup.app);
  });

  test("that is free is open to all, here or at its digest; content stored elsewhere is never sold", async () => {
    const free = await published({ price_usd: 0 });
    expect((await item(free)).body).toMatchObject({ content: "March, by the ton.", url: null });
    const url = "https://example.org/pellets.csv";
    const elsewhere = { url, sha256: digestOf("rows"), content: undefined };
    const away = await published({ ...elsewhere, price_usd: 0 });
    expect((await item(away)).body).toMatchObject({ content: null, url, content_sha256: digestOf("rows") });
    for (const [more, path] of [
      [{ ...elsewhere }, "price_usd"],
      [{ ...elsewhere, sha256: undefined, price_usd: 0 }, "sha256"],
      [{ url }, "content"],
      [{ sha256: digestOf("else") }, "sha256"],
      [{ price_usd: 0.0005 }, "price_usd"],
      [{ url: "http://example.org/", content: undefined, sha256: digestOf("rows"), price_usd: 0 }, "url"],
    ] as const) {
      const { status, body } = await setup.ask((await stranger()).headers, "/soul/stack", note(more));
      expect([status, body.errors?.[0]?.path]).toEqual([400, path]);
    }
    expect(kindOf(await buys(5, free))).toEqual([409, "item-state"]);
  });

  test("with replaced content is refused by its digest, and nothing is charged", async () => {
    const item_id = await published({ content: "the real thing" });
    const name = `stack/${item_id}/${digestOf("the real thing")}`;
    await setup.app.pool.query("update objects.small set bytes = 'forged' where name = $1", [name]);
    const before = await setup.account(author.tenant);
    expect(kindOf(await buys(6, item_id))).toEqual([503, "content-damaged"]);
    await setup.app.pool.query("delete from objects.small where name = $1", [name]);
    expect(kindOf(await buys(6, item_id))).toEqual([503, "content-damaged"]);
    expect(await setup.account(author.tenant)).toEqual(before);
    await expectBooks(setup.app);
  });

  test("is judged by its buyers only, one vote each", async () => {
    const item_id = await published();
    const [key, other] = [await setup.keyOf("judge"), await setup.keyOf("nobody")];
    await buys(7, item_id, key);
    const says = (headers: object, verdict: string, more = {}) =>
      setup.ask(headers as Record<string, string>, `/soul/stack/${item_id}/validate`, { verdict, ...more });
    expect(kindOf(await says(other, "works"))).toEqual([403, "buyers-only"]);
    expect(kindOf(await says(author.headers, "works"))).toEqual([403, "buyers-only"]);
    for (const _ of [1, 2]) expect((await says(key, "broken", { note: "No." })).status).toBe(200);
    expect((await item(item_id)).body).toMatchObject({
      validations: { works: 0, broken: 1 },
      words: [{ by: null, verdict: "broken", note: "No." }],
    });
    await says(key, "works");
    expect((await item(item_id)).body.validations).toEqual({ works: 1, broken: 0 });
    const events = await setup.app.store.readStream({ tenant: "operator", stream_id: `stack-${item_id}` });
    expect(events.map(({ type }) => type)).toEqual([
      "ItemPublished",
      "ItemSold",
      "ItemValidated",
      "ItemValidated",
    ]);
  });

  test("is withdrawn by its author: no longer sold, and still readable by its buyers", async () => {
    const item_id = await published({ title: "Withdrawn one" });
    const key = await setup.keyOf("early-bird");
    await buys(8, item_id, key);
    const drop = (headers: Record<string, string>) =>
      setup.api.call("DELETE", `/soul/stack/${item_id}`, undefined, headers);
    expect((await drop((await stranger()).headers)).status).toBe(403);
    for (const _ of [1, 2]) expect((await drop(author.headers)).status).toBe(200);
    expect(kindOf(await buys(9, item_id))).toEqual([409, "item-state"]);
    expect(await listed("q=withdrawn")).toEqual([]);
    expect((await item(item_id, key)).body).toMatchObject({ withdrawn: true, content: "March, by the ton." });
  });

  test("is taken down by the operator: its texts go, and every hash stays", async () => {
    const item_id = await published({ title: "Forbidden fruit", content: "bad words" });
    const key = await setup.keyOf("unlucky");
    await buys(9, item_id, key);
    await expect(setup.hides("item", item_id, "")).rejects.toThrow("is 1 to 200 characters");
    await expect(setup.hides("item", "4711", "spam")).rejects.toThrow("is 32 hex digits");
    await expect(setup.hides("item", "0".repeat(32), "spam")).rejects.toThrow(/no such item/);
    await setup.hides("item", item_id, "against the law");
    expect((await item(item_id, key)).body).toMatchObject({
      withdrawn: true,
      title: null,
      content: null,
      content_sha256: digestOf("bad words"),
    });
    await until(async () => (await listed("q=forbidden")).length === 0);
    while ((await setup.app.objects.deletePast(100)) > 0);
    expect(await setup.app.objects.list(`stack/${item_id}/`)).toEqual([]);
  });

  test("comes from an agent, at most twenty a day", async () => {
    const busy = await setup.agent("busy-one");
    expect((await setup.ask(await setup.keyOf("acme"), "/soul/stack", note())).status).toBe(403);
    const results = [];
    for (let n = 0; n < 21; n++)
      results.push((await setup.ask(busy.headers, "/soul/stack", note({ title: `Busy ${n}` }))).status);
    expect(results).toEqual([...Array.from({ length: 20 }, () => 201), 429]);
  });
});

let strangers = 0;
const stranger = () => setup.agent(`stranger-${++strangers}`);

describe("the feed", () => {
  test("finds any typed words, by price and by author", async () => {
    const writer = await stranger();
    const cheap = await published({ title: "Zebra almanac", price_usd: 0.01, kind: "report" }, writer);
    const dear = await published({ title: "Zebra atlas", price_usd: 3, summary: "maps" }, writer);
    expect(await listed("q=zebra")).toEqual([dear, cheap]);
    expect(await listed("q=zebra&sort=price")).toEqual([cheap, dear]);
    expect(await listed("q=zebra+-atlas")).toEqual([cheap]);
    expect(await listed("q=zebra&max_price_usd=1")).toEqual([cheap]);
    expect(await listed("q=zebra&kind=note")).toEqual([dear]);
    expect(await listed(`author=SX%23${writer.sx}`)).toEqual([dear, cheap]);
    const hostile = [
      "'; drop table read.stack_v1; --",
      "a & | ! ( ) :* <->",
      "%",
      "\\",
      '"',
      "🙂",
      "-",
      "''",
    ];
    for (const q of hostile)
      expect((await setup.ask({}, `/soul/stack?q=${encodeURIComponent(q)}`)).status).toBe(200);
    for (const q of ["", "x".repeat(201), "%00"])
      expect((await setup.ask({}, `/soul/stack?q=${q}`)).status).toBe(400);
  });

  test("orders by trust, hides items by trust only on request, and pages in every order", async () => {
    const [high, low] = [await stranger(), await stranger()];
    await trusted({ [high.sx]: 80, [low.sx]: 5 });
    const ids = [];
    for (const [n, by] of [high, low, high, low, author].entries())
      ids.push(await published({ title: `Quokka ${n}`, price_usd: (n + 1) / 100 }, by));
    const [a, b, c, d, e] = ids as [string, string, string, string, string];
    expect(await listed("q=quokka&sort=trust")).toEqual([c, a, d, b, e]);
    expect(await listed("q=quokka&min_trust=5")).toEqual([d, c, b, a]);
    const all = { newest: [e, d, c, b, a], price: [a, b, c, d, e], trust: [c, a, d, b, e] };
    for (const [sort, wanted] of Object.entries(all)) {
      const seen: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const more: string = cursor === "" ? "" : `&cursor=${cursor}`;
        const { body } = await setup.ask({}, `/soul/stack?q=quokka&limit=2&sort=${sort}${more}`);
        seen.push(...body.items.map((one: { item_id: string }) => one.item_id));
        cursor = body.next_cursor;
      }
      expect([sort, seen]).toEqual([sort, wanted]);
    }
    expect((await setup.ask({}, "/soul/stack?sort=price&cursor=7")).status).toBe(400);
  });
});

describe("the trending list", () => {
  const warm = async (window = "7d") =>
    (await setup.ask({}, `/soul/stack/trending?window=${window}&limit=50`)).body.items;
  const heatOf = async (item_id: string, window?: string) =>
    (await warm(window)).find((one: { item_id: string }) => one.item_id === item_id);

  test("counts sales and votes of trusted buyers, halved each day, and names the events", async () => {
    const item_id = await published({ title: "Warm one" });
    const [wise, plain] = [await stranger(), await stranger()];
    await trusted({ [wise.sx]: 65 });
    await buys(10, item_id, wise.headers);
    await buys(11, item_id, plain.headers);
    for (const { headers } of [wise, plain])
      await setup.ask(headers, `/soul/stack/${item_id}/validate`, { verdict: "works" });
    // Two sales of 5 units and a word of floor(65 / 20) = 3.
    const fresh = await heatOf(item_id);
    expect(fresh).toMatchObject({ heat: 13 * 64, counted: 3 });
    const stream = await setup.app.store.readStream({ tenant: "operator", stream_id: `stack-${item_id}` });
    const counted = stream.slice(1, 4).map(({ event_id }) => event_id);
    expect([...fresh.events].sort()).toEqual(counted.sort());
    await setup.later(3 * 86_400, async () => {
      expect(await heatOf(item_id)).toMatchObject({ heat: 13 * 8 });
      expect(await heatOf(item_id, "24h")).toBeUndefined();
    });
    await setup.later(7 * 86_400, async () => expect(await heatOf(item_id)).toBeUndefined());
  });

  test("does not move for a crowd of strangers with neither money nor trust", async () => {
    const item_id = await published({ title: "Pushed one", price_usd: 0.001 });
    const before = await warm();
    const crowd = Array.from({ length: scaled(40) }, (_, n) => n);
    await forEach(crowd, async (n) => {
      const { headers } = await setup.agent(`sybil-${n}`);
      const judged = await setup.ask(headers, `/soul/stack/${item_id}/validate`, { verdict: "works" });
      expect(judged.status).toBe(403);
    });
    // Two that pay as little as there is have no weight either.
    for (const n of [12, 13]) {
      const { headers } = await stranger();
      expect((await buys(n, item_id, headers, 0.001)).status).toBe(200);
      await setup.ask(headers, `/soul/stack/${item_id}/validate`, { verdict: "works" });
    }
    expect(await warm()).toEqual(before);
  });
});

test("concurrent buyers of one item: each buys it once, and its author gets four fifths of each", async () => {
  const item_id = await published({ title: "Wanted by all", price_usd: 0.01 });
  const before = (await setup.account(author.tenant)).available;
  const crowd = Array.from({ length: scaled(30, 2) }, (_, n) => `crowd-${n}`);
  const keys = await forEach(crowd, setup.keyOf);
  const results = await Promise.all(keys.map((key) => buys(14, item_id, key, 0.01)));
  expect(results.map(({ status }) => status)).toEqual(crowd.map(() => 200));
  expect((await setup.account(author.tenant)).available - before).toBe(crowd.length * 8_000);
  const { position } = await setup.app.store.head();
  await until(() => setup.app.runner.reached(stackProjection, position, LIMIT_MS));
  expect((await item(item_id)).body.sales).toBe(crowd.length);
  await setup.folded();
  expect(await setup.unbalanced()).toEqual([]);
  await expectBooks(setup.app);
});
