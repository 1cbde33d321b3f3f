import { afterAll, beforeAll, expect, test } from "vitest";
import { marketSums } from "../../src/projections/compute/sums.ts";
import { tasksProjection } from "../../src/projections/compute/tasks.ts";
import { type Service, startService } from "../support/service.ts";
import { LIMIT_MS } from "../support/until.ts";
import { agencyOf } from "../trust/agency.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The same, counted over all tasks. */
const COUNTED = `select
  count(*) filter (where status = 'leased') as running,
  count(*) filter (where status = 'queued') as queued,
  count(*) filter (where status = 'settled' and state->'judged' = 'null') as settled,
  coalesce(sum((state->'settled'->>'price_micro')::bigint) filter (where status = 'settled'), 0)::bigint as settled_micro,
  count(*) filter (where state->'refunded' <> 'null' and copy_of is null) as refunded,
  count(*) filter (where state->'audit'->>'verdict' in ('valid', 'mismatch')) as audited,
  count(*) filter (where state->'audit'->>'verdict' = 'mismatch') as mismatches
  from read.compute_tasks_v3`;

test("what the market comes to is what its tasks come to, after each of them", async () => {
  const { app } = service;
  const agency = agencyOf(app);
  for (const n of [1, 2]) await agency.register(n);
  expect(await marketSums(app.pool)).toMatchObject({ settled: 0, settled_micro: 0, queued: 0 });
  for (const end of ["paid", "refuted", "lost", "paid"] as const) {
    await agency.task(1, "acme", end);
    const { position } = await app.store.head();
    expect(await app.runner.reached(tasksProjection, position, LIMIT_MS)).toBe(true);
    const { rows } = await app.pool.query(COUNTED);
    expect(await marketSums(app.pool)).toMatchObject(rows[0]);
  }
  expect(await marketSums(app.pool)).toMatchObject({ settled: 2, audited: 1, mismatches: 1, refunded: 2 });
});
