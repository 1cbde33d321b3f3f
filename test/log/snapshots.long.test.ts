/**
 * Long streams fold from a snapshot to the same state as without it, whatever was appended, killed, deleted or
 * forged.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { serialize } from "node:v8";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { areas } from "../../src/areas/index.ts";
import { StreamCache } from "../../src/core/commands/stream-cache.ts";
import { foldAfresh } from "../../src/core/commands/stream-folds.ts";
import { StreamSnapshots } from "../../src/core/commands/stream-snapshots.ts";
import { transact } from "../../src/core/commands/transact.ts";
import type { UnitParts } from "../../src/core/commands/unit.ts";
import { snapshotReactor } from "../../src/reactors/log/snapshot-streams.ts";
import { startProgram } from "../support/compiled.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { heap, type Pile, pile, pilesArea } from "./pile-area.ts";

let service: Service & { database_url: string };
beforeAll(async () => {
  service = await startService({ areas: [...areas, pilesArea] });
});
afterAll(() => service?.stop());

const TENANT = "acme";
const meta = { actor: "test" };
const streamOf = (id: string) => ({ tenant: TENANT, stream_id: pile.streamOf(id) });

/** Appends this many events to a pile, in several commits. */
async function grow(id: string, events: number): Promise<void> {
  for (let left = events; left > 0; left -= 400)
    await service.app.decide(pile, { tenant: TENANT, id }, heap(Math.min(left, 400), left), { meta });
}

/** The state of a process that starts now; `read` counts the events that it reads. */
function started() {
  const { store, schemas, snapshots, subjects, objects } = service.app.unit;
  let read = 0;
  const counting = {
    ...store,
    readStream: async (...given: Parameters<typeof store.readStream>) => {
      const events = await store.readStream(...given);
      read += events.length;
      return events;
    },
  };
  const parts: UnitParts = {
    store: counting,
    schemas,
    subjects,
    objects,
    cache: new StreamCache(),
    ...(snapshots && { snapshots }),
  };
  return { parts, read: () => read };
}

type Folded = { state: Pile; version: number; read: number };

async function foldedBy(
  { parts, read }: ReturnType<typeof started>,
  id: string,
  entity = pile,
): Promise<Folded> {
  const { state, version } = await foldAfresh(parts, entity, { tenant: TENANT, id });
  return { state, version, read: read() };
}

/** The fold of all events, and the service's fold. */
async function both(id: string, entity = pile): Promise<{ cold: Folded; warm: Folded }> {
  const { snapshots: _, ...without } = started().parts;
  const { state, version } = await foldAfresh(without, entity, { tenant: TENANT, id });
  const warm = await foldedBy(started(), id, entity);
  return { cold: { state, version, read: version }, warm };
}

const keep = () => turn(service.app, snapshotReactor);

/** A pile of 1,200 events with its snapshot. */
async function snapshotted(): Promise<string> {
  const id = randomUUID();
  await grow(id, 1_200);
  expect(await keep()).toEqual({ status: "done" });
  expect((await foldedBy(started(), id)).read).toBe(0);
  return id;
}

const rowsOf = async (id: string): Promise<{ version: number; fold_version: number; seal: Buffer }[]> => {
  const { rows } = await service.app.pool.query(
    "select version, fold_version, seal from read.stream_snapshots where stream_id = $1",
    [pile.streamOf(id)],
  );
  return rows;
};

const change = (id: string, sql: string, ...values: unknown[]) =>
  service.app.pool.query(`update read.stream_snapshots set ${sql} where stream_id = $1`, [
    pile.streamOf(id),
    ...values,
  ]);

test("a fold from a snapshot equals the cold fold, however the stream grew and whatever happened to the snapshots", async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ grow: fc.integer({ min: 1, max: 700 }) }) },
    { weight: 3, arbitrary: fc.constant("keep" as const) },
    { weight: 1, arbitrary: fc.constant("delete" as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      const id = randomUUID();
      for (const one of steps) {
        if (one === "keep") expect(await keep()).toEqual({ status: "done" });
        else if (one === "delete") await service.app.pool.query("delete from read.stream_snapshots");
        else await grow(id, one.grow);
        const { cold, warm } = await both(id);
        expect(warm.state).toStrictEqual(cold.state);
        expect(warm.version).toBe(cold.version);
        if (one === "keep" && cold.version >= 500) expect(warm.read).toBeLessThan(500);
      }
    }),
    { numRuns: scaled(12, 10) },
  );
});

test("a short stream has no snapshot, and neither has an entity that declares none", async () => {
  const id = randomUUID();
  await grow(id, 499);
  await keep();
  expect(await rowsOf(id)).toEqual([]);
  await grow(id, 1);
  await keep();
  expect(await rowsOf(id)).toMatchObject([{ version: 500 }]);
  const { fold_version: _, ...plain } = pile;
  expect((await both(id, plain as typeof pile)).warm.read).toBe(500);
});

test("a state of another fold is not used, and one of an older fold never replaces it", async () => {
  const id = await snapshotted();
  const newer = {
    ...pile,
    fold_version: 2,
    evolve: (state: Pile, event: Parameters<typeof pile.evolve>[1]): Pile => ({
      ...pile.evolve(state, event),
      last: "of a newer fold",
    }),
  };
  const { cold, warm } = await both(id, newer);
  expect(warm).toEqual(cold);
  expect(cold.state.last).toBe("of a newer fold");

  const { event_hash } = (await service.app.headOf(pile, { tenant: TENANT, id }))!;
  const { unit, pool } = service.app;
  const { state, version } = cold;
  await unit.snapshots!.keep(pool, newer, streamOf(id), { state, version, event_hash });
  await unit.snapshots!.keep(pool, pile, streamOf(id), { state, version, event_hash });
  expect(await rowsOf(id)).toMatchObject([{ fold_version: 2 }]);
  expect((await both(id, newer)).warm.read).toBe(0);
  const older = await both(id);
  expect(older.warm).toEqual(older.cold);
});

const forged: Pile = { stones: new Map([["gold", 10n ** 30n]]), last: "gold", count: 0 };

test.each<[string, (id: string) => Promise<unknown>]>([
  ["another state", (id) => change(id, "state = $2", serialize(forged))],
  ["no seal", (id) => change(id, "state = $2, seal = ''", serialize(forged))],
  [
    "a seal under another key",
    async (id) => {
      const { app } = service;
      const forger = new StreamSnapshots(app.pool, Buffer.alloc(32, 1), []);
      const head = (await app.headOf(pile, { tenant: TENANT, id }))!;
      await forger.keep(app.pool, pile, streamOf(id), { state: forged, ...head });
    },
  ],
  [
    "the state and seal of another stream",
    async (id) => {
      const other = await snapshotted();
      await service.app.pool.query(
        `update read.stream_snapshots mine set state = other.state, seal = other.seal
           from read.stream_snapshots other where mine.stream_id = $1 and other.stream_id = $2`,
        [pile.streamOf(id), pile.streamOf(other)],
      );
    },
  ],
  [
    "an earlier event's hash",
    async (id) => {
      const [event] = await service.app.store.readStream({ ...streamOf(id), after_version: 699, limit: 1 });
      await change(id, "version = 700, event_hash = $2", event!.event_hash);
    },
  ],
])("a snapshot with %s is not used, is deleted, and is replaced by a valid one", async (_, forge) => {
  const id = await snapshotted();
  const [right] = await rowsOf(id);
  await forge(id);
  const { cold, warm } = await both(id);
  expect(warm).toEqual(cold);
  expect(await rowsOf(id)).toEqual([]);
  expect(await keep()).toEqual({ status: "done" });
  expect(await rowsOf(id)).toEqual([right]);
});

test("a snapshot beyond the restored log, or of events that changed, is not used", async () => {
  const id = await snapshotted();
  const { app } = service;
  await app.pool.query(
    `begin; set local session_replication_role = replica;
     delete from eventstore.events where stream_id = '${pile.streamOf(id)}' and version > 900; commit`,
  );
  const cut = await both(id);
  expect(cut.warm).toEqual(cut.cold);
  expect(cut.cold.version).toBe(900);
  const { parts } = started();
  const command = { meta };
  await transact(parts, command, ({ decide }) => decide(pile, { tenant: TENANT, id }, heap(300, 3)));
  const regrown = await both(id);
  expect(regrown.warm).toEqual(regrown.cold);
  expect(regrown.cold.version).toBe(1_200);
});

test("a repeated command is answered as of its own commit, before and after a snapshot", async () => {
  const id = randomUUID();
  await grow(id, 1_100);
  await keep();
  const idempotency = { idem_key: randomUUID(), request_hash: Buffer.alloc(32, 1) };
  const say = () =>
    transact(started().parts, { meta, idempotency }, ({ decide }) =>
      decide(pile, { tenant: TENANT, id }, heap(1)),
    );
  const first = await say();
  const early = await say();
  await grow(id, 600);
  await keep();
  const late = await say();
  expect([early.replayed, late.replayed]).toEqual([true, true]);
  expect(early.result).toStrictEqual(first.result);
  expect(late.result).toStrictEqual(first.result);
});

test.each(["before", "within", "after"])(
  "a process killed %s the write of a snapshot leaves a valid state",
  async (at) => {
    const id = randomUUID();
    await grow(id, 1_000);
    const child = startProgram("test/log/killed-snapshots.ts", [], {
      env: {
        PATH: process.env.PATH,
        DIES_AT: at,
        DATABASE_URL: service.database_url,
        DATA_DIR: service.data_dir,
        LOG_LEVEL: "silent",
      },
      stdio: ["ignore", "inherit", "inherit"],
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    expect(await rowsOf(id)).toHaveLength(at === "after" ? 1 : 0);
    const killed = await both(id);
    expect(killed.warm.state).toStrictEqual(killed.cold.state);
    // Its lease has not expired yet.
    expect(await turn(service.app, snapshotReactor, { patient: true })).toEqual({ status: "done" });
    expect((await both(id)).warm.read).toBe(0);
  },
);
