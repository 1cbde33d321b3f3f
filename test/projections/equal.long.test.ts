/**
 * A read model is equal row for row however its log is folded: event by event, in random batches, rebuilt in one go, and as the running
 * service folded it. The log is written by real operations of all areas.
 */
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { registry } from "../../eventstore/schemas.ts";
import { createEventStore } from "../../eventstore/store.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";
import { areas, entitiesOf } from "../../src/areas/index.ts";
import { Folding } from "../../src/projections/folding.ts";
import type { Projection } from "../../src/projections/projection.ts";
import { nameOf } from "../../src/projections/runner.ts";
import { drive } from "../contract/driven.ts";
import type { FreshDatabase } from "../support/database.ts";
import { preparedDatabase } from "../support/prepared-database.ts";
import { randomNumbers } from "../support/random-events.ts";
import { scaled } from "../support/scale.ts";
import { liveThrough } from "./lived-log.ts";
import { inBatches, rowsIn, tablesOf, wholeLog } from "./read-models.ts";

const SEEDS = Array.from({ length: scaled(2) }, (_, n) => n + 1);
const OBJECTS = ["objects.small", "objects.large"];

const projections = areas.flatMap((area) => area.projections);
const schemas = registry(entitiesOf(areas).map(({ events }) => events));

/** The reactor that computes scores stores these. It recomputes them from the log and compares the log's digest. */
const OF_REACTORS = ["read.trust_scores_v3", "read.trust_ranks_v3"];
const COLUMNS_OF_REACTORS = { "read.trust_computed_v3": ["kept"] };

let database: FreshDatabase;
let pool: pg.Pool;
let log: RecordedEvent[];
beforeAll(async () => {
  database = await preparedDatabase();
  const driven = await drive({ database_url: database.url });
  try {
    await liveThrough(driven);
  } finally {
    await driven.service.stop();
  }
  pool = openPool(database.url, { max: 2 });
  log = await wholeLog(createEventStore(pool, { schemas }));
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** The rows of a read model that is folded from nothing. */
async function folded(
  model: Projection,
  batches: readonly RecordedEvent[][],
): Promise<Record<string, string[]>> {
  const tx = await pool.connect();
  const tables = tablesOf(model);
  try {
    await tx.query("begin");
    await tx.query(`truncate ${tables.join(", ")}`);
    const folding = new Folding(schemas);
    for (const batch of batches) await folding.of(model, batch)?.(tx);
    return await rowsIn(tx, [...tables, ...OBJECTS]);
  } finally {
    await tx.query("rollback");
    tx.release();
  }
}

/** Each table with the rows that only one of both has. */
function differences(one: Record<string, string[]>, other: Record<string, string[]>) {
  const only = (rows: string[], others: string[]) => {
    const known = new Set(others);
    return rows.filter((row) => !known.has(row));
  };
  return Object.keys(one).flatMap((table) => {
    const [here, there] = [only(one[table]!, other[table]!), only(other[table]!, one[table]!)];
    return here.length + there.length + Math.abs(one[table]!.length - other[table]!.length) === 0
      ? []
      : [{ table, here: here.slice(0, 3), there: there.slice(0, 3) }];
  });
}

test.each(projections.map((model) => [nameOf(model), model] as const))(
  `%s is equal event by event, rebuilt and in batches of the seeds ${SEEDS.join(", ")}`,
  async (_, model) => {
    const rebuilt = await folded(model, [log]);
    const each = await folded(
      model,
      log.map((event) => [event]),
    );
    expect(differences(each, rebuilt)).toEqual([]);
    for (const seed of SEEDS) {
      const below = randomNumbers(seed);
      const batches = inBatches(log, () => 1 + below(40));
      expect([seed, differences(await folded(model, batches), rebuilt)]).toEqual([seed, []]);
    }
    const empty = tablesOf(model).filter(
      (table) => rebuilt[table]!.length === 0 && !OF_REACTORS.includes(table),
    );
    expect(empty, "tables that this log leaves empty").toEqual([]);
  },
);

test.each(projections.map((model) => [nameOf(model), model] as const))(
  "%s is as the running service has folded it",
  async (name, model) => {
    const sql = "select position from read.checkpoints where projection = $1";
    const { rows } = await pool.query<{ position: number }>(sql, [name]);
    const position = rows[0]?.position ?? 0;
    expect(position).toBeGreaterThan(log.length / 2);
    const tables = tablesOf(model).filter((table) => !OF_REACTORS.includes(table));
    const live = await rowsIn(pool, tables, COLUMNS_OF_REACTORS);
    const tx = await pool.connect();
    try {
      await tx.query("begin");
      await tx.query(`truncate ${tablesOf(model).join(", ")}`);
      const upTo = log.filter((event) => event.position <= position);
      await new Folding(schemas).of(model, upTo)?.(tx);
      expect(differences(live, await rowsIn(tx, tables, COLUMNS_OF_REACTORS))).toEqual([]);
    } finally {
      await tx.query("rollback");
      tx.release();
    }
  },
);
