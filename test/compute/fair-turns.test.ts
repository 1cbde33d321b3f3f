/** Whose task the service runs next. */
import { expect, test } from "vitest";
import { FairTurns, type Waiting } from "../../src/reactors/compute/fair-turns.ts";

const waiting = (tenant: string, price_micro: number, position: number): Waiting => ({
  ...{ tenant, price_micro, position },
});

test("a requester whose tasks took long waits for the others; among equals the better paid and then the older is first", async () => {
  const turns = new FairTurns();
  let now = 0;
  const flood = Array.from({ length: 24 }, (_, n) => waiting("flood", 1_000, n));
  const honest = waiting("honest", 1_000, 100);
  expect(turns.next([...flood, honest], now)).toBe(flood[0]);
  const ran = turns.run(
    "flood",
    60_000,
    () => now,
    async () => void (now += 60_000),
  );
  // While one of its tasks runs, the other lane is for somebody else.
  expect(turns.next([...flood, honest], 0)).toBe(honest);
  await ran;
  expect(turns.next([...flood, honest], now)).toBe(honest);
  expect(turns.next([waiting("a", 1_000, 1), waiting("b", 2_000, 2)], now)).toMatchObject({ tenant: "b" });
  // An hour later nearly nothing of it counts, and the oldest is first again.
  expect(turns.next([...flood, honest], now + 5 * 3_600_000)).toBe(flood[0]);
  expect(turns.next([], now)).toBeUndefined();
});
