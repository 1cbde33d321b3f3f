import { expect, test } from "vitest";
import { Backlog } from "../../eventstore/backlog.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";

const PAGE = 1_000;

/** A log of so many events, which are their positions here; and what was read of it. */
function logOf(head: number) {
  const reads: number[] = [];
  let isAway = false;
  const backlog = new Backlog(async (after, limit) => {
    reads.push(after);
    await new Promise((soon) => setImmediate(soon));
    if (isAway) throw new Error("away");
    const length = Math.min(limit, head - after);
    return Array.from({ length }, (_, at) => ({ position: after + at + 1 }) as RecordedEvent);
  });
  /** All that is told of it from a position on. */
  const walk = async (from: number) => {
    const seen: number[] = [];
    for (let at = from; ; at = seen.at(-1)!) {
      const page = await backlog.after(at, head);
      if (!page) return seen;
      seen.push(...page.map(({ position }) => position));
    }
  };
  return { backlog, reads, walk, away: (is: boolean) => void (isAway = is) };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at + 1);

test("many who read the past see all of it up to the last page that is full, and each page is read once", async () => {
  const { walk, reads, backlog } = logOf(20 * PAGE + 7);
  const starts = [0, 1, 999, 1_000, 1_001, 2_500];
  const seen = await Promise.all(starts.map(walk));
  seen.forEach((positions, at) => {
    expect(positions).toEqual(range(starts[at]!, 20 * PAGE));
  });
  expect(reads.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at * PAGE));
  expect(backlog.after(20 * PAGE, 20 * PAGE + 7)).toBeUndefined();
});

test("whoever comes long after the others reads again what is no longer kept", async () => {
  const { walk, reads } = logOf(20 * PAGE);
  await walk(0);
  expect(await walk(0)).toEqual(range(0, 20 * PAGE));
  expect(reads.length).toBe(40);
});

test("a read that fails is told to those who wait for it, and tried again by the next", async () => {
  const { backlog, away, walk } = logOf(3 * PAGE);
  away(true);
  const asked = [backlog.after(0, 3 * PAGE), backlog.after(5, 3 * PAGE)];
  for (const one of asked) await expect(one).rejects.toThrow("away");
  away(false);
  expect(await walk(0)).toEqual(range(0, 3 * PAGE));
});
