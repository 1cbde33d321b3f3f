/**
 * Rebuilds every read model from the log's beginning, next to the tables of a running service: each gets another
 * version, and its statements are redirected to the new tables. Reports to its parent the start and the result.
 */
import { cpuUsage, memoryUsage } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { openPool } from "../eventstore/pool.ts";
import { registry } from "../eventstore/schemas.ts";
import { createEventStore } from "../eventstore/store.ts";
import { createTail } from "../eventstore/tail.ts";
import { areas, entitiesOf } from "../src/areas/index.ts";
import type { Projection } from "../src/core/read-models/projection.ts";
import { startRunner } from "../src/core/read-models/runner.ts";

/** `memory_mb` at each tenth. */
export type Rebuilt = { seconds: number; cpu_s: number; peak_mb: number; memory_mb: number[] };

const { DATABASE_URL: url, NEW_VERSION = "1000" } = process.env;
if (!url) throw new Error("DATABASE_URL: the database whose log is folded");

/** Redirects a read model's tables and prepared statements in a statement to another version's. */
function renaming({ name, version, ddl }: Projection): (text: string) => string {
  const tables = [...ddl.matchAll(/create table if not exists read\.(\w+)/g)].map(([, table]) => table!);
  if (tables.length === 0) return (text) => text;
  const old = new RegExp(`\\b(${tables.join("|")})(?=\\b|_)`, "g");
  const next = Number(NEW_VERSION) + version;
  const ending = new RegExp(`_v${version}$`);
  return (text) => text.replace(old, (table) => table.replace(ending, `_v${next}`) || name);
}

function renewed(projection: Projection): Projection {
  const rename = renaming(projection);
  const fold = (events: never, tx: pg.ClientBase) => {
    const renaming = Object.create(tx, {
      query: {
        value: (request: string | pg.QueryConfig, values?: unknown[]) =>
          typeof request === "string"
            ? tx.query(rename(request), values)
            : tx.query({
                ...request,
                text: rename(request.text),
                ...(request.name && { name: `${request.name}+` }),
              }),
      },
    }) as pg.ClientBase;
    return projection.fold(events, renaming);
  };
  const version = Number(NEW_VERSION) + projection.version;
  return { ...projection, version, ddl: rename(projection.ddl), fold } as Projection;
}

const projections = areas.flatMap((area) => area.projections).map(renewed);
const owner = new pg.Client({ connectionString: url });
await owner.connect();
for (const { ddl } of projections) await owner.query(ddl);
await owner.end();

const pool = openPool(url, { max: projections.length + 10 });
const schemas = registry(entitiesOf(areas).map(({ events }) => events));
const store = createEventStore(pool, { schemas });
const { position } = await store.head();
const head = Math.min(position, Number(process.env.UP_TO ?? position));
process.send?.("begun");
const began = performance.now();
const tail = createTail(store, { pool });
const log = { warn: (facts: object, message: string) => console.error(message, facts) };
const runner = startRunner({ pool, tail, schemas, projections, log });

const memory_mb: number[] = [];
let peak_mb = 0;
const names = projections.map(({ name, version }) => `${name}_v${version}`);
/** The slowest position. */
async function least(): Promise<number> {
  const sql =
    "select count(*)::int as n, min(position)::float8 as least from read.checkpoints where projection = any($1)";
  const { rows } = await pool.query<{ n: number; least: number }>(sql, [names]);
  return rows[0]!.n < names.length ? 0 : rows[0]!.least;
}
for (let position = 0; position < head; await pause(50)) {
  const { rss } = memoryUsage();
  peak_mb = Math.max(peak_mb, rss / 1e6);
  position = await least();
  while (memory_mb.length < Math.floor((10 * position) / head)) memory_mb.push(Math.round(rss / 1e6));
  if (process.env.TELL)
    console.error(((performance.now() - began) / 1_000).toFixed(1), position, Math.round(rss / 1e6));
}
const seconds = (performance.now() - began) / 1_000;
const { user, system } = cpuUsage();
await runner.stop();
await tail.close();
await store.close();
await pool.end();
const result: Rebuilt = { seconds, cpu_s: (user + system) / 1e6, peak_mb: Math.round(peak_mb), memory_mb };
if (process.send) process.send(result);
else console.log(result);
process.disconnect?.();
