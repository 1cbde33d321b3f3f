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
import type { Verdict } from "../../eventstore/verify/report.ts";
import { areas, entitiesOf } from "../../src/areas/index.ts";
import { readModelsVerdict } from "../../src/cli/verify-read-models.ts";
import { Folding } from "../../src/core/read-models/folding.ts";
import { type Projection, projection } from "../../src/core/read-models/projection.ts";
import { nameOf } from "../../src/core/read-models/runner.ts";
import { drive } from "../contract/driven.ts";
import type { FreshDatabase } from "../support/database.ts";
import { preparedDatabase } from "../support/prepared-database.ts";
import { randomNumbers } from "../support/random-events.ts";
import { scaled } from "../support/scale.ts";
import { liveThrough } from "./lived-log.ts";
import { inBatches, rowsIn, tablesOf, wholeLog } from "./read-models.ts";

const SEEDS = Array.from({ length: scaled(1) }, (_, n) => n + 1);
const OBJECTS = ["objects.small", "objects.large"];

const projections = areas.flatMap((area) => area.projections);
const schemas = registry(entitiesOf(areas).map(({ events }) => events));

/** The reactor that computes scores stores these. It recomputes them from the log and compares the log's digest. */
const OF_REACTORS = ["read.trust_scores_v3", "read.trust_ranks_v3"];
const COLUMNS_OF_REACTORS = { "read.trust_computed_v3": ["kept"] };

let database: FreshDatabase;
let pool: pg.Pool;
let log: RecordedEvent[];
let beside: { verdict: Verdict; calls: number };
beforeAll(async () => {
  database = await preparedDatabase();
  const driven = await drive({ database_url: database.url });
  try {
    await liveThrough(driven);
    pool = openPool(database.url, { max: 2 });
    beside = await verdictBesideCalls(driven.service.url);
  } finally {
    await driven.service.stop();
  }
  log = await wholeLog(createEventStore(pool, { schemas }));
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const verdictNow = () => readModelsVerdict(createEventStore(pool, {}), areas, database.url);

/** The verdict of `verify --read-models` while agents register. */
async function verdictBesideCalls(url: string): Promise<{ verdict: Verdict; calls: number }> {
  let isOver = false;
  const calling = (async () => {
    let calls = 0;
    for (; !isOver; calls++) {
      const { status } = await fetch(`${url}/v1/agent/passport/issue`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ agent_name: `beside-${calls}` }),
      });
      expect(status).toBeLessThan(500);
    }
    return calls;
  })();
  const verdict = await verdictNow().finally(() => {
    isOver = true;
  });
  return { verdict, calls: await calling };
}

/** Folds a read model from nothing, answers what `read` reads of it, and undoes it. */
async function folded<T>(
  model: Projection,
  batches: readonly (readonly RecordedEvent[])[],
  read: (tx: pg.ClientBase) => Promise<T>,
  afterEach: (tx: pg.ClientBase) => Promise<unknown> = async () => undefined,
): Promise<T> {
  const tx = await pool.connect();
  try {
    await tx.query("begin");
    for (const table of tablesOf(model)) await tx.query(`truncate ${table}`);
    const folding = new Folding(schemas);
    for (const batch of batches) {
      const fold = folding.of(model, [...batch]);
      if (!fold) continue;
      await fold(tx);
      await afterEach(tx);
    }
    return await read(tx);
  } finally {
    await tx.query("rollback");
    tx.release();
  }
}

/** The tables that never have a row. Queues are empty again when their work is done. */
async function alwaysEmpty(model: Projection, tables: readonly string[]): Promise<string[]> {
  const empty = new Set(tables);
  const look = async (tx: pg.ClientBase) => {
    for (const table of empty)
      if ((await tx.query(`select from ${table} limit 1`)).rowCount! > 0) empty.delete(table);
  };
  if (empty.size > 0) await folded(model, oneByOne(log), look, look);
  return [...empty];
}

const oneByOne = (events: readonly RecordedEvent[]) => events.map((event) => [event]);

/** Each table with the rows that only one side has. */
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

const models = projections.map((model) => [nameOf(model), model] as const);

test.each(models)(
  `%s is equal event by event, rebuilt and in batches of the seeds ${SEEDS.join(", ")}`,
  async (_, model) => {
    const tables = [...tablesOf(model), ...OBJECTS];
    const rows = (batches: readonly (readonly RecordedEvent[])[]) =>
      folded(model, batches, (tx) => rowsIn(tx, tables));
    const rebuilt = await rows([log]);
    expect(differences(await rows(oneByOne(log)), rebuilt)).toEqual([]);
    for (const seed of SEEDS) {
      const below = randomNumbers(seed);
      // A part of the log, too: a queue that is empty at the end is not empty there.
      for (const part of [log, log.slice(0, 1 + below(log.length))]) {
        const inOne = part === log ? rebuilt : await rows([part]);
        const batches = inBatches(part, () => 1 + below(40));
        expect([seed, part.length, differences(await rows(batches), inOne)]).toEqual([seed, part.length, []]);
      }
    }
    const own = tablesOf(model).filter((table) => !OF_REACTORS.includes(table));
    const empty = own.filter((table) => rebuilt[table]!.length === 0);
    expect(await alwaysEmpty(model, empty), "tables that this log leaves empty").toEqual([]);
  },
);

test.each(models)("%s equals the running service's fold", async (name, model) => {
  const sql = "select position from read.checkpoints where projection = $1";
  const { rows } = await pool.query<{ position: number }>(sql, [name]);
  const position = rows[0]?.position ?? 0;
  expect(position).toBeGreaterThan(log.length / 2);
  const tables = tablesOf(model).filter((table) => !OF_REACTORS.includes(table));
  const read = (of: pg.ClientBase | pg.Pool) => rowsIn(of, tables, COLUMNS_OF_REACTORS);
  const upTo = log.filter((event) => event.position <= position);
  expect(differences(await read(pool), await folded(model, [upTo], read))).toEqual([]);
});

test("a read model that depends on its batches is detected", async () => {
  const order = entitiesOf(areas).find(({ prefix }) => prefix === "order-")!;
  const counting = projection({
    ...{ name: "counting", version: 1, of: [order] },
    ddl: "create table if not exists read.counting_v1 (batches int)",
    fold: async (_, tx) => void (await tx.query("insert into read.counting_v1 values (1)")),
  });
  await pool.query(counting.ddl);
  const read = (tx: pg.ClientBase) => rowsIn(tx, tablesOf(counting));
  const [each, rebuilt] = [await folded(counting, oneByOne(log), read), await folded(counting, [log], read)];
  expect(differences(each, rebuilt)).toMatchObject([{ table: "read.counting_v1" }]);
});

test("rows stored by a running service equal a fold made during its calls", async () => {
  expect(beside.verdict.faults ?? []).toEqual([]);
  expect(beside.verdict).toMatchObject({ ok: true });
  expect(beside.verdict.checked).toBeGreaterThan(500);
  expect(beside.calls).toBeGreaterThan(1);
  const { rows } = await pool.query("select nspname from pg_namespace where nspname like '%_stored'");
  expect(rows).toEqual([]);
});

test("a row deleted from each table is named by its table", async () => {
  const tables = projections.flatMap(tablesOf);
  const filled: string[] = [];
  for (const table of tables) {
    const sql = `delete from ${table} where ctid = (select max(ctid) from ${table})`;
    if ((await pool.query(sql)).rowCount === 1) filled.push(table);
  }
  expect(filled.length).toBeGreaterThan(60);
  const { ok, faults } = await verdictNow();
  expect(ok).toBe(false);
  const named = new Set(faults!.map(({ reason }) => /^(read\.\w+) (?:lacks|has) /.exec(reason)?.[1]));
  expect([...named].sort()).toEqual(filled.sort());
});
