/** The order in which the service runs tasks. */
import { expect, test } from "vitest";
import { FairQueue, OWN_QUEUE_MICRO, type WaitingTask } from "../../src/reactors/compute/fair-queue.ts";

const waiting = (
  tenant: string,
  price_micro: number,
  position: number,
  spent_micro = OWN_QUEUE_MICRO,
): WaitingTask => ({
  ...{ tenant, price_micro, position, spent_micro },
});

test("a requester with long runs waits for others; among equals the better paid and then the older is first", async () => {
  const queue = new FairQueue();
  let now = 0;
  const flood = Array.from({ length: 24 }, (_, n) => waiting("flood", 1_000, n));
  const honest = waiting("honest", 1_000, 100);
  expect(queue.next([...flood, honest], now)).toBe(flood[0]);
  const ran = queue.run(
    flood[0]!,
    60_000,
    () => now,
    async () => void (now += 60_000),
  );
  // While one of its tasks runs, the other lane serves another requester.
  expect(queue.next([...flood, honest], 0)).toBe(honest);
  await ran;
  expect(queue.next([...flood, honest], now)).toBe(honest);
  expect(queue.next([waiting("a", 1_000, 1), waiting("b", 2_000, 2)], now)).toMatchObject({ tenant: "b" });
  // An hour later almost nothing of it counts, and the oldest is first again.
  expect(queue.next([...flood, honest], now + 5 * 3_600_000)).toBe(flood[0]);
  expect(queue.next([], now)).toBeUndefined();
});

test("tenants without spending share one queue, however many there are", async () => {
  const queue = new FairQueue();
  let now = 0;
  const order: string[] = [];
  let left = [
    ...Array.from({ length: 40 }, (_, n) => waiting(`fresh-${n}`, 2_000, n, 0)),
    ...Array.from({ length: 3 }, (_, n) => waiting("known", 1_000, 100 + n)),
    waiting("newest", 1_000, 200, 0),
  ];
  const lane = async () => {
    for (let next = queue.next(left, now); next; next = queue.next(left, now)) {
      const { tenant } = next;
      left = left.filter((one) => one !== next);
      order.push(tenant);
      const most_ms = 60_000;
      await queue.run(
        next,
        most_ms,
        () => now,
        async () => void (now += tenant.startsWith("fresh") ? most_ms : 10),
      );
    }
  };
  await lane();
  expect(order.indexOf("known")).toBe(1);
  expect(order.filter((tenant) => tenant === "known")).toHaveLength(3);
  expect(order.lastIndexOf("known")).toBeLessThanOrEqual(5);
  // Each of them gets one before another gets a second.
  expect(new Set(order.filter((tenant) => tenant !== "known")).size).toBe(41);
});
