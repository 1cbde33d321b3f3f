import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventHash, metaHash, payloadHash } from "../../eventstore/hash.ts";
import { createEventStore } from "../../eventstore/store.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import { type Service, startService } from "../support/service.ts";
import { ALL, ask, objectsOf, PATH, readAll, writerOf } from "./consumer.ts";

let service: Service & { database_url: string };
let write: ReturnType<typeof writerOf>;
let mine: { Authorization: string };

beforeAll(async () => {
  service = await startService();
  write = writerOf(service);
  mine = (await service.issue()).headers;
});
afterAll(() => service.stop());

const headersOf = async (tenant: string) => (await service.issue({ tenant })).headers;
const numbered = (count: number): JsonObject[] => Array.from({ length: count }, (_, n) => ({ n }));

describe("a tenant's feed", () => {
  test("is its own events in log order, though another has the same stream ids", async () => {
    const [left, right] = [await headersOf("left"), await headersOf("right")];
    for (const n of [1, 2, 3]) {
      await write("left", "order-1", [{ side: "left", n }]);
      await write("right", "order-1", [{ side: "right", n }]);
    }
    for (const [tenant, headers] of Object.entries({ left, right })) {
      const { events, last } = await readAll(service, ALL, headers);
      const expected = await service.app.store.readLog({ after: 0, tenant });
      expect(events.map(({ position }) => position)).toEqual(expected.map(({ position }) => position));
      expect(events.slice(1).map(({ payload }) => payload)).toEqual(
        [1, 2, 3].map((n) => ({ n, side: tenant })),
      );
      expect(last).toEqual({ cursor: expect.stringMatching(/^v1\./), up_to_date: true });
    }
  });

  test("has exactly the documented fields", async () => {
    const [written] = await write("acme", "fields", [{ a: 1 }]);
    const { events } = await readAll(service, ALL, mine);
    const [recorded] = (await service.app.store.readStream({ tenant: "acme", stream_id: "fields" })).slice(
      -1,
    );
    expect(events.at(-1)).toEqual({
      op: "INSERT",
      cursor: expect.stringMatching(/^v1\.[0-9a-f]{16}\.\d+\.[0-9a-f]{16}$/),
      position: written!.position,
      stream_id: "fields",
      version: 1,
      event_id: written!.event_id,
      type: "Written",
      schema_version: 1,
      recorded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      payload: { a: 1 },
      meta: recorded!.meta,
      event_hash: Buffer.from(written!.event_hash).toString("hex"),
      prev_hash: Buffer.from(recorded!.prev_hash).toString("hex"),
    });
  });

  test("begins at `since`, to the microsecond, in any zone", async () => {
    const [first] = await write("moment", "m", [{ n: 1 }]);
    await write("moment", "m", [{ n: 2 }]);
    const headers = await headersOf("moment");
    const from = async (us: number) => {
      const since = `${new Date(Math.floor(us / 1e6) * 1000).toISOString().slice(0, 19)}.${String(us % 1e6).padStart(6, "0")}`;
      const { events } = await readAll(service, `since=${since}Z`, headers);
      return events.filter(({ type }) => type === "Written").length;
    };
    expect(await from(first!.recorded_at_us)).toBe(2);
    expect(await from(first!.recorded_at_us + 1)).toBe(1);
    const zoned = await readAll(service, "since=2020-01-01T00:00:00.0000001%2B14:00", headers);
    expect(zoned.events).toHaveLength(3);
    expect((await readAll(service, "since=2999-01-01T00:00:00Z", headers)).events).toEqual([]);
    expect((await readAll(service, "since=0000-01-01T00:00:00Z", headers)).events).toHaveLength(3);
  });

  test("continues after a cursor; Last-Event-ID overrides cursor, which overrides since", async () => {
    const headers = await headersOf("order");
    await write("order", "o", numbered(5));
    const { events, last } = await readAll(service, ALL, headers);
    const readAfter = async (query: string, more: Record<string, string> = {}) =>
      (await readAll(service, query, { ...headers, ...more })).events.map(({ position }) => position);
    const positions = events.map(({ position }) => position);
    expect(await readAfter(`cursor=${events[2]!.cursor}`)).toEqual(positions.slice(3));
    expect(await readAfter(`${ALL}&cursor=${events[2]!.cursor}`)).toEqual(positions.slice(3));
    expect(await readAfter(`cursor=${events[0]!.cursor}`, { "Last-Event-ID": events[3]!.cursor })).toEqual(
      positions.slice(4),
    );
    expect(await readAfter(`cursor=${last.cursor}`)).toEqual([]);
  });

  const odd = [
    'quote " backslash \\ slash /',
    "lines\nand\r\nreturns\rid: x\n\ndata: y",
    "separators \u2028 \u2029 \u0085",
    "\ud83e\udd84 Jānis \u202e \ufeff \u0007\u001f\u007f",
  ];
  test.each(odd)("has valid framing whatever its content: %j", async (text) => {
    const headers = await headersOf("odd");
    const { position } = (await write("odd", text, [{ [text]: text }]))[0]!;
    const { events } = await readAll(service, ALL, headers);
    const expected = { position, stream_id: text, payload: { [text]: text } };
    expect(events.find((event) => event.position === position)).toMatchObject(expected);
    const sse = { headers, sse: true };
    for await (const event of objectsOf(await ask(service, ALL, sse), sse)) {
      if (event.position !== position) continue;
      expect(event).toMatchObject(expected);
      break;
    }
  });

  test("with proof=true contains the hashed texts", async () => {
    await write("acme", "proof ü", [{ b: [1e-7, "é"], a: null }, {}]);
    const { origin } = await service.app.store.identity();
    const { events } = await readAll(service, `${ALL}&proof=true`, mine);
    for (const event of events as unknown as ProvenEvent[]) {
      const recorded_at_us =
        Date.parse(`${event.recorded_at.slice(0, 19)}Z`) * 1000 + Number(event.recorded_at.slice(20, 26));
      const hash = eventHash({
        ...event,
        origin,
        tenant: "acme",
        recorded_at_us,
        payload_hash: payloadHash(Buffer.from(event.payload)),
        meta_hash: metaHash(Buffer.from(event.meta)),
        prev_hash: Buffer.from(event.prev_hash, "hex"),
      });
      expect(hash.toString("hex")).toBe(event.event_hash);
    }
    expect(events.length).toBeGreaterThan(2);
  });

  test("shows meta of its own commands and the service's; another caller's is a hash", async () => {
    const { app, issue, url } = service;
    const own = await issue({ tenant: "seller" });
    await issue({ tenant: "buyer" });
    const { rows } = await app.pool.query<{ tenant: string; actor: string }>(
      "select tenant, 'key:' || key_id as actor from read.access_keys_v1 where tenant in ('seller', 'buyer')",
    );
    const keyOf = Object.fromEntries(rows.map(({ tenant, actor }) => [tenant, actor]));
    const store = createEventStore(app.pool);
    const wallet = `wallet:0x${"1".repeat(40)}`;
    const written = [keyOf.seller!, keyOf.buyer!, wallet, "anonymous", "operator", "seller"];
    for (const actor of written) {
      const events = [{ type: "Written", payload: { actor }, meta: { actor, request_id: "chosen" } }];
      const append = { tenant: "seller", stream_id: "sales", expected_version: "any" as const, events };
      expect((await store.append({ appends: [append] })).status).toBe("appended");
    }
    const { origin } = await app.store.identity();
    const { events } = await readAll(service, `${ALL}&proof=true`, own.headers);
    const sales = (events as unknown as ProvenEvent[]).filter(({ stream_id }) => stream_id === "sales");
    const shown = sales.filter(({ meta }) => meta !== undefined).map(({ meta }) => JSON.parse(meta).actor);
    expect(shown).toEqual([keyOf.seller, "operator", "seller"]);
    for (const event of sales) {
      const meta_hash = event.meta ? metaHash(Buffer.from(event.meta)) : Buffer.from(event.meta_hash!, "hex");
      const hash = eventHash({
        ...event,
        origin,
        tenant: "seller",
        recorded_at_us:
          Date.parse(`${event.recorded_at.slice(0, 19)}Z`) * 1000 + Number(event.recorded_at.slice(20, 26)),
        payload_hash: payloadHash(Buffer.from(event.payload)),
        meta_hash,
        prev_hash: Buffer.from(event.prev_hash, "hex"),
      });
      expect(hash.toString("hex")).toBe(event.event_hash);
    }
    const sold = (events as unknown as { event_id: string; stream_id: string }[]).filter(
      ({ stream_id }) => stream_id === "sales",
    )[1]!;
    const proof = await (await fetch(`${url}/log/proof/${sold.event_id}`, { headers: own.headers })).text();
    expect(proof).toContain('"meta_hash"');
    expect(proof).not.toContain("chosen");
  });

  test("does not depend on page breaks: many small events, and large ones between them", async () => {
    const headers = await headersOf("pages");
    for (let n = 0; n < 4; n++) {
      await write("pages", `small-${n}`, numbered(900));
      await write("pages", `large-${n}`, [{ text: "x".repeat(700_000) }, { text: "é".repeat(400_000) }]);
    }
    const { events } = await readAll(service, ALL, headers);
    expect(events).toHaveLength(1 + 4 * 902);
    const positions = events.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
  });
});

type ProvenEvent = {
  stream_id: string;
  meta_hash?: string;
  version: number;
  event_id: string;
  type: string;
  schema_version: number;
  recorded_at: string;
  payload: string;
  meta: string;
  prev_hash: string;
  event_hash: string;
};

describe("a refusal", () => {
  const refusal = async (query: string, headers: Record<string, string> = mine) => {
    const response = await ask(service, query, { headers });
    const { errors, type } = (await response.json()) as { errors?: { path: string }[]; type: string };
    return [response.status, errors?.map(({ path }) => path).join() ?? type.replace(/.*#/, "")];
  };
  const cursorWith = async (change: (parts: string[]) => void) => {
    const parts = (await readAll(service, ALL, mine)).events[0]!.cursor.split(".");
    change(parts);
    return parts.join(".");
  };

  test.each([
    ["", "since"],
    ["since=", "since"],
    ["since=yesterday", "since"],
    ["since=2026-02-30T00:00:00Z", "since"],
    ["since=2026-01-01", "since"],
    ["since=2026-01-01T00:00:00", "since"],
    ["since=2026-01-01T00:00:00+01:00", "since"],
    ["since=2026-01-01T25:00:00Z", "since"],
    ["since=2026-01-01T00:00:60Z", "since"],
    [`${ALL}&follow=maybe`, "follow"],
    [`${ALL}&proof=1`, "proof"],
    ["cursor=", "cursor"],
    ["cursor=v1.0.0.0", "cursor"],
    ["cursor=v1.0123456789abcdef.-1.0123456789abcdef", "cursor"],
    ["cursor=v1.0123456789abcdef.99999999999999999999.0123456789abcdef", "cursor"],
    [`cursor=${"x".repeat(300)}`, "cursor"],
    [`${ALL}&table=orders`, "table"],
  ])("%s is 400 and names the field", async (query, field) => {
    expect(await refusal(query)).toEqual([400, field]);
  });

  test("of an invalid Last-Event-ID is 400, with any query", async () => {
    expect(await refusal(ALL, { ...mine, "Last-Event-ID": "42" })).toEqual([400, "Last-Event-ID"]);
  });

  test("another tenant's name is 403, the caller's own is not", async () => {
    expect(await refusal(`${ALL}&tenant=left`)).toEqual([403, "forbidden"]);
    expect(await refusal(`${ALL}&tenant=test:acme`)).toEqual([403, "forbidden"]);
    expect((await ask(service, `${ALL}&tenant=acme`, { headers: mine })).status).toBe(200);
  });

  test("without a key is 402, with a wrong one 401, without the scope 403", async () => {
    expect((await ask(service, ALL, {})).status).toBe(402);
    expect((await ask(service, ALL, { headers: { "X-API-Key": "sk_live_nonsense" } })).status).toBe(401);
    const { headers } = await service.issue({ scopes: ["quote"] });
    expect((await refusal(ALL, headers))[0]).toBe(403);
  });

  test("of a cursor of another epoch, another history or beyond the head is 409", async () => {
    const results = [409, "history-diverged"];
    expect(await refusal(`cursor=${await cursorWith((parts) => (parts[1] = "0".repeat(16)))}`)).toEqual(
      results,
    );
    expect(await refusal(`cursor=${await cursorWith((parts) => (parts[3] = "0".repeat(16)))}`)).toEqual(
      results,
    );
    expect(await refusal(`cursor=${await cursorWith((parts) => (parts[2] = "9000000"))}`)).toEqual(results);
  });

  test("HEAD answers the headers and starts no feed", async () => {
    const response = await fetch(`${service.url}${PATH}?${ALL}&follow=true`, {
      method: "HEAD",
      headers: mine,
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "application/x-ndjson; charset=utf-8",
    ]);
    const refused = await fetch(`${service.url}${PATH}?cursor=x`, { method: "HEAD", headers: mine });
    expect(refused.status).toBe(400);
  });
});
