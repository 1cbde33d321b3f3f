/**
 * A read model does not depend on the log's batches: each is folded from random histories, one event at a time and
 * many, and its tables are compared row for row. `HISTORY_EVENTS=2000 npm test -- projections/batches` folds longer
 * ones.
 */
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { registry } from "../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";
import { areas, entitiesOf } from "../../src/areas/index.ts";
import type { EntityEvents } from "../../src/core/model/entity.ts";
import { Folding } from "../../src/core/read-models/folding.ts";
import { type Projection, projection } from "../../src/core/read-models/projection.ts";
import { tasksProjection } from "../../src/projections/compute/tasks.ts";
import { COUNTED } from "../compute/totals.ts";
import { type FreshDatabase, freshDatabase, makeServiceTables } from "../support/database.ts";
import { digest, idIn, randomHistory, randomNumbers } from "../support/random-events.ts";
import { scaled } from "../support/scale.ts";
import { inBatches, rowsIn, tablesOf } from "./read-models.ts";

const EVENTS = scaled(150, 40);
const SEEDS = Array.from({ length: scaled(1) }, (_, n) => n + 1);

const entities = entitiesOf(areas);
const projections = areas.flatMap((area) => area.projections);
const schemas = registry(entities.map(({ events }) => events));

let database: FreshDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await freshDatabase();
  await migrate(database.url, { host: "log.test" });
  await makeServiceTables(database.url);
  pool = openPool(database.url, { max: 4 });
  for (const { ddl } of projections) await pool.query(ddl);
  await layObjects();
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Objects that events may name: read models record their retention, and read some of their contents. */
async function layObjects(): Promise<void> {
  const prefixes = ["task", "execution", "bounty", "stack", "newsbatch", "idea", "report"];
  const names = prefixes.flatMap((place) =>
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((n) =>
      [0, 1, 2, 3].map(
        (one) => `${place.replace("newsbatch", "news")}/${idIn(`${place}-`, n)}/${digest(one)}`,
      ),
    ),
  );
  await pool.query(
    `insert into objects.small (name, bytes, keep_until)
     select name, '{}', '2026-01-01T00:00:00Z' from unnest($1::text[]) name`,
    [names],
  );
}

/** Runs it and rolls back. */
async function undone<T>(work: (tx: pg.ClientBase) => Promise<T>): Promise<T> {
  const tx = await pool.connect();
  try {
    await tx.query("begin");
    return await work(tx);
  } finally {
    await tx.query("rollback");
    tx.release();
  }
}

/** Folds one event at a time; returns the events that could be folded, because random ones may be impossible. */
async function foldEach(
  tx: pg.ClientBase,
  model: Projection,
  history: RecordedEvent[],
): Promise<RecordedEvent[]> {
  const folding = new Folding(schemas);
  const folded: RecordedEvent[] = [];
  for (const event of history) {
    await tx.query("savepoint one");
    try {
      await folding.of(model, [event])?.(tx);
      folded.push(event);
    } catch {
      await tx.query("rollback to savepoint one");
    }
  }
  return folded;
}

async function differences(
  model: Projection,
  of: readonly EntityEvents[],
  seed: number,
): Promise<Set<string>> {
  const history = randomHistory(of, Math.round(EVENTS * Math.max(1, Math.min(of.length, 12) / 2)), seed);
  const tables = [...tablesOf(model), "objects.small", "objects.large"];
  const [folded, expected] = await undone(async (tx) => {
    const events = await foldEach(tx, model, history);
    return [events, await rowsIn(tx, tables)] as const;
  });
  const below = randomNumbers(seed);
  for (const batches of [inBatches(folded, () => 5_000), inBatches(folded, () => 1 + below(40))]) {
    const found = await undone(async (tx) => {
      const folding = new Folding(schemas);
      for (const batch of batches) await folding.of(model, batch)?.(tx);
      return rowsIn(tx, tables);
    });
    expect(found).toEqual(expected);
  }
  return new Set(folded.map(({ type }) => type));
}

const sourcesOf = ({ of }: Projection): readonly EntityEvents[] => (typeof of === "string" ? entities : of);

for (const model of projections)
  test(`${model.name} is the same whatever the batches`, async () => {
    const of = sourcesOf(model);
    const types = new Set<string>();
    for (const seed of SEEDS) for (const type of await differences(model, of, seed)) types.add(type);
    // An event that is never folded would be compared with nothing.
    if (typeof model.of !== "string")
      expect(of.flatMap(({ events }) => Object.keys(events)).filter((type) => !types.has(type))).toEqual([]);
  });

test("the market's sums equal those of its tasks, after any events", async () => {
  const of = sourcesOf(tasksProjection);
  for (const seed of [3, 4, 5])
    await undone(async (tx) => {
      await foldEach(tx, tasksProjection, randomHistory(of, 4 * EVENTS, seed));
      const { rows: counted } = await tx.query(COUNTED);
      const { rows: kept } = await tx.query(
        `select ${Object.keys(counted[0]).join(", ")} from read.compute_sums_v4`,
      );
      expect(kept).toEqual(counted);
      expect(Object.values(counted[0])).not.toEqual(Object.values(counted[0]).map(() => 0));
    });
});

test("a fold that depends on its batches is detected", async () => {
  const order = entities.find(({ prefix }) => prefix === "order-")!;
  const counting = projection({
    ...{ name: "counting", version: 1, of: [order] },
    ddl: "create table if not exists read.counting_v1 (batches int)",
    fold: async (_, tx) => void (await tx.query("insert into read.counting_v1 values (1)")),
  });
  await pool.query(counting.ddl);
  await expect(differences(counting, [order], 1)).rejects.toThrow();
});
