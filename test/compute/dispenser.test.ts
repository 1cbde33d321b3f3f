/** Tasks for concurrent callers, from a fake read model. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Dispenser } from "../../src/api/operations/compute/dispenser.ts";
import type { App } from "../../src/core/app.ts";
import type { ReadyTask } from "../../src/projections/compute/tasks.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const task = (task_id: string, more: Partial<ReadyTask> = {}): ReadyTask => ({
  ...{ tenant: "requester", task_id, kind: "any", max_price_micro: 1_000, limit_s: 600 },
  ...{ assign: null, min_trust: 0, done_by: [], failed_by: [], ...more },
});

/** `ready`: in the read model's order. */
function opened(ready: ReadyTask[]) {
  const market = { ready, position: 1, looks: 0 };
  const query = async ({ values }: { values: unknown[] }) => {
    market.looks++;
    const given = String(values[2]);
    return { rows: market.ready.filter(({ task_id }) => !given.includes(task_id)) };
  };
  const runner = { knownPosition: () => market.position };
  const dispenser = new Dispenser({ pool: { query }, runner } as unknown as App);
  let calls = 0;
  const look = async (sx: number, passed: string[] = []) => {
    const taker = { sx, bound: [], kinds: [], hourly_rate_micro: 6_000, trust: 0 };
    return (await dispenser.next({ taker, by: `call ${++calls}`, passed }))?.task_id;
  };
  return { market, dispenser, look };
}

test("concurrent callers share a query, and each gets another task", async () => {
  const { market, look } = opened([task("a"), task("b"), task("c")]);
  expect(await Promise.all([look(1), look(2), look(3)])).toEqual(["a", "b", "c"]);
  expect(market.looks).toBe(1);
});

test("later callers get tasks of an earlier query until the read model moves on", async () => {
  const { market, look } = opened([task("a"), task("b"), task("c")]);
  expect(await look(1)).toBe("a");
  expect(await look(1)).toBe("b");
  expect(market.looks).toBe(1);
  market.ready = [task("better"), ...market.ready];
  market.position++;
  expect(await look(1)).toBe("better");
  expect(market.looks).toBe(2);
  expect(await look(1)).toBe("c");
  expect(market.looks).toBe(2);
});

test("a repeated decision gets its earlier task, and no other", async () => {
  const { dispenser, look } = opened([task("a"), task("b")]);
  const taker = { sx: 1, bound: [], kinds: [], hourly_rate_micro: 6_000, trust: 0 };
  const again = (passed: string[]) => dispenser.next({ taker, by: "one call", passed });
  expect((await again([]))?.task_id).toBe("a");
  expect((await again([]))?.task_id).toBe("a");
  expect((await again(["a"]))?.task_id).toBe("b");
  expect(await look(1)).toBeUndefined();
});

test("a page expires soon: another process may own the read model", async () => {
  const { market, look } = opened([task("a"), task("b")]);
  expect(await look(1)).toBe("a");
  vi.advanceTimersByTime(51);
  expect(await look(1)).toBe("b");
  expect(market.looks).toBe(2);
});

test("a node without a page runs its own query, and later queries include it", async () => {
  const { market, look } = opened([task("a"), task("b"), task("c")]);
  expect(await look(1)).toBe("a");
  expect(await look(2)).toBe("b");
  expect(market.looks).toBe(2);
  expect(await look(1)).toBe("c");
  expect(market.looks).toBe(2);
});

test("only a caller's own query answers that there is no task", async () => {
  const { market, look } = opened([task("a")]);
  expect(await look(1)).toBe("a");
  expect(await look(1)).toBeUndefined();
  expect(market.looks).toBe(2);
});

test("a node does not get a task again that it could not lease, and a released task goes to others", async () => {
  const { market, dispenser, look } = opened([task("a"), task("b", { assign: 2 })]);
  expect(await look(1, ["a"])).toBeUndefined();
  expect(await look(2)).toBe("a");
  dispenser.release(task("a"));
  market.position++;
  expect(await look(1)).toBe("a");
  expect(await look(2)).toBe("b");
});
