/** Projections fold each event once, in one process at a time, without late writes of a process that lost its lease. */
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { migrate } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { registry } from "../../eventstore/schemas.ts";
import { createEventStore, type EventStore } from "../../eventstore/store.ts";
import { createTail, type Tail } from "../../eventstore/tail.ts";
import { type Projection, type PublicFacts, projection } from "../../src/core/read-models/projection.ts";
import { startRunner } from "../../src/core/read-models/runner.ts";
import { type FreshDatabase, freshDatabase, makeServiceTables } from "../support/database.ts";
import * as notes from "../support/notes.ts";
import { LIMIT_MS, until } from "../support/until.ts";

let database: FreshDatabase;
let pool: pg.Pool;
let store: EventStore;
let tail: Tail;
let warned: string[];
const log = { warn: (facts: object) => void warned.push(JSON.stringify(facts)) };

beforeAll(async () => {
  database = await freshDatabase();
  await migrate(database.url, { host: "log.test" });
  pool = openPool(database.url, { max: 20 });
  await makeServiceTables(database.url);
  await pool.query("create table read.seen (at bigserial, projection text, position bigint)");
  store = createEventStore(pool);
  tail = createTail(store, { pool });
});
afterAll(async () => {
  await tail.close();
  await store.close();
  await pool.end();
  await database.drop();
});
beforeEach(() => {
  warned = [];
});

let made = 0;
/** Records every position it folds. */
function recorder(
  before?: () => Promise<void> | void,
  of: "every event" | "notes" = "every event",
): Projection {
  const name = `recorder${++made}`;
  const fold = async (events: readonly Pick<PublicFacts, "position">[], tx: pg.ClientBase) => {
    await before?.();
    for (const { position } of events)
      await tx.query("insert into read.seen (projection, position) values ($1, $2)", [name, position]);
  };
  const tables = { name, version: 1, ddl: "" };
  return of === "notes" ? projection({ ...tables, of: [notes], fold }) : projection({ ...tables, of, fold });
}

const seenBy = async ({ name }: Projection): Promise<number[]> => {
  const answer = await pool.query("select position from read.seen where projection = $1 order by at", [name]);
  return answer.rows.map((row) => row.position);
};

const append = (count: number, stream = `s${Math.random()}`) =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      store.append({
        appends: [
          {
            tenant: "t",
            stream_id: `${stream}-${n % 7}`,
            expected_version: "any",
            events: [{ type: "Happened", payload: { n } }],
          },
        ],
      }),
    ),
  );

const everyPosition = async () => Array.from({ length: (await store.head()).position }, (_, n) => n + 1);
const run = (...projections: Projection[]) =>
  startRunner({ pool, tail, schemas: registry([notes.events]), projections, log });

test("every event is folded once and in order during appends", async () => {
  const projection = recorder();
  const runner = run(projection);
  await append(50);
  const more = append(200);
  await more;
  expect(await runner.reached(projection, (await store.head()).position, LIMIT_MS)).toBe(true);
  expect(await seenBy(projection)).toEqual(await everyPosition());
  await runner.stop();
});

test("irrelevant events are skipped, and count as folded", async () => {
  const projection = recorder(undefined, "notes");
  const runner = run(projection);
  const take = async (stream_id: string) => {
    const events = [{ type: "NoteTaken", payload: { text: "x" } }];
    const done = await store.append({
      appends: [{ tenant: "t", stream_id, expected_version: "any", events }],
    });
    if (done.status !== "appended") throw new Error(done.status);
    return done.events[0]!.position;
  };
  await append(11);
  const first = await take("notebook-a");
  await take("somebody-elses");
  const second = await take("notebook-b");
  await append(12);
  expect(await runner.reached(projection, (await store.head()).position, LIMIT_MS)).toBe(true);
  expect(await seenBy(projection)).toEqual([first, second]);
  await runner.stop();
});

test("skipped events are known to waiters in another process, and after both processes have stopped", async () => {
  const projection = recorder(undefined, "notes");
  const [one, other] = [run(projection), run(projection)];
  const { position: before } = await store.head();
  await append(30);
  const { position } = await store.head();
  expect(await one.reached(projection, position, LIMIT_MS)).toBe(true);
  expect(await other.reached(projection, position, LIMIT_MS)).toBe(true);
  await append(5);
  await Promise.all([one.stop(), other.stop()]);
  const late = run(projection);
  expect(await late.positionOf(projection)).toBeGreaterThanOrEqual(position);
  expect(await late.reached(projection, (await store.head()).position, LIMIT_MS)).toBe(true);
  await late.stop();
  expect((await seenBy(projection)).filter((folded) => folded > before)).toEqual([]);
});

test("two processes share one projection; when one stops, the other continues", async () => {
  const projection = recorder();
  const [one, other] = [run(projection), run(projection)];
  await append(100);
  const head = async () => (await store.head()).position;
  expect(await one.reached(projection, await head(), LIMIT_MS)).toBe(true);
  await one.stop();
  await append(100);
  expect(await other.reached(projection, await head(), LIMIT_MS)).toBe(true);
  await other.stop();
  expect(await seenBy(projection)).toEqual(await everyPosition());
});

test("a failed fold leaves nothing and is retried", async () => {
  let failures = 2;
  const projection = recorder(() => {
    if (failures-- > 0) throw new Error("not yet");
  });
  const runner = run(projection);
  await append(10);
  expect(await runner.reached(projection, (await store.head()).position, LIMIT_MS)).toBe(true);
  await runner.stop();
  expect(warned.filter((line) => line.includes("not yet"))).toHaveLength(2);
  expect(await seenBy(projection)).toEqual(await everyPosition());
});

test("a process paused beyond its lease cannot write late", async () => {
  let resume: () => void = () => {};
  const paused = new Promise<void>((done) => {
    resume = done;
  });
  let first = true;
  const projection = recorder(async () => {
    if (!first) return;
    first = false;
    await paused;
  });
  await noteRefused();
  const slow = run(projection);
  await append(5);
  await until(() => !first);
  // Its lease expires and another process takes over: the fencing token increases.
  const name = `${projection.name}_v1`;
  const takeover = pool.query(
    "update read.checkpoints set holder = gen_random_uuid(), token = token + 1, held_until = 'infinity' where projection = $1",
    [name],
  );
  resume();
  await takeover;
  const before = await refused();
  await append(5);
  await until(async () => (await refused()) > before);
  await slow.stop();
  const answer = await pool.query("select position from read.checkpoints where projection = $1", [name]);
  const { position } = answer.rows[0];
  // Its writes match its checkpoint: one transaction, all or nothing, and nothing after the takeover.
  expect(position).toBeGreaterThan(0);
  expect(position).toBeLessThan((await store.head()).position);
  expect(await seenBy(projection)).toEqual((await everyPosition()).filter((one) => one <= position));
});

/** From now on an update without a lease, which touches no row, is counted. */
const noteRefused = () =>
  pool.query(`
    create table read.refused (at bigserial);
    create function read.note_refused() returns trigger language plpgsql as $$
    begin
      if not exists (select from touched) then insert into read.refused default values; end if;
      return null;
    end $$;
    create trigger note_refused after update on read.checkpoints referencing new table as touched
      for each statement execute function read.note_refused()`);

const refused = async (): Promise<number> =>
  (await pool.query("select count(*)::int as n from read.refused")).rows[0].n;

/** A transaction that locks the checkpoint of a projection, until `release`; `meanwhile` runs in it. */
async function lockCheckpoint(projection: Projection, meanwhile?: string) {
  const client = await pool.connect();
  await client.query("begin");
  await client.query("select from read.checkpoints where projection = $1 for update", [
    `${projection.name}_v1`,
  ]);
  if (meanwhile) await client.query(meanwhile, [`${projection.name}_v1`]);
  return {
    async release() {
      await client.query("commit");
      client.release();
    },
  };
}

const checkpointOf = async ({ name }: Projection): Promise<{ position: number; token: number }> => {
  const sql = "select position, token from read.checkpoints where projection = $1";
  return (await pool.query(sql, [`${name}_v1`])).rows[0];
};

/** Three with nothing to fold, at the head of the log. */
async function passingOver() {
  const those = [1, 2, 3].map(() => recorder(undefined, "notes"));
  const runner = run(...those);
  await append(1);
  const { position } = await store.head();
  for (const one of those) await until(async () => (await checkpointOf(one)).position >= position);
  return { those, runner };
}

test("a locked checkpoint blocks no other, and moves once it is free, under the same lease", async () => {
  const { those, runner } = await passingOver();
  const [locked, ...others] = those as [Projection, ...Projection[]];
  const before = await checkpointOf(locked);
  const lock = await lockCheckpoint(locked);
  for (let round = 0; round < 3; round++) {
    await append(2);
    const { position } = await store.head();
    for (const one of others) await until(async () => (await checkpointOf(one)).position >= position);
  }
  expect(await checkpointOf(locked)).toEqual(before);
  await lock.release();
  const { position } = await store.head();
  await until(async () => (await checkpointOf(locked)).position >= position);
  expect((await checkpointOf(locked)).token).toBe(before.token);
  await runner.stop();
});

test("a checkpoint taken over while locked is not moved by its former process", async () => {
  const { those, runner } = await passingOver();
  const [locked, other] = those as [Projection, Projection];
  const before = await checkpointOf(locked);
  const lock = await lockCheckpoint(
    locked,
    "update read.checkpoints set holder = gen_random_uuid(), token = token + 1, held_until = 'infinity' where projection = $1",
  );
  const move = async () => {
    await append(2);
    const { position } = await store.head();
    await until(async () => (await checkpointOf(other)).position >= position);
  };
  await move();
  await lock.release();
  await move();
  await move();
  expect(await checkpointOf(locked)).toEqual({ position: before.position, token: before.token + 1 });
  await runner.stop();
});

test("a process killed during a fold is replaced and each event still counts once", async () => {
  const projection = recorder();
  const dying = new pg.Client({ connectionString: database.url });
  dying.on("error", () => undefined);
  await dying.connect();
  const name = `${projection.name}_v1`;
  await pool.query(
    "insert into read.checkpoints (projection, held_until) values ($1, clock_timestamp() + interval '1 second')",
    [name],
  );
  await dying.query("begin");
  await dying.query("update read.checkpoints set position = 3 where projection = $1", [name]);
  await dying.query("insert into read.seen (projection, position) values ($1, 1), ($1, 2), ($1, 3)", [
    projection.name,
  ]);
  const { rows } = await dying.query("select pg_backend_pid() as pid");
  await pool.query("select pg_terminate_backend($1)", [rows[0].pid]);
  const runner = run(projection);
  expect(await runner.reached(projection, (await store.head()).position, LIMIT_MS)).toBe(true);
  await runner.stop();
  expect(await seenBy(projection)).toEqual(await everyPosition());
});
