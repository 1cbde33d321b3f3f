/** The operator's commands for seeds. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { listSeeds, seedTrust, unseedTrust } from "../../src/operator/trust.ts";
import { type Service, startService } from "../support/service.ts";
import { agencyOf } from "./agency.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  const agency = agencyOf(service.app);
  for (const n of [1, 2]) await agency.register(n);
});
afterAll(() => service.stop());

const given = async () =>
  (await listSeeds(service.app)).map(({ sx_number, points_micro, reason }) => [
    sx_number,
    points_micro,
    reason,
  ]);

test("a seed is public until another seed, or zero, replaces it", async () => {
  const { app } = service;
  expect(await seedTrust(app, "SX#2", { points_micro: 40_000_000, reason: "our own agent" })).toBe(2);
  expect(await seedTrust(app, "agent.no-1", { points_micro: 5, reason: "a try" })).toBe(1);
  await seedTrust(app, "2", { points_micro: 20_000_000, reason: "less" });
  expect(await given()).toEqual([
    [1, 5, "a try"],
    [2, 20_000_000, "less"],
  ]);
  expect(await unseedTrust(app, "SX#1", "the try is over")).toBe(1);
  expect(await given()).toEqual([[2, 20_000_000, "less"]]);
  const events = await app.store.readStream({ tenant: "operator", stream_id: "trust" });
  expect(events.map(({ payload }) => [payload.sx_number, payload.points_micro])).toEqual([
    [2, 40_000_000],
    [1, 5],
    [2, 20_000_000],
    [1, 0],
  ]);
});

test("a seed needs an agent, and only an existing seed can be withdrawn", async () => {
  const { app } = service;
  await expect(seedTrust(app, "SX#7", { points_micro: 5, reason: "a try" })).rejects.toThrow(/no agent SX#7/);
  await expect(unseedTrust(app, "SX#1", "again")).rejects.toThrow(/SX#1 has no seed/);
  expect(await given()).toHaveLength(1);
});
