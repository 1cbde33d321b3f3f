/** The feed under change: writers, consumers that come and go, a database that dies, a lost history. */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { walSince } from "../../src/api/operations/replay/wal-since.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { ALL, ask, type Connection, type FeedObject, objectsOf, writerOf } from "./consumer.ts";

const HEARTBEAT_MS = 150;

let service: Service & { database_url: string };
let write: ReturnType<typeof writerOf>;

beforeAll(async () => {
  service = await startService({ operations: [walSince(HEARTBEAT_MS)], env: { DATABASE_POOL: "3" } });
  write = writerOf(service);
});
afterAll(() => service.stop());

const headersOf = async (tenant: string) => (await service.issue({ tenant })).headers;
const eventsOf = async (tenant: string) =>
  (await service.app.store.readLog({ after: 0, tenant, limit: 100_000 })).map(({ position }) => position);

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Follows until `enough`, or until the connection ends; returns the events and the cursor to continue from. */
async function follow(query: string, connection: Connection, enough: (events: FeedObject[]) => boolean) {
  const hangUp = new AbortController();
  const response = await ask(service, `${query}&follow=true`, { ...connection, signal: hangUp.signal });
  expect(response.status).toBe(200);
  const events: FeedObject[] = [];
  let cursor: string | undefined;
  for await (const object of objectsOf(response, connection)) {
    cursor = object.cursor;
    if (object.op === "INSERT") events.push(object);
    if (enough(events)) break;
  }
  hangUp.abort();
  return { events, cursor };
}

describe("a consumer that reconnects at random times", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  test(`misses nothing and sees nothing twice (SEED=${seed})`, async () => {
    const random = randomFrom(seed);
    const tenants = ["hopper", "other-1", "other-2"];
    const headers = await headersOf("hopper");
    let writing = true;
    const writers = tenants.map(async (tenant) => {
      for (let n = 0; n < 60; n++) {
        const count = 1 + Math.floor(random() * 20);
        const payloads = Array.from({ length: count }, (_, i) => ({
          n,
          i,
          text: "ž".repeat(random() * 300),
        }));
        await write(tenant, `stream-${n % 7}`, payloads);
        await pause(random() * 30);
      }
    });
    const written = Promise.all(writers).then(() => {
      writing = false;
    });
    const seen: number[] = [];
    let cursor: string | undefined;
    let connections = 0;
    for (; ; connections++) {
      const whole = writing ? undefined : await eventsOf("hopper");
      if (whole && seen.length >= whole.length) break;
      const sse = random() < 0.5;
      const inHeader = random() < 0.5;
      const resumed = { ...headers, ...(cursor !== undefined && inHeader && { "Last-Event-ID": cursor }) };
      const query = cursor === undefined || inHeader ? ALL : `${ALL}&cursor=${cursor}`;
      const connection = { headers: resumed, sse, cut_after: Math.floor(random() * 40_000) };
      const enough = (events: FeedObject[]) =>
        whole ? seen.length + events.length >= whole.length : !writing;
      const got = await follow(query, connection, enough);
      seen.push(...got.events.map(({ position }) => position));
      cursor = got.cursor ?? cursor;
    }
    await written;
    expect(seen).toEqual(await eventsOf("hopper"));
    expect(connections).toBeGreaterThan(5);
  });
});

describe("following", () => {
  test.each(["ndjson", "sse"])(
    "an empty feed by %s repeats that it is up to date while idle",
    async (wire) => {
      const headers = await headersOf(`quiet-${wire}`);
      const connection = { headers, sse: wire === "sse" };
      const begun = performance.now();
      const response = await ask(service, "since=2999-01-01T00:00:00Z&follow=true", connection);
      const marks: FeedObject[] = [];
      for await (const mark of objectsOf(response, connection)) {
        marks.push(mark);
        if (marks.length === 3) break;
      }
      expect(performance.now() - begun).toBeGreaterThan(1.8 * HEARTBEAT_MS);
      for (const mark of marks) expect(mark).toEqual({ cursor: expect.any(String), up_to_date: true });
    },
  );

  test.each(["ndjson", "sse"])("an empty feed by %s reports at once that it is up to date", async (wire) => {
    // No other message comes within an hour.
    const silent = await startService({ operations: [walSince(3_600_000)], beside: service });
    try {
      const { headers } = await silent.issue({ tenant: `silent-${wire}` });
      const connection = { headers, sse: wire === "sse" };
      const response = await ask(silent, "since=2999-01-01T00:00:00Z&follow=true", connection);
      for await (const mark of objectsOf(response, connection)) {
        expect(mark).toEqual({ cursor: expect.any(String), up_to_date: true });
        break;
      }
    } finally {
      await silent.stop();
    }
  });

  test("50 followers all get an event", async () => {
    const headers = await headersOf("crowd");
    let ready = 0;
    const followers = Array.from({ length: 50 }, async () => {
      const response = await ask(service, `${ALL}&follow=true`, { headers });
      for await (const object of objectsOf(response)) {
        if ("up_to_date" in object) ready++;
        if ((object.payload as { hello?: string } | undefined)?.hello) return object;
      }
    });
    await until(() => ready >= 50);
    const [event] = await write("crowd", "news", [{ hello: "all" }]);
    const got = await Promise.all(followers);
    expect(got.map((object) => object?.position)).toEqual(Array(50).fill(event!.position));
  });

  test("a consumer that leaves ends its feed", async () => {
    const headers = await headersOf("leaver");
    await follow(ALL, { headers }, (events) => events.length === 1);
    const closed = () =>
      service.logged.filter(({ operation, cut_off }) => operation === "wal_since" && cut_off).length;
    const before = closed();
    const gone = new AbortController();
    await ask(service, `${ALL}&follow=true`, { headers, signal: gone.signal });
    gone.abort();
    await until(() => closed() !== before);
  });
});

describe("slow readers", () => {
  test("use no connection of the pool", async () => {
    const headers = await headersOf("bulk");
    const payloads = Array.from({ length: 500 }, () => ({ text: "x".repeat(20_000) }));
    await write("bulk", "b", payloads);
    await write("bulk", "b", payloads);
    const stalled = await Promise.all(Array.from({ length: 8 }, () => ask(service, ALL, { headers })));
    await pause(300);
    // More of them than the pool has connections, and all are served.
    for (let n = 0; n < 10; n++)
      expect((await ask(service, "since=2999-01-01T00:00:00Z", { headers })).status).toBe(200);
    expect(service.app.pool.waitingCount).toBe(0);
    for (const response of stalled) {
      let count = 0;
      for await (const _ of objectsOf(response)) count++;
      expect(count).toBe(1 + 1_000 + 1);
    }
  });
});

describe("when the database", () => {
  const asAdmin = async (work: (client: pg.Client) => Promise<unknown>, url = inject("postgresUrl")) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await work(client);
    await client.end();
  };
  const database = () => new URL(service.database_url).pathname.slice(1);

  test("fails during a stream, the stream ends without its last line, and a returning consumer loses nothing", async () => {
    const headers = await headersOf("mortal");
    const payloads = Array.from({ length: 1_000 }, () => ({ text: "x".repeat(10_000) }));
    for (let n = 0; n < 4; n++) await write("mortal", "m", payloads);
    const whole = await eventsOf("mortal");

    const response = await ask(service, ALL, { headers });
    const seen: FeedObject[] = [];
    const reading = (async () => {
      for await (const object of objectsOf(response)) {
        seen.push(object);
        if (seen.length !== 10) continue;
        await asAdmin(async (client) => {
          await client.query(`alter database ${database()} with allow_connections false`);
          await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
            database(),
          ]);
        });
      }
    })();
    await expect(reading).rejects.toThrow();
    expect(seen.every(({ op }) => op === "INSERT")).toBe(true);
    expect(seen.length).toBeLessThan(whole.length);
    await asAdmin((client) => client.query(`alter database ${database()} with allow_connections true`));
    const rest: FeedObject[] = [];
    for await (const object of objectsOf(await ask(service, `cursor=${seen.at(-1)!.cursor}`, { headers })))
      rest.push(object);
    expect(rest.at(-1)).toMatchObject({ up_to_date: true });
    expect([...seen, ...rest.slice(0, -1)].map(({ position }) => position)).toEqual(whole);
  });

  test("is replaced by an older copy with different last events, followers are disconnected and get 409", async () => {
    const headers = await headersOf("rewritten");
    await write("rewritten", "r", [{ n: 1 }, { n: 2 }]);
    const response = await ask(service, `${ALL}&follow=true`, { headers });
    let cursor = "";
    const reading = (async () => {
      for await (const object of objectsOf(response)) {
        const first = cursor === "";
        cursor = object.cursor;
        if (!first || "up_to_date" in object) continue;
        await asAdmin(async (client) => {
          await client.query("alter table eventstore.events disable trigger user");
          await client.query("delete from eventstore.events where tenant = 'rewritten' and stream_id = 'r'");
          await client.query("alter table eventstore.events enable trigger user");
        }, service.database_url);
        await write("rewritten", "r", [{ n: 1 }, { n: 3 }, { n: 4 }]);
      }
    })();
    await expect(reading).rejects.toThrow();
    const answer = await ask(service, `cursor=${cursor}`, { headers });
    expect([answer.status, ((await answer.json()) as { type: string }).type]).toEqual([
      409,
      expect.stringContaining("#history-diverged"),
    ]);
  });
});
