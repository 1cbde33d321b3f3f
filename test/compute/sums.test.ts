import { afterAll, beforeAll, expect, test } from "vitest";
import { marketSums } from "../../src/projections/compute/sums.ts";
import { tasksProjection } from "../../src/projections/compute/tasks.ts";
import { type Service, startService } from "../support/service.ts";
import { LIMIT_MS } from "../support/until.ts";
import { agencyOf } from "../trust/agency.ts";
import { COUNTED } from "./totals.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test("the market's totals equal the sums over its tasks after each of them", async () => {
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
