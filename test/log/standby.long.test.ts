/**
 * Reads from a replica: a real standby whose replay is paused, and that is killed, frozen and promoted during
 * writes and reads.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { areas } from "../../src/areas/index.ts";
import { parcels } from "../areas/parcels.ts";
import { runHere } from "../cli/in-process.ts";
import { impatiently } from "../support/patience.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { type Cluster, nameOnce, type Standby, startCluster } from "../support/standby.ts";
import { until } from "../support/until.ts";

const PAIRS = scaled(80, 16);

let cluster: Cluster;
let standby: Standby;
/** It knows no reader, and the other process has not appended its events. */
let writer: Service & { database_url: string };
let service: Service;
let headers: Record<string, string>;

beforeAll(async () => {
  cluster = await startCluster();
  const env = { OPEN_CALLS_PER_MINUTE: "1000000" };
  const all = [...areas, parcels];
  writer = await startService({ database_url: cluster.url, env, areas: all });
  standby = await cluster.standby();
  service = await startService({
    beside: writer,
    env: { ...env, READ_DATABASE_URLS: standby.url },
    areas: all,
  });
  headers = (await writer.issue({ tenant: "acme" })).headers;
});
afterAll(async () => {
  await service?.stop();
  await writer?.stop();
  await cluster?.stop();
});

const send = async (by: Service, more: Record<string, string> = {}, name = nameOnce()) => {
  const answer = await fetch(`${by.url}/v1/agent/parcels`, {
    method: "POST",
    headers: { ...headers, ...more, "Content-Type": "application/json" },
    body: JSON.stringify({ name }),
  });
  expect(answer.status).toBe(201);
  return { name, token: answer.headers.get("log-position")! };
};

const get = (path: string, more: Record<string, string> = {}) =>
  fetch(service.url + path, { headers: { ...headers, ...more } });

async function listed(more: Record<string, string> = {}) {
  const answer = await get("/v1/agent/parcels?limit=100", more);
  expect(answer.status).toBe(200);
  const { data, meta } = (await answer.json()) as {
    data: { name: string }[];
    meta: { as_of_position: number };
  };
  return { names: data.map(({ name }) => name), as_of: meta.as_of_position };
}
const min = (token: string) => ({ "Min-Log-Position": token });
const readerOf = (of: Service = service) => of.app.readers.health()[0]!;
const serves = () => until(() => readerOf().left_out === null);
/** Waits until the standby has replayed all of the primary's WAL: an event's fold follows the event. */
const caughtUp = async () => {
  const [end] = await cluster.query<{ lsn: string }>("select pg_log_standby_snapshot()::text as lsn");
  await serves();
  const sql = `select pg_last_wal_replay_lsn() >= '${end!.lsn}' as replayed`;
  await until(async () => (await standby.query<{ replayed: boolean }>(sql))[0]!.replayed);
};
/** Pauses the standby until the test is over. */
async function paused(): Promise<void> {
  await caughtUp();
  await standby.pause();
  onTestFinished(async () => {
    await standby.resume();
    await caughtUp();
  });
}

const timesLeftOut = () =>
  service.logged.filter(({ msg }) => msg === "a reader of the database is left out").length;
/** With the standby paused. A step during which a busy machine left the reader out shows the primary, and begins anew. */
async function byPausedReader(step: () => Promise<void>): Promise<void> {
  for (;;) {
    await caughtUp();
    const before = timesLeftOut();
    await standby.pause();
    try {
      return await step();
    } catch (error) {
      if (timesLeftOut() === before) throw error;
    } finally {
      await standby.resume();
    }
  }
}

describe("a reader whose replay is paused", () => {
  test("answers lists from its own state, and the primary answers requests that need more", async () => {
    const before = await send(writer);
    await until(async () => (await listed()).names.includes(before.name));
    await byPausedReader(async () => {
      const { name, token } = await send(writer);
      const old = await impatiently(service.app, () => listed());
      expect(old.names).toContain(before.name);
      expect(old.names).not.toContain(name);
      const fresh = await listed(min(token));
      expect(fresh.names[0]).toBe(name);
      expect(fresh.as_of).toBeGreaterThanOrEqual(Number(token.split(".")[1]));
      // Its own state suffices for an older token.
      expect((await listed(min(before.token))).names).not.toContain(name);
    });
  });

  test("shows a caller the appends of this process for it, without a token, and another caller none of them", async () => {
    await byPausedReader(async () => {
      const { name } = await send(service);
      expect((await listed()).names[0]).toBe(name);
      const { headers: others } = await writer.issue({ tenant: "globex" });
      const answer = await get("/log/events?limit=1", others);
      const { events } = (await answer.json()) as { events: { position: number }[] };
      expect(events[0]!.position).toBeLessThan((await writer.app.store.head()).position);
    });
  });

  test("answers a waiting list once replay has reached the position", async () => {
    await caughtUp();
    await standby.pause();
    const { name, token } = await send(writer);
    const [, answer] = await Promise.all([standby.resume(), listed(min(token))]);
    expect(answer.names[0]).toBe(name);
    await caughtUp();
  });

  test("the feed ends at the reader's position; with a token or a cursor of the primary it continues there", async () => {
    await byPausedReader(async () => {
      const { name, token } = await send(writer);
      const feed = async (query: string, more = {}) =>
        (await (await get(`/v1/agent/replay/wal-since?${query}`, more)).text()).trim().split("\n");
      expect((await feed("since=2026-01-01T00:00:00Z")).join("\n")).not.toContain(name);
      const lines = await feed("since=2026-01-01T00:00:00Z", min(token));
      expect(lines.at(-2)).toContain(name);
      const { cursor } = JSON.parse(lines.at(-2)!) as { cursor: string };
      // The reader lacks that position, so it must not report a diverged history.
      expect(await feed(`cursor=${cursor}`)).toHaveLength(1);
    });
  });

  test("the explorer shows the reader's state", async () => {
    await byPausedReader(async () => {
      const { token } = await send(writer);
      const newest = async (more = {}) => {
        const answer = await get("/log/events?limit=1", more);
        return ((await answer.json()) as { events: { position: number }[] }).events[0]!.position;
      };
      expect(await newest()).toBeLessThan(Number(token.split(".")[1]));
      expect(await newest(min(token))).toBe(Number(token.split(".")[1]));
    });
  });

  test("a repeated command gets its earlier answer, and a decision sees earlier ones", async () => {
    await paused();
    const key = { "Idempotency-Key": nameOnce() };
    const first = await send(writer, key);
    const again = await send(service, key, first.name);
    expect(again.token).toBe(first.token);
    const refused = await fetch(`${service.url}/v1/agent/parcels`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ name: first.name }),
    });
    expect(refused.status).toBe(409);
    // A newer key that the reader does not have yet.
    const { headers: late } = await writer.issue({ tenant: "late" });
    expect((await get("/v1/agent/parcels", late)).status).toBe(200);
  });

  test("is left out once it lags five seconds, which /ready and the metrics report, and serves again", async () => {
    await paused();
    await send(writer);
    await until(() => /^it lags \d+ s behind$/.test(readerOf().left_out ?? ""));
    const { name } = await send(writer);
    await until(async () => (await listed()).names[0] === name);
    const ready = await get("/ready");
    expect(ready.status).toBe(200);
    const { readers } = (await ready.json()) as {
      readers: { name: string; left_out: string; lag_s: number }[];
    };
    expect(readers).toMatchObject([{ left_out: expect.stringMatching(/^it lags/) }]);
    expect(readers[0]!.lag_s).toBeGreaterThan(5);
    expect(readers[0]!.name).not.toMatch(/tallystick_owner|:.*@/);
    const metrics = await (await get("/metrics")).text();
    expect(metrics).toMatch(/^tallystick_reader_left_out\{reader="[^"]+"\} 1$/m);
    expect(metrics).toMatch(/^tallystick_reader_lag_seconds\{reader="[^"]+"\} [5-9]/m);
    await standby.resume();
    await serves();
    expect(await (await get("/metrics")).text()).toMatch(/^tallystick_reader_left_out\{[^}]+\} 0$/m);
  });
});

test(`no read is stale in ${PAIRS} or more pairs of a write and a read by another process, with tokens and interrupted replay`, async () => {
  await caughtUp();
  let writing = true;
  let served = 0;
  let asking = 0;
  const pausing = (async () => {
    while (writing) {
      await standby.pause();
      await send(writer);
      await standby.resume();
      await caughtUp();
    }
  })();
  const fresh = service.app.readers.fresh;
  service.app.readers.fresh = async (...what) => {
    const reader = await fresh(...what);
    asking++;
    if (reader) served++;
    return reader;
  };
  let stale = 0;
  // As many more as a slow machine needs until both routes were used: otherwise the test would show nothing of one.
  const hasGoneBoth = () => served > 0 && served < asking;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let n = 0; n < PAIRS / 8 || (n < 10 * PAIRS && !hasGoneBoth()); n++) {
        const { name, token } = await send(writer);
        // Where the primary lags as well it is refused, and retried.
        const { names } = await until(() => listed(min(token)));
        if (!names.includes(name)) stale++;
      }
    }),
  ).finally(() => {
    writing = false;
    service.app.readers.fresh = fresh;
  });
  await pausing;
  expect(stale).toBe(0);
  expect(hasGoneBoth()).toBe(true);
});

test("a list that lags on the primary too is not served as current: with a token it waits, and is then refused", async () => {
  await paused();
  const held = await writer.app.pool.connect();
  try {
    await held.query("begin; lock table read.parcels_v1 in share mode");
    const { name, token } = await send(writer);
    const old = await listed();
    expect(old.as_of).toBeLessThan(Number(token.split(".")[1]));
    const refused = await get("/v1/agent/parcels", min(token));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(JSON.stringify(await refused.json())).toContain("Min-Log-Position");
    await held.query("rollback");
    await until(async () => (await get("/v1/agent/parcels", min(token))).status === 200);
    expect((await listed(min(token))).names[0]).toBe(name);
  } finally {
    await held.query("rollback");
    held.release();
  }
});

describe("a requested position", () => {
  const problem = async (path: string, token: string) => {
    const answer = await get(path, min(token));
    return { status: answer.status, body: (await answer.json()) as { type?: string; detail?: string } };
  };
  test.each(["/v1/agent/parcels", "/log/events", "/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z"])(
    "of another history is a conflict at %s",
    async (path) => {
      const { epoch } = await service.app.store.identity();
      const { position } = await service.app.store.head();
      for (const token of [`another.${position}`, `${epoch}.${position + 1}`]) {
        const { status, body } = await problem(path, token);
        expect([status, body.type]).toEqual([409, expect.stringContaining("history-diverged")]);
      }
    },
  );
  test("that is invalid is refused by the name of the header", async () => {
    const { epoch } = await service.app.store.identity();
    for (const token of [
      "7",
      epoch,
      `${epoch}.-1`,
      `${epoch}.1e3`,
      `${epoch}.1; drop`,
      `.${"9".repeat(40)}`,
    ]) {
      const { status, body } = await problem("/v1/agent/parcels", token);
      expect([token, status, JSON.stringify(body)]).toEqual([
        token,
        400,
        expect.stringContaining("Min-Log-Position"),
      ]);
    }
  });
  test("is ignored by operations that do not read the log", async () => {
    expect((await get("/v1/agent/health", min("nonsense"))).status).toBe(200);
  });
});

test("a live feed gets news from a reader without notifications", async () => {
  await caughtUp();
  const { token } = await send(writer);
  await until(async () => (await listed()).as_of >= Number(token.split(".")[1]));
  const hangUp = new AbortController();
  const since = new Date().toISOString();
  const answer = await fetch(`${service.url}/v1/agent/replay/wal-since?since=${since}&follow=true`, {
    headers,
    signal: hangUp.signal,
  });
  expect(answer.status).toBe(200);
  const { name } = await send(writer);
  let heard = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body!) {
    heard += decoder.decode(chunk, { stream: true });
    if (heard.includes(name)) break;
  }
  hangUp.abort();
  expect(heard).toContain(name);
  const listening = await standby.query("select 1 from pg_stat_activity where query ilike 'listen%'");
  expect(listening).toEqual([]);
});

test("over MCP the position of an event is in _meta, both ways", async () => {
  await paused();
  const open = async (of: Service) => {
    const client = new Client({ name: "test", version: "1" });
    const to = new URL(`${of.url}/mcp?areas=all`);
    await client.connect(new StreamableHTTPClientTransport(to, { requestInit: { headers } }));
    onTestFinished(() => client.close());
    return client;
  };
  const [at, from] = [await open(writer), await open(service)];
  const name = nameOnce();
  const sent = await at.callTool({ name: "parcels_send", arguments: { name } });
  const { log_position } = sent._meta!["tallystick/event"] as { log_position: string };
  const ask = async (_meta: Record<string, unknown>) =>
    JSON.stringify(await from.callTool({ name: "parcels_list", arguments: { limit: 1 }, _meta }));
  expect(await ask({})).not.toContain(name);
  expect(await ask({ "tallystick/min-log-position": log_position })).toContain(name);
  expect(await ask({ "tallystick/min-log-position": { position: 1 } })).toContain("Min-Log-Position");
});

test("a complete export is read from a replica, and verifies", async () => {
  await caughtUp();
  const { position } = await writer.app.store.head();
  const file = join(writer.data_dir, "from-standby.ndjson");
  const env = {
    ...{ PATH: process.env.PATH, HOME: writer.data_dir, LOG_LEVEL: "warn", ANCHORING: "0" },
    ...{ DATA_DIR: writer.data_dir, DATABASE_URL: cluster.url, READ_DATABASE_URLS: standby.url },
  };
  const bin = new URL("../../bin/tallystick", import.meta.url).pathname;
  const tallystick = (...args: string[]) => promisify(execFile)(process.execPath, [bin, ...args], { env });
  // Rows that the standby read from the log's tables, by its own statistics.
  const readThere = async () => {
    const sql = `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int as rows
      from pg_stat_user_tables where schemaname = 'eventstore' and relname like 'events%'`;
    return (await standby.query<{ rows: number }>(sql))[0]!.rows;
  };
  const before = await readThere();
  const { stderr } = await tallystick("export", file);
  expect(stderr).toContain(`${position} events`);
  await until(async () => (await readThere()) >= before + position);
  expect((await runHere(env, "verify", file)).stdout).toContain("verified");
});

describe("a reader", () => {
  test("that is silent delays nobody, and serves again when it answers", async () => {
    await caughtUp();
    const { name } = await send(writer);
    await caughtUp();
    const { thaw } = await standby.freeze();
    try {
      expect((await listed()).names[0]).toBe(name);
      expect(readerOf().left_out).toMatch(/^it cannot be read: /);
      expect((await listed()).names[0]).toBe(name);
    } finally {
      thaw();
    }
    await serves();
  });

  test("that is killed during many reads: no call fails, a feed is cut, and it serves again once it is back", async () => {
    await caughtUp();
    const following = await get(`/v1/agent/replay/wal-since?since=${new Date().toISOString()}&follow=true`);
    const cut = following.text().then(
      () => false,
      () => true,
    );
    let reading = true;
    const reads = Promise.all(
      Array.from({ length: 4 }, async () => {
        let answered = 0;
        for (; reading; answered++) await listed();
        return answered;
      }),
    );
    await standby.kill();
    await until(() => /^it cannot be read: /.test(readerOf().left_out ?? ""));
    const { name } = await send(writer);
    expect((await listed()).names[0]).toBe(name);
    reading = false;
    expect(Math.min(...(await reads))).toBeGreaterThan(0);
    expect(await cut).toBe(true);
    await standby.start();
    await caughtUp();
    await until(async () => (await listed()).names[0] === name);
  });

  test("that is promoted and takes appends of its own is unused from the next read on", async () => {
    await send(writer);
    await caughtUp();
    await standby.promote();
    await until(
      async () =>
        (await standby.query<{ r: string }>("select pg_is_in_recovery()::text as r"))[0]!.r === "false",
    );
    await listed();
    expect(readerOf().left_out).toBe("it was promoted, and follows the primary no more");
    const strayed = await startService({ database_url: standby.url, areas: [...areas, parcels] });
    onTestFinished(() => strayed.stop());
    const lost = await send(strayed);
    const kept = await send(writer);
    expect((await listed()).names).not.toContain(lost.name);
    expect((await listed(min(kept.token))).names[0]).toBe(kept.name);
    await service.app.readers.look();
    expect(readerOf().left_out).not.toBeNull();
    // A process started now has not seen it follow: the history shows it.
    const late = await startService({
      beside: writer,
      env: { READ_DATABASE_URLS: standby.url },
      areas: [...areas, parcels],
    });
    onTestFinished(() => late.stop());
    expect(readerOf(late).left_out).toMatch(
      /^it has (another history at position|position \d+, which the primary lacks)/,
    );
  });
});
