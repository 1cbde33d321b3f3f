import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  AppendUnknown,
  DuplicateEventId,
  InvalidEvent,
  StoreClosed,
  StoreUnavailable,
} from "../../eventstore/errors.ts";
import { openPool } from "../../eventstore/pool.ts";
import { createEventStore } from "../../eventstore/store.ts";
import type { Commit, CommitInFlight } from "../../eventstore/types.ts";
import { until } from "../support/until.ts";
import { appended, commitOf, type Fixture, keyed, openLog } from "./fixture.ts";

let log: Fixture;
beforeAll(async () => {
  log = await openLog();
  // Sequences keep counting when their transaction is rolled back.
  await log.pool.query(`
    create sequence attempts;
    create function misbehave() returns trigger language plpgsql as $$
    begin
      if new.type = 'Poison' then raise exception 'poisoned'; end if;
      if new.type = 'Flaky' and nextval('public.attempts') < 3 then
        raise exception 'try again' using errcode = 'serialization_failure';
      end if;
      if new.type = 'Slow' then perform pg_catalog.pg_sleep(0.4); end if;
      return new;
    end $$;
    create trigger misbehave before insert on eventstore.events for each row execute function misbehave()`);
});
afterAll(() => log.close());
afterEach(async () => {
  await log.pool.query("alter sequence attempts restart");
});

const typed = (type: string, rest: Partial<Commit> = {}): Commit => ({
  appends: [
    { tenant: "acme", stream_id: randomUUID(), expected_version: 0, events: [{ type, payload: {} }] },
  ],
  ...rest,
});
const many = (n: number) => Array.from({ length: n }, () => commitOf({ stream_id: randomUUID() }));

test("simultaneous appends share a call", async () => {
  const before = (await log.store.head()).position;
  await Promise.all(many(300).map((commit) => log.store.append(commit).then(appended)));
  const answer = await log.pool.query(
    "select count(distinct xmin::text) as calls from eventstore.events where position > $1",
    [before],
  );
  expect(answer.rows[0].calls).toBeLessThan(15);
});

test("simultaneous appends to one stream share a call, in order", async () => {
  const stream_id = randomUUID();
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, n) => log.store.append(commitOf({ stream_id, expected_version: n }))),
  );
  expect(results.flatMap(appended).map((event) => event.version)).toEqual(results.map((_, n) => n + 1));
  const answer = await log.pool.query(
    "select count(distinct xmin::text)::int as calls from eventstore.events where stream_id = $1",
    [stream_id],
  );
  expect(answer.rows[0].calls).toBeLessThan(4);
});

describe("a commit that depends on one in flight", () => {
  const following = (
    stream_id: string,
    expected_version: number,
    sent: CommitInFlight,
    type = "T",
  ): Commit => ({
    appends: [{ tenant: "acme", stream_id, expected_version, after: sent, events: [{ type, payload: {} }] }],
  });
  const send = (commit: Commit, store = log.store): CommitInFlight => {
    const sent = store.send(commit);
    // Awaited below.
    sent.settled.catch(() => {});
    return sent;
  };

  test("is appended after it", async () => {
    const stream_id = randomUUID();
    const sent = [send(commitOf({ stream_id, expected_version: 0 }))];
    for (let version = 1; version < 100; version++)
      sent.push(send(following(stream_id, version, sent.at(-1)!)));
    const results = await Promise.all(sent.map(({ settled }) => settled));
    expect(results.flatMap(appended).map(({ version }) => version)).toEqual(results.map((_, n) => n + 1));
    expect(appended(await log.store.append(following(stream_id, 100, sent.at(-1)!)))[0]!.version).toBe(101);
  });

  test.each([0, 1, 30])(
    "is not appended if that one failed, though the version is right (with %i other commits)",
    async (beside) => {
      const stream_id = randomUUID();
      // Another writer was faster: the version equals the one expected, but is not the first commit's.
      appended(await log.store.append(commitOf({ stream_id })));
      for (const commit of many(beside)) send(commit);
      const first = send(commitOf({ stream_id, expected_version: 0 }));
      const second = send(following(stream_id, 1, first));
      const third = send(following(stream_id, 2, second));
      const watching = send({
        ...commitOf({ stream_id: randomUUID() }),
        guards: [{ tenant: "acme", stream_id, expected_version: 1, after: first }],
      });
      expect(await first.settled).toMatchObject({ status: "wrong_version", actual: 1 });
      for (const { settled } of [second, third, watching])
        expect(await settled).toEqual({ status: "overtaken" });
      expect(await log.store.append(following(stream_id, 1, first))).toEqual({ status: "overtaken" });
      expect(await log.store.streamHead({ tenant: "acme", stream_id })).toMatchObject({ version: 1 });
    },
  );

  test("is not appended if Postgres refuses that one", async () => {
    const [stream_id, other] = [randomUUID(), randomUUID()];
    send(commitOf({ stream_id: randomUUID() }));
    const poison = send({
      appends: [
        { tenant: "acme", stream_id, expected_version: 0, events: [{ type: "Poison", payload: {} }] },
      ],
    });
    const rests = send(following(stream_id, 1, poison));
    const alone = send(commitOf({ stream_id: other, expected_version: 0 }));
    const onThat = send(following(other, 1, alone));
    await expect(poison.settled).rejects.toThrow("poisoned");
    expect(await rests.settled).toEqual({ status: "overtaken" });
    expect(appended(await alone.settled)[0]!.version).toBe(1);
    expect(appended(await onThat.settled)[0]!.version).toBe(2);
  });

  test("waits with it while the call is repeated", async () => {
    const stream_id = randomUUID();
    const flaky = send({
      appends: [{ tenant: "acme", stream_id, expected_version: 0, events: [{ type: "Flaky", payload: {} }] }],
    });
    const rests = send(following(stream_id, 1, flaky));
    const last = send(following(stream_id, 2, rests, "Flaky"));
    for (const [n, { settled }] of [flaky, rests, last].entries())
      expect(appended(await settled)[0]!.version).toBe(n + 1);
  });

  test("with the same key is the same commit", async () => {
    const stream_id = randomUUID();
    const key = keyed(randomUUID());
    const first = send({ ...commitOf({ stream_id, expected_version: 0 }), ...key });
    const again = send({ ...following(stream_id, 1, first), ...key });
    const behind = send(following(stream_id, 2, again));
    appended(await first.settled);
    expect(await again.settled).toMatchObject({ status: "replayed" });
    expect(await behind.settled).toEqual({ status: "overtaken" });
  });

  test("cannot depend on another store's or log's commit", async () => {
    const stream_id = randomUUID();
    const elsewhere = send(commitOf({ stream_id }), createEventStore(log.pool));
    expect(() => log.store.send(following(stream_id, 1, elsewhere))).toThrow(InvalidEvent);
    const here = send(commitOf({ stream_id }));
    expect(() => log.store.send({ ...following(stream_id, 1, here), log_id: 2 })).toThrow(InvalidEvent);
    await Promise.all([elsewhere.settled, here.settled]);
  });
});

describe("a guarded stream", () => {
  const guarded = (stream_id: string, expected_version: number): Commit => ({
    ...commitOf({ stream_id: randomUUID() }),
    guards: [{ tenant: "acme", stream_id, expected_version }],
  });

  test("accepts only commits that expect its current version, many of them in one call", async () => {
    const stream_id = randomUUID();
    appended(await log.store.append(commitOf({ stream_id })));
    const before = (await log.store.head()).position;
    await Promise.all(
      Array.from({ length: 100 }, () => log.store.append(guarded(stream_id, 1)).then(appended)),
    );
    const { rows } = await log.pool.query(
      "select count(distinct xmin::text)::int as calls from eventstore.events where position > $1",
      [before],
    );
    expect(rows[0].calls).toBeLessThan(10);
    expect(await log.store.streamHead({ tenant: "acme", stream_id })).toMatchObject({ version: 1 });
    const late = { status: "wrong_version", tenant: "acme", stream_id, actual: 1 };
    expect(await log.store.append(guarded(stream_id, 0))).toEqual(late);
    expect(await log.store.append(guarded(stream_id, 2))).toEqual(late);
  });

  test("extended at the same time accepts only what was appended before", async () => {
    const stream_id = randomUUID();
    const all = Array.from({ length: 60 }, (_, n) =>
      n === 30 ? commitOf({ stream_id, expected_version: 0 }) : guarded(stream_id, 0),
    );
    const results = await Promise.all(all.map((commit) => log.store.append(commit)));
    const end = appended(results[30]!)[0]!.position;
    for (const [n, result] of results.entries()) {
      if (result.status === "appended") expect(result.events[0]!.position <= end || n === 30).toBe(true);
      else expect(result).toMatchObject({ status: "wrong_version", stream_id, actual: 1 });
    }
    expect(results.slice(31).every(({ status }) => status === "wrong_version")).toBe(true);
  });

  test("cannot also be extended by the commit, and appears once", async () => {
    const commit = commitOf({ stream_id: "one" });
    const guard = { tenant: "acme", stream_id: "one", expected_version: 0 };
    await expect(log.store.append({ ...commit, guards: [guard] })).rejects.toThrow(/guards\[0\]\.stream_id/);
    const other = { ...guard, stream_id: "two" };
    await expect(log.store.append({ ...commit, guards: [other, other] })).rejects.toThrow(/guards\[1\]/);
  });
});

describe("a bad commit fails alone", () => {
  test("if Postgres refuses it", async () => {
    const all = [...many(40), typed("Poison"), ...many(40)];
    const results = await Promise.allSettled(all.map((commit) => log.store.append(commit)));
    const failed = results.flatMap((result, i) => (result.status === "rejected" ? [i] : []));
    expect(failed).toEqual([40]);
    expect(results[40]).toMatchObject({ reason: { message: "poisoned" } });
    for (const result of results) if (result.status === "fulfilled") appended(result.value);
  });

  test("if its event_id exists, or occurs twice in the call", async () => {
    const event_id = randomUUID();
    const commit = (): Commit => ({
      appends: [
        {
          tenant: "t",
          stream_id: randomUUID(),
          expected_version: 0,
          events: [{ type: "T", payload: {}, event_id }],
        },
      ],
    });
    const all = [...many(10), commit(), ...many(10), commit(), ...many(10)];
    const results = await Promise.allSettled(all.map((one) => log.store.append(one)));
    const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(failed).toEqual([expect.any(DuplicateEventId)]);
    await expect(log.store.append(commit())).rejects.toBeInstanceOf(DuplicateEventId);
  });

  const event = { type: "T", payload: {} };
  const place = { tenant: "t", stream_id: "s", expected_version: "any" as const };
  const bad: [string, Commit][] = [
    ["appends", { appends: [] }],
    ["appends", { appends: [{ ...place, events: Array(1_001).fill(event) }] }],
    [
      "appends[1].events",
      {
        appends: [
          { ...place, events: [event] },
          { ...place, stream_id: "u", events: [] },
        ],
      },
    ],
    [
      "appends[1].stream_id",
      {
        appends: [
          { ...place, events: [event] },
          { ...place, events: [event] },
        ],
      },
    ],
    ["appends[0].tenant", { appends: [{ ...place, tenant: "", events: [event] }] }],
    ["appends[0].tenant", { appends: [{ ...place, tenant: "ä".repeat(128), events: [event] }] }],
    ["appends[0].stream_id", { appends: [{ ...place, stream_id: "a\0b", events: [event] }] }],
    ["appends[0].stream_id", { appends: [{ ...place, stream_id: "\ud800", events: [event] }] }],
    ["appends[0].expected_version", { appends: [{ ...place, expected_version: -1, events: [event] }] }],
    ["appends[0].expected_version", { appends: [{ ...place, expected_version: 0.5, events: [event] }] }],
    ["appends[0].events[0].type", { appends: [{ ...place, events: [{ type: "", payload: {} }] }] }],
    ["appends[0].events[0].event_id", { appends: [{ ...place, events: [{ ...event, event_id: "x" }] }] }],
    [
      "appends[0].events[0].schema_version",
      { appends: [{ ...place, events: [{ ...event, schema_version: 0 }] }] },
    ],
    [
      "appends[0].events[1].payload.a",
      { appends: [{ ...place, events: [event, { type: "T", payload: { a: Number.NaN } }] }] },
    ],
    [
      "appends[0].events[0].payload",
      { appends: [{ ...place, events: [{ type: "T", payload: { a: "x".repeat(1024 * 1024) } }] }] },
    ],
    ["appends[0].events[0].meta.commit", { appends: [{ ...place, events: [event] }], meta: { commit: "x" } }],
    [
      "appends[0].events[0].meta",
      { appends: [{ ...place, events: [event] }], meta: { a: "x".repeat(65_536) } },
    ],
    ["idem_key", { appends: [{ ...place, events: [event] }], ...keyed("") }],
    ["idem_key", { appends: [{ ...place, events: [event] }], ...keyed("k".repeat(256)) }],
    [
      "request_hash",
      {
        appends: [{ ...place, events: [event] }],
        idempotency: { idem_key: "k", request_hash: Buffer.alloc(31) },
      },
    ],
    ["log_id", { appends: [{ ...place, events: [event] }], log_id: 0 }],
  ];
  test.each(bad)("if it has a bad %s (%#)", async (field, commit) => {
    const before = await log.store.head();
    const failure = log.store.append(commit);
    await expect(failure).rejects.toBeInstanceOf(InvalidEvent);
    await expect(failure).rejects.toMatchObject({ field });
    expect(await log.store.head()).toEqual(before);
  });
});

test("the largest allowed commit is accepted", async () => {
  const name = "n".repeat(255);
  const events = Array.from({ length: 1_000 }, () => ({ type: name, payload: { a: "x".repeat(10_000) } }));
  const commit = { appends: [{ tenant: name, stream_id: name, expected_version: "any" as const, events }] };
  expect(appended(await log.store.append({ ...commit, ...keyed(name) }))).toHaveLength(1_000);
});

test("a call that conflicts with another is repeated", async () => {
  appended(await log.store.append(typed("Flaky")));
});

describe("after a connection lost during a call", () => {
  const loseOne = async () => {
    await until(async () => {
      const killed = await log.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event = 'PgSleep'`,
      );
      return killed.rowCount === 1;
    });
  };

  test("a commit with a key is sent again, and appended once", async () => {
    const key = randomUUID();
    const result = log.store.append(typed("Slow", keyed(key)));
    await loseOne();
    const events = appended(await result);
    expect((await log.store.findCommit({ idem_key: key }))!.events).toHaveLength(1);
    expect((await log.store.head()).position).toBe(events[0]!.position);
  });

  test("the caller of a commit without a key learns that it may be appended", async () => {
    const result = log.store.append(typed("Slow"));
    await Promise.all([expect(result).rejects.toBeInstanceOf(AppendUnknown), loseOne()]);
    appended(await log.store.append(commitOf()));
  });
});

test("without the database appends fail as unavailable", async () => {
  const pool = openPool("postgres://nobody@127.0.0.1:1/none");
  const store = createEventStore(pool);
  await expect(store.append(commitOf())).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(store.append(commitOf({}, {}, keyed("k")))).rejects.toBeInstanceOf(StoreUnavailable);
  await pool.end();
});

test("commits beyond the queue limit are refused at once", async () => {
  const store = createEventStore(log.pool, { max_queued: 50 });
  const results = await Promise.allSettled(many(80).map((commit) => store.append(commit)));
  const refused = results.filter((result) => result.status === "rejected");
  expect(refused.length).toBeGreaterThanOrEqual(20);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(StoreUnavailable);
  for (const result of results) if (result.status === "fulfilled") appended(result.value);
});

test("small call limits split the queue but still accept a large commit", async () => {
  const store = createEventStore(log.pool, { max_call_events: 5, max_call_bytes: 500 });
  const events = Array.from({ length: 20 }, (_, n) => ({ type: "T", payload: { n } }));
  const large = { appends: [{ tenant: "t", stream_id: randomUUID(), expected_version: 0, events }] };
  const results = await Promise.all([...many(12), large, ...many(12)].map((commit) => store.append(commit)));
  expect(results.flatMap(appended)).toHaveLength(44);
});

test("closing waits for accepted commits and refuses later ones", async () => {
  const store = createEventStore(log.pool);
  const taken = many(100).map((commit) => store.append(commit));
  await Promise.resolve();
  const closing = store.close();
  await expect(store.append(commitOf())).rejects.toBeInstanceOf(StoreClosed);
  await closing;
  expect((await Promise.all(taken)).flatMap(appended)).toHaveLength(100);
  await expect(store.append(commitOf({ log_id: 2 }))).rejects.toBeInstanceOf(StoreClosed);
});
