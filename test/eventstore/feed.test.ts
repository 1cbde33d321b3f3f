import { setMaxListeners } from "node:events";
import type pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { encodeCursor } from "../../eventstore/cursor.ts";
import { type FeedOptions, feed } from "../../eventstore/feed.ts";
import { migrate } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { createEventStore, type EventStore } from "../../eventstore/store.ts";
import { createTail, type Tail } from "../../eventstore/tail.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { LIMIT_MS, until } from "../support/until.ts";

let database: FreshDatabase;
let pool: pg.Pool;
let store: EventStore;
let tail: Tail;

beforeAll(async () => {
  database = await freshDatabase();
  await migrate(database.url, { host: "test.example" });
  pool = openPool(database.url);
  store = createEventStore(pool);
  tail = createTail(store, { pool });
});

afterAll(async () => {
  await tail.close();
  await store.close();
  await pool.end();
  await database.drop();
});

const write = (tenant: string, count = 1, text = "") =>
  store.append({
    appends: [
      {
        tenant,
        stream_id: "s",
        expected_version: "any",
        events: Array.from({ length: count }, (_, n) => ({ type: "Written", payload: { n, text } })),
      },
    ],
  });

const read = async (tenant: string, more: Partial<FeedOptions> = {}) =>
  feed(
    { pool, store, tail },
    {
      tenant,
      after: (await store.headAt(0))!,
      proof: false,
      follow: false,
      framing: "ndjson",
      signal: new AbortController().signal,
      ...more,
    },
  );

type Line = { op?: string; position: number; cursor: string; up_to_date?: boolean };

async function linesOf(source: AsyncIterable<string | Buffer>): Promise<Line[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString();
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

test("SQL's cursors equal those of cursor.ts", async () => {
  await write("cursors", 3);
  const { epoch } = await store.identity();
  const lines = await linesOf(await read("cursors"));
  const events = await store.readLog({ after: 0, tenant: "cursors" });
  const head = await store.head();
  expect(lines.map(({ cursor }) => cursor)).toEqual(
    [...events, head].map((place) => encodeCursor({ ...place, epoch })),
  );
});

test("no query timer outlives its query, which would keep the process alive", async () => {
  await write("limits");
  const started = vi.spyOn(globalThis, "setTimeout");
  const ended = vi.spyOn(globalThis, "clearTimeout");
  try {
    await linesOf(await read("limits"));
    // The pool's own timer is longer, and no query's.
    const isLimit = (ms = 0) => ms >= 30_000 && ms < 300_000;
    const limits = started.mock.results.filter((_, i) => isLimit(started.mock.calls[i]![1]));
    expect(limits.length).toBeGreaterThan(1);
    const open = () => limits.filter(({ value }) => !ended.mock.calls.some(([timer]) => timer === value));
    await expect.poll(open).toEqual([]);
  } finally {
    vi.restoreAllMocks();
  }
});

test("a feed aborted in the middle ends with a mark, and continues from that mark", async () => {
  for (let n = 0; n < 6; n++) await write("stopped", 1_000, "x".repeat(500));
  const stop = new AbortController();
  const source = await read("stopped", { signal: stop.signal, follow: true });
  async function* stopping() {
    for await (const chunk of source) {
      yield chunk;
      stop.abort();
    }
  }
  const first = await linesOf(stopping());
  const mark = first.pop()!;
  expect(mark).toMatchObject({ up_to_date: false, cursor: first.at(-1)!.cursor });
  const after = (await store.headAt(first.at(-1)!.position))!;
  const second = await linesOf(await read("stopped", { after }));
  expect(second.pop()).toMatchObject({ up_to_date: true });
  expect(first.length + second.length).toBe(6_000);
});

test("a feed aborted while waiting ends with its mark", async () => {
  await write("waiting");
  const stop = new AbortController();
  const source = await read("waiting", { signal: stop.signal, follow: true });
  async function* stopping() {
    for await (const chunk of source) {
      yield chunk;
      if (String(chunk).includes('"up_to_date":true')) stop.abort();
    }
  }
  const lines = await linesOf(stopping());
  expect(lines.map(({ up_to_date }) => up_to_date)).toEqual([undefined, true, true]);
});

test("an initially aborted signal still gives a mark", async () => {
  expect((await linesOf(await read("waiting", { signal: AbortSignal.abort() }))).at(-1)).toHaveProperty(
    "up_to_date",
  );
});

test("50 followers send no query for another tenant's events", async () => {
  await write("asleep");
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const sources = await Promise.all(
    Array.from({ length: 50 }, () => read("asleep", { signal: stop.signal, follow: true })),
  );
  let upToDate = 0;
  const following = sources.map(async (source) => {
    for await (const chunk of source) if (chunk.includes("up_to_date")) upToDate++;
  });
  await until(() => upToDate >= 50);
  let queries = 0;
  const count = () => queries++;
  pool.on("acquire", count);
  for (let n = 0; n < 20; n++) await write("busy");
  await tail.reached((await store.head()).position, LIMIT_MS);
  pool.off("acquire", count);
  stop.abort();
  await Promise.all(following);
  // The appends, the head above, and the shared tail's reads for all of them.
  expect(queries).toBeLessThan(20 + 1 + 2 * 21);
});
