/** News as the operator's servers hand them in and as callers are quoted them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import * as batches from "../../src/domain/ingest/batch.ts";
import { correlated, NEWS_TOKEN } from "../support/news.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { injections } from "./injections.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { INTERNAL_TOKEN: NEWS_TOKEN } });
  await openSandbox(service);
});
afterAll(() => service.stop());

const ROOT = "/v1/agent/event-correlator";
const token = { "X-Internal-Token": NEWS_TOKEN };

type Answer = {
  data: Record<string, never>;
  errors?: { path: string; message: string }[];
};

async function send(body: object, headers: Record<string, string> = token) {
  const response = await fetch(`${service.url}${ROOT}/ingest`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as Answer) };
}

async function get(path: string, headers: Record<string, string> = token) {
  const response = await fetch(service.url + path, { headers });
  return { status: response.status, ...((await response.json()) as { data: never }) };
}

const published_at = "2026-01-31T08:00:00Z";
const QUOTE = "Latvia closes the port of Riga to wood.";
const items = [
  { url: "https://news.example/1", text: `Weather first. ${QUOTE} More follows.`, published_at },
  { raw_text: "The EU puts tariffs on furniture from China.", published_at },
];

test("a batch is accepted, processed, and shown with its events", async () => {
  const body = { batch_id: "b-1", source: "Example", items: [...items, { ...items[1] }] };
  const first = await send(body);
  expect(first).toMatchObject({ status: 202, data: { status: "received", items: 2, duplicates: 1 } });
  await correlated(service);
  const { data } = await get(`${ROOT}/batches/b-1`);
  expect(data).toMatchObject({
    status: "correlated",
    events: [
      { kind: "closure", countries: ["LV"], hs: ["44"], date: "2026-01-31", span: { from: 15 } },
      { kind: "tariff", countries: ["CN"], hs: ["94"] },
    ],
  });
  // A repeat gives the same batch, and adds no items.
  expect(await send(body)).toMatchObject({ status: 202, data: { items: 2, duplicates: 1 } });
  expect(await send({ ...body, items: items.slice(0, 1) })).toMatchObject({ status: 409 });
  expect(await send({ ...body, batch_id: "b-2" })).toMatchObject({ data: { items: 0, duplicates: 3 } });
  expect(await get(`${ROOT}/batches/none`)).toMatchObject({ status: 404 });
});

test("an answer about a country has marked quotations, the operator's for all and a tenant's only for itself", async () => {
  await send({
    batch_id: "t-1",
    source: "Own wire",
    tenant: "acme",
    items: [{ text: "A strike in Latvia stops wood.", published_at }],
  });
  await correlated(service);
  const newsFor = async (tenant: string) => {
    const { headers } = await service.issue({ tenant });
    const { data } = await get("/v1/agent/fusion/news?country=LV", headers);
    return data as { quote: string }[];
  };
  const mine = await newsFor("acme");
  expect(mine.map(({ quote }) => quote).toSorted()).toEqual(["A strike in Latvia stops wood.", QUOTE]);
  for (const one of mine) expect(one).toMatchObject({ untrusted: true, countries: ["LV"], hs: ["44"] });
  expect((await newsFor("other")).map(({ quote }) => quote)).toEqual([QUOTE]);
});

test("news of a test tenant are quoted to its test keys alone", async () => {
  const text = "A strike in Iceland stops fish.";
  const of = { tenant: "test:acme", batch_id: "test-1" };
  expect(await send({ ...of, source: "Own wire", items: [{ text, published_at }] })).toMatchObject({
    status: 202,
    data: { tenant: "test:acme", items: 1 },
  });
  await correlated(service);
  expect(await get(`${ROOT}/batches/test-1?tenant=test:acme`)).toMatchObject({ status: 200 });
  const newsFor = async (space: "live" | "test") => {
    const { headers } = await service.issue({ tenant: "acme", space });
    const { data } = await get("/v1/agent/fusion/news?country=IS", headers);
    return (data as { quote: string }[]).map(({ quote }) => quote);
  };
  expect(await newsFor("test")).toEqual([text]);
  expect(await newsFor("live")).toEqual([]);
  for (const tenant of ["test:", "test:operator", "test:test:acme", "Test:acme", "soul:1", "test:anonymous"])
    expect(await send({ tenant, items: [{ text }] })).toMatchObject({
      status: 400,
      errors: [{ path: "tenant", message: expect.stringContaining("test:acme") }],
    });
});

test("a product is matched by codes within it or above it, and an empty query matches nothing", async () => {
  const quotesOf = async (query: string) => {
    const { data } = await get(`/v1/agent/fusion/news?${query}`, {});
    return (data as { quote: string }[]).map(({ quote }) => quote);
  };
  const [, furniture] = items.map(({ raw_text }) => raw_text);
  expect(await quotesOf("hs=94")).toEqual([furniture]);
  expect(await quotesOf("hs=4407&limit=20")).toEqual([QUOTE]);
  expect((await quotesOf("hs=9403&country=LV")).toSorted()).toEqual([QUOTE, furniture].toSorted());
  expect(await quotesOf("hs=01")).toEqual([]);
  expect(await get("/v1/agent/fusion/news", {})).toMatchObject({
    status: 400,
    errors: [{ path: "country" }],
  });
});

test("an item in two concurrent batches is quoted once", async () => {
  const { app } = service;
  const target = { tenant: "operator", id: "twin-1" };
  await send({ batch_id: "twin-1", items: [{ text: "Finland closes the port of Turku.", published_at }] });
  const { facts } = (await app.load(batches, target))!;
  const { text_sha256 } = facts.items[0]!;
  const text = (await app.objects.get(batches.objectOf("twin-1", text_sha256)))!;
  await app.objects.put(batches.objectOf("twin-2", text_sha256), text);
  const twin = { ...facts, batch_id: "twin-2" };
  await app.decide(batches, { ...target, id: "twin-2" }, batches.receive(twin), {
    meta: { actor: "test", operation: "test" },
  });
  await correlated(service);
  for (const batch_id of ["twin-1", "twin-2"])
    expect(await get(`${ROOT}/batches/${batch_id}`)).toMatchObject({
      data: { events: [{ countries: ["FI"] }] },
    });
  const { data } = await get("/v1/agent/fusion/news?country=FI");
  expect(data).toMatchObject([{ quote: "Finland closes the port of Turku." }]);
});

test("sources list the news if there are any", async () => {
  const { data } = await get("/v1/agent/fusion/sources", {});
  const news = (data as { dataset: string }[]).find(({ dataset }) => dataset === "news");
  expect(news).toMatchObject({ kind: "news", available: true, to: "2026-01-31" });
});

test("injections in news change no figure, and no other event", async () => {
  const { headers } = await service.issue();
  const figures = async () => {
    const { data } = await get("/v1/agent/fusion/country?country=LV", headers);
    return JSON.stringify(data);
  };
  const [before, others] = [await figures(), JSON.stringify(await get(`${ROOT}/batches/b-1`))];
  // JSON with a NUL is refused altogether.
  const hostile = injections.filter((text) => !text.includes("\0")).map((text) => ({ text, published_at }));
  expect(await send({ batch_id: "hostile", source: "Anybody", items: hostile })).toMatchObject({
    status: 202,
  });
  await correlated(service);
  expect(await figures()).toBe(before);
  expect(JSON.stringify(await get(`${ROOT}/batches/b-1`))).toBe(others);
  const { data } = await get(`${ROOT}/batches/hostile`);
  for (const { entities } of (data as { events: { entities: string[] }[] }).events)
    expect(entities).toEqual([]);
});

test("without the token, with another token, or with an API key, nothing is accepted or shown", async () => {
  const body = { batch_id: "x", source: "Example", items };
  const { headers } = await service.issue();
  expect((await send(body, {})).status).toBe(401);
  expect((await send(body, { "X-Internal-Token": "guess" })).status).toBe(401);
  expect((await send(body, headers)).status).toBe(401);
  expect((await get(`${ROOT}/batches/b-1`, headers)).status).toBe(401);
});

test.each([
  [{ items: [] }, "items"],
  [
    {
      items: [
        { text: "fine", published_at },
        { text: "fine", published_at: "yesterday" },
      ],
    },
    "items.1.published_at",
  ],
  [{ items: [{ url: "file:///etc/passwd", text: "fine", published_at }] }, "items.0.url"],
  [{ items: [{ published_at }] }, "items.0"],
  [{ items: [{ text: " \n ", published_at }] }, "items.0.text"],
  [{ items: [{ text: "x".repeat(65_537), published_at }] }, "items.0.text"],
  [{ items, tenant: "No Such" }, "tenant"],
  [{ items, batch_id: "../b" }, "batch_id"],
])("a bad batch is refused whole: %#", async (bad, path) => {
  const { status, errors } = await send({ batch_id: "bad", source: "Example", ...bad });
  expect([status, errors?.map((error) => error.path)]).toEqual([400, [path]]);
  expect(await get(`${ROOT}/batches/bad`)).toMatchObject({ status: 404 });
});

test("more than 100 items, or more than two megabytes, are an invalid body", async () => {
  const small = { text: "Latvia closes a port.", published_at };
  const many = await send({ batch_id: "many", source: "Example", items: Array(101).fill(small) });
  expect(many).toMatchObject({ status: 400, errors: [{ path: "items", message: "is 1 to 100 items" }] });
  const large = { text: "x".repeat(65_000), published_at };
  expect(await send({ batch_id: "large", source: "Example", items: Array(40).fill(large) })).toMatchObject({
    status: 400,
    errors: [{ message: "the body exceeds 2048 KiB" }],
  });
  for (const id of ["many", "large"]) expect((await get(`${ROOT}/batches/${id}`)).status).toBe(404);
});

test("other media types are 415", async () => {
  const response = await fetch(`${service.url}${ROOT}/ingest`, {
    method: "POST",
    headers: { ...token, "Content-Type": "text/plain" },
    body: "{}",
  });
  expect(response.status).toBe(415);
});
