/**
 * The log's copy in KurrentDB, by its own client and protocol: on the fake of test/support, and on a real one if
 * KURRENTDB_TEST_URL names it.
 */
import { randomUUID } from "node:crypto";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { copyStreamOf, kurrentLog, linking, partsOf } from "../../src/adapters/kurrentdb.ts";
import { kurrentCommand } from "../../src/cli/kurrent.ts";
import type { App } from "../../src/core/app.ts";
import type { CopiedEvent } from "../../src/core/model/ports/outside-log.ts";
import { type OutsideLog, OutsideUnavailable } from "../../src/core/model/ports/outside-log.ts";
import { copyOf, differenceOf } from "../../src/domain/outside/copied-event.ts";
import { compareOutside } from "../../src/outside/copy.ts";
import { followReactor } from "../../src/reactors/outside/follow.ts";
import { KurrentDB, type Stored } from "../support/kurrentdb.ts";
import { patientConfig } from "../support/patience.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { killFollowers } from "./kill-followers.ts";

const STREAM = "copy";
let service: Service & { database_url: string };
let db: KurrentDB;
let outside: OutsideLog;
let app: App;
const opened: OutsideLog[] = [];

/** A separate follower, as in another process. */
function follower(ask_ms?: number): App {
  const own = kurrentLog({ url: db.url, stream: async () => STREAM, ...(ask_ms && { ask_ms }) });
  opened.push(own);
  return { ...service.app, outside: own };
}

const keys = async (count: number) => {
  for (let n = 0; n < count; n++) await service.issue({ tenant: `t${n}` });
};
const stored = (): Stored[] => db.streams.get(STREAM) ?? [];
const head = async () => (await service.app.store.head()).position;
const isWhole = async () =>
  expect(await compareOutside(app, outside)).toEqual({ same: await head(), missing: 0 });

beforeAll(async () => {
  service = await startService();
  await keys(5);
});
afterAll(() => service?.stop());
beforeEach(async () => {
  db = new KurrentDB();
  await db.open();
  app = follower();
  outside = app.outside!;
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  db.close();
});

describe("the copy", () => {
  test("has each event at its position, its bytes and all inputs of its hashes", async () => {
    expect(await turn(app, followReactor)).toEqual({ status: "done" });
    expect(stored()).toHaveLength(await head());
    const events = await service.app.store.readLog({ after: 0 });
    for (const [at, event] of events.entries()) {
      const { id, type, data, metadata } = stored()[at]!;
      expect({ id, type }).toEqual({ id: event.event_id, type: event.type });
      expect(JSON.parse(Buffer.from(data).toString())).toEqual(event.payload);
      expect(JSON.parse(Buffer.from(metadata).toString())).toMatchObject({
        tenant: event.tenant,
        stream_id: event.stream_id,
        version: event.version,
        position: at + 1,
        event_hash: Buffer.from(event.event_hash).toString("hex"),
        log_hash: Buffer.from(event.log_hash).toString("hex"),
      });
    }
    await isWhole();
    expect(outside.copied).toBe(await head());
  });

  test("is continued from its last event, by any process", async () => {
    await turn(app, followReactor);
    await keys(3);
    expect(await compareOutside(app, outside)).toEqual({ same: (await head()) - 3, missing: 3 });
    const appends = db.appends;
    expect(await turn(follower(), followReactor)).toEqual({ status: "done" });
    expect(db.appends).toBe(appends + 1);
    await isWhole();
  });

  test("has no duplicates where answers are lost, or never come, or another process copies concurrently", async () => {
    const impatient = follower(300);
    const begun = followReactor.begin();
    db.faults.push("lost", "slow", "lost");
    for (const _ of db.faults.slice()) {
      expect(await turn(impatient, followReactor, { begun })).toMatchObject({ status: "unreached" });
      await keys(1);
    }
    // The lease is lost during an append: the other process has copied, and this one learns it from the store.
    const late = followReactor.begin();
    const paused = follower();
    await turn(paused, followReactor, { begun: late });
    await keys(2);
    await turn(follower(), followReactor);
    await keys(1);
    expect(await turn(paused, followReactor, { begun: late })).toEqual({ status: "done" });
    expect(await turn(paused, followReactor, { begun: late })).toEqual({ status: "done" });
    await isWhole();
  });

  test("has each event once though followers are killed at work, and the next follower continues", async () => {
    const env = { DATABASE: service.database_url, COPY: db.url, STREAM };
    let copied = 0;
    await killFollowers({
      kills: 3,
      env,
      grow: () => keys(3),
      killed: () => {
        copied = Math.max(copied, stored().length);
        if (Math.random() < 0.5) db.faults.push("lost");
      },
    });
    expect(copied).toBeGreaterThan(0);
    db.faults.splice(0);
    expect(await turn(follower(), followReactor, { patient: true })).toEqual({ status: "done" });
    await isWhole();
    expect(new Set(stored().map(({ id }) => id)).size).toBe(await head());
  });

  test("waits while its store is unavailable, and resumes when it is back", async () => {
    const begun = followReactor.begin();
    await turn(app, followReactor, { begun });
    db.close();
    await keys(2);
    const away = await turn(app, followReactor, { begun });
    expect(away).toMatchObject({ status: "unreached" });
    expect(away.reason).toContain("KurrentDB at 127.0.0.1:");
    await expect(compareOutside(app, outside)).rejects.toThrow(OutsideUnavailable);
    await db.open();
    expect(await turn(app, followReactor, { begun })).toEqual({ status: "done" });
    await isWhole();
  });

  test("is not continued after a foreign event, and compare names the position", async () => {
    await turn(app, followReactor);
    const last = stored().length - 1;
    const changed = (at: number, change: Partial<Stored>) =>
      db.streams.set(STREAM, stored().with(at, { ...stored()[at]!, ...change }));
    const whole = stored();

    changed(2, { data: Buffer.from('{"another":"payload"}') });
    expect(await compareOutside(app, outside)).toEqual({ position: 3, differs: "payload" });

    db.streams.set(STREAM, whole);
    changed(last, { id: randomUUID() });
    const answer = await turn(follower(), followReactor);
    expect(answer).toMatchObject({ status: "diverged" });
    expect(answer.reason).toContain(`another event_id at position ${last + 1}`);

    db.streams.set(STREAM, [...whole, { ...whole[last]!, id: randomUUID() }]);
    expect(await turn(follower(), followReactor)).toMatchObject({ status: "diverged" });
    expect(await compareOutside(app, outside)).toMatchObject({ position: last + 2 });

    db.streams.set(STREAM, [{ ...whole[0]!, metadata: Buffer.from("{}") }]);
    expect((await turn(follower(), followReactor)).reason).toContain("says no position");

    // A truncated copy is one that lags.
    db.streams.set(STREAM, whole.slice(0, 2));
    expect(await turn(follower(), followReactor)).toEqual({ status: "done" });
    await isWhole();
  });

  test("links events into their own streams by a projection that is installed once", async () => {
    expect(await outside.install()).toBe(true);
    expect(db.projections.get(STREAM)).toBe(linking(STREAM));
    expect(await outside.install()).toBe(false);
  });
});

describe("a stream with an unusual answer from its server", () => {
  const next = async (begun = followReactor.begin()) => {
    await keys(1);
    return turn(app, followReactor, { begun });
  };

  test("that was soft-deleted is not continued, and its follower is unhealthy, before and after a scavenge", async () => {
    const begun = followReactor.begin();
    await turn(app, followReactor, { begun });
    db.softDelete(STREAM);
    expect(await next()).toMatchObject({
      status: "deleted",
      reason: expect.stringContaining("KURRENTDB_GENERATION"),
    });
    // The previous follower continues at the old revision, which hides the beginning.
    expect(await next(begun)).toMatchObject({ status: "truncated" });
    expect(await next()).toMatchObject({ status: "truncated" });
    db.softDelete(STREAM);
    db.scavenge();
    expect(await next()).toMatchObject({ status: "deleted" });
    await expect(compareOutside(app, outside)).resolves.toMatchObject({ same: 0 });
  });

  test("ids of hidden events are answered as already written, and are not trusted", async () => {
    const events: CopiedEvent[] = [];
    await turn(app, followReactor);
    for await (const event of outside.read()) events.push(event);
    db.softDelete(STREAM);
    await expect(outside.append(0, events)).rejects.toMatchObject({ status: "deleted" });
    db.scavenge();
    await expect(outside.append(0, events)).rejects.toMatchObject({ status: "deleted" });
    expect(stored().length).toBe(2 * events.length);
  });

  test.each([
    ["$maxCount", { $maxCount: 3 }],
    ["$tb", { $tb: 2 }],
    ["$maxAge", { $maxAge: 60 }],
  ])("%s hides the beginning, and is reported", async (name, metadata) => {
    await turn(app, followReactor);
    const old = stored().map((event) => ({ ...event, created: 1 }));
    db.streams.set(STREAM, old);
    db.setMetadata(STREAM, metadata);
    expect(await next()).toMatchObject({ status: "truncated", reason: expect.stringContaining(name) });
    if (name !== "$maxAge")
      await expect(compareOutside(app, outside)).rejects.toMatchObject({ status: "truncated" });
  });

  test("a tombstone, a user without rights and an event of 1 MiB have separate statuses and remedies", async () => {
    db.denies = true;
    expect(await next()).toMatchObject({
      status: "denied",
      reason: expect.stringContaining("KURRENTDB_URL"),
    });
    db.denies = false;
    await turn(app, followReactor);
    const { event } = (await outside.newest())!;
    const large = { ...event, event_id: randomUUID(), payload: Buffer.from(`"${"x".repeat(1_048_574)}"`) };
    await expect(outside.append(stored().length, [large])).rejects.toMatchObject({
      status: "oversized",
      message: expect.stringContaining("MaxAppendSize"),
    });
    db.max_append_size = 16_000_000;
    expect(await outside.append(stored().length, [large])).toBe(true);
    db.tombstone(STREAM);
    expect(await next()).toMatchObject({ status: "deleted", reason: expect.stringContaining("tombstone") });
    const renewed = kurrentLog({ url: db.url, stream: async () => `${STREAM}-g2` });
    opened.push(renewed);
    expect(await turn({ ...service.app, outside: renewed }, followReactor)).toEqual({ status: "done" });
    expect(await compareOutside(app, renewed)).toEqual({ same: await head(), missing: 0 });
  });

  test("events at other revisions than their positions are another history, however valid the newest one looks", async () => {
    await turn(app, followReactor);
    db.streams.set(STREAM, [stored()[0]!, ...stored()]);
    expect(await next()).toMatchObject({
      status: "diverged",
      reason: expect.stringContaining("at revision"),
    });
  });

  test("disabled projections are reported", async () => {
    db.projections_off = true;
    await expect(outside.install()).rejects.toMatchObject({
      status: "projections_off",
      message: expect.stringContaining("RunProjections=All"),
    });
  });
});

test("the links of two streams never share a name", () => {
  const links: string[] = [];
  const when = (by: { $any(state: unknown, event: unknown): void }) => {
    for (const [stream_id, tenant] of [
      ["a@b", "c"],
      ["a", "b@c"],
      ["a%40b", "c"],
      ["$$a", "c"],
    ])
      by.$any({}, { metadata: { stream_id, tenant } });
  };
  const fromStream = () => ({ when });
  new Function("fromStream", "linkTo", linking("copy"))(fromStream, (name: string) => links.push(name));
  expect(links).toEqual(["a%40b@c@copy", "a@b%40c@copy", "a%2540b@c@copy", "%24%24a@c@copy"]);
});

test("a connection string may have several nodes", () => {
  expect(partsOf("esdb://u:p%40@a:1,b:2,c:3?tls=false")).toEqual({
    host: "a:1,b:2,c:3",
    username: "u",
    password: "p@",
  });
  expect(kurrentLog({ url: "esdb://a,b,c", stream: async () => STREAM }).host).toBe("a,b,c");
});

describe("an event's copy", () => {
  const event = (payload: string): CopiedEvent =>
    copyOf(
      {
        ...{ position: "7", tenant: "acme", stream_id: "s", version: "1", event_id: randomUUID(), type: "T" },
        ...{ schema_version: "1", recorded_at_us: "1700000000000000", idem_key: null, request_hash: null },
        ...{ commit_size: "1", payload: Buffer.from(payload), meta: Buffer.from('{"request_id":"r1"}') },
        ...{ payload_hash: Buffer.alloc(32), meta_hash: Buffer.alloc(32), prev_hash: Buffer.alloc(32) },
        ...{ event_hash: Buffer.alloc(32), log_hash: Buffer.alloc(32) },
      },
      "log.example/1",
    );

  test.each([
    ['{"a":1}', true],
    ['{"b":1,"a":"ü"}', true],
    ['{"b":1,"2":2,"1":1}', false],
    ['{"a":1e2}', false],
    ['{ "a": 1 }', false],
    ['{"a":1.0}', false],
  ])("%s is stored as JSON: %s, and round-trips byte by byte", async (payload, is_json) => {
    const sent = event(payload);
    expect(sent.is_json).toBe(is_json);
    expect(sent.metadata.$correlationId).toBe("r1");
    expect(await outside.append(0, [sent])).toBe(true);
    const found = await outside.newest();
    expect(Buffer.from(found!.event.payload).toString()).toBe(payload);
    expect(differenceOf(found!.event, sent)).toBeUndefined();
    expect(await outside.append(0, [sent])).toBe(true);
    expect(stored()).toHaveLength(1);
    expect(await outside.append(0, [event(payload)])).toBe(false);
    expect(await outside.append(5, [event(payload)])).toBe(false);
  });
});

test("a service configured with a KurrentDB copies by itself, reports its progress, and names obstacles", async () => {
  const env = { KURRENTDB_URL: db.url };
  const copying = await startService({ reactors: true, env });
  try {
    const name = copyStreamOf((await copying.app.store.identity()).epoch, 1);
    const lag = () => copying.app.outside!.copied;
    await copying.issue({ tenant: "watched" });
    const position = (await copying.app.store.head()).position;
    await until(() => (lag() ?? 0) >= position);
    expect(db.streams.get(name)!.length).toBeGreaterThanOrEqual(position);
    const metrics = await (await fetch(`${copying.url}/metrics`)).text();
    expect(metrics).toMatch(/^tallystick_outside_lag_events \d+$/m);

    const copy = db.streams.get(name)!;
    db.streams.set(name, [...copy, { ...copy.at(-1)!, id: randomUUID() }]);
    await copying.issue({ tenant: "unwatched" });
    const { trouble } = await until(async () => {
      const { reactors } = await copying.app.health();
      const own = reactors.find(({ name }) => name === followReactor.name);
      return own?.trouble?.status === "diverged" && own;
    });
    expect(trouble!.reason).toContain("at revision");
  } finally {
    await copying.stop();
  }
});

test("the commands show the copy's status, and refuse where none is configured", async () => {
  const said: string[] = [];
  const run = async (command: string, KURRENTDB_URL: string) => {
    const env = { DATABASE_URL: service.database_url, DATA_DIR: service.data_dir, KURRENTDB_URL };
    const settings = () => patientConfig(env);
    const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => said.push(String(text)) > 0);
    try {
      const logger = () => pino({ enabled: false });
      await kurrentCommand({ settings, logger }).parseAsync([command], { from: "user" });
    } finally {
      write.mockRestore();
    }
    return said.at(-1);
  };
  const name = copyStreamOf((await service.app.store.identity()).epoch, 1);
  await turn(app, followReactor);
  const copy = stored();
  db.streams.set(name, copy.slice(0, -1));
  expect(await run("compare", db.url)).toMatch(
    /^ok {4}\d+ events of the copy match, byte by byte; it lacks the newest 1/,
  );
  db.streams.set(name, copy.with(1, { ...copy[1]!, type: "Another" }));
  expect(await run("compare", db.url)).toBe("FAIL  the copy differs at position 2: type\n");
  process.exitCode = 0;
  expect(await run("install", db.url)).toBe("KurrentDB links events into their streams.\n");
  await expect(run("install", "")).rejects.toThrow("set KURRENTDB_URL");
  db.close();
  await expect(run("compare", db.url)).rejects.toThrow("KurrentDB at 127.0.0.1:");
});

const REAL = process.env.KURRENTDB_TEST_URL;
test.skipIf(REAL === undefined)(
  `a real KurrentDB takes the copy${REAL === undefined ? " (skipped: KURRENTDB_TEST_URL names none)" : ""}`,
  async () => {
    const name = `tallystick-test-${randomUUID()}`;
    const real = kurrentLog({ url: REAL!, stream: async () => name });
    opened.push(real);
    const own: App = { ...service.app, outside: real };
    expect(await turn(own, followReactor)).toEqual({ status: "done" });
    expect(await compareOutside(own, real)).toEqual({ same: await head(), missing: 0 });
    expect(await real.install()).toBe(true);
  },
);
