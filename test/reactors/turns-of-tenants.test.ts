/** One tenant with much to do keeps no other waiting: what reactors take next goes by turns of the tenants. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unjudgedTasks } from "../../src/projections/compute/tasks.ts";
import { waitingBatches } from "../../src/projections/ingest/news.ts";
import { openExecutions } from "../../src/projections/skills/executions.ts";
import type { FreshDatabase } from "../support/database.ts";
import { preparedDatabase } from "../support/prepared-database.ts";

let database: FreshDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await preparedDatabase();
  pool = new pg.Pool({ connectionString: database.url });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

test("the news of the last tenant are processed in the next tick", async () => {
  await pool.query(
    `insert into read.news_waiting_v1 select 'many', 'm' || n, n from generate_series(1, 50) n
     union all select 'few', 'f' || n, 50 + n from generate_series(1, 2) n`,
  );
  const next = (await waitingBatches(pool)).map(({ batch_id }) => batch_id);
  expect(next.slice(0, 5)).toEqual(["m1", "f1", "m2", "f2", "m3"]);
});

test("an execution of a tenant without a running one precedes another tenant's fifth", async () => {
  await pool.query(
    `insert into read.skill_executions_v1 (execution_id, tenant, status, worker, lease_until, deadline_at, position, state)
     select 'm' || n, 'many', case when n <= 4 then 'running' else 'requested' end, case when n <= 4 then 'self' end,
       case when n <= 4 then now() + interval '1 hour' end, now() + interval '1 hour', n, '{}'::jsonb from generate_series(1, 20) n
     union all select 'f1', 'few', 'requested', null, null, now() + interval '1 hour', 21, '{}'::jsonb`,
  );
  const open = await openExecutions(pool, { now: new Date().toISOString(), self: "self", limit: 4 });
  expect(open.map(({ execution_id }) => execution_id)).toEqual(["f1", "m5", "m6", "m7"]);
});

test("a requester's only quorum is decided although another requester has hundreds", async () => {
  await pool.query(
    `insert into read.compute_tasks_v4 (task_id, tenant, status, kind, offer, max_price_micro, limit_s, min_trust,
         ready_at, awaits_audit, position, state)
     select 't' || n, case when n <= 250 then 'many' else 'few' end, 'copied', 'js', 1, 1, 60, 0, now(), false, n, '{"copies": 3}'::jsonb
     from generate_series(1, 251) n`,
  );
  const judged = await unjudgedTasks(pool, 100);
  expect(judged).toHaveLength(200);
  expect(judged.map(({ task_id }) => task_id).slice(0, 3)).toEqual(["t1", "t251", "t2"]);
});

test("a paying requester's quorum is decided although hundreds of new requesters wait", async () => {
  await pool.query(
    `insert into read.compute_tasks_v4 (task_id, tenant, status, kind, offer, max_price_micro, limit_s, min_trust,
         ready_at, awaits_audit, position, state)
     select 'n' || n, 'new-' || n, 'copied', 'js', 1, 1, 60, 0, now(), false, n, '{"copies": 3}'::jsonb from generate_series(1001, 1250) n
     union all select 'k1', 'known', 'copied', 'js', 1, 1, 60, 0, now(), false, 2000, '{"copies": 3}'::jsonb`,
  );
  const place = async () => (await unjudgedTasks(pool, 100)).findIndex(({ task_id }) => task_id === "k1");
  expect(await place()).toBe(-1);
  await pool.query("insert into read.accounts_v2 values ('known', 100, 0, 0, 0, 100, 0, 0)");
  expect(await place()).toBe(1);
});
