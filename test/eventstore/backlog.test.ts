import { expect, test } from "vitest";
import { Backlog, PAGE } from "../../eventstore/backlog.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";

/** A log of numbered events, and the record of its reads. */
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
  /** All its events from a position on. */
  const walk = async (from: number) => {
    const seen: number[] = [];
    for (let at = from; ; at = seen.at(-1)!) {
      const page = await backlog.after(at, head);
      if (page.length === 0) return seen;
      seen.push(...page.map(({ position }) => position));
    }
  };
  return { backlog, reads, walk, away: (is: boolean) => void (isAway = is) };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at + 1);

test("many readers of the past see all of it, and each page is read once", async () => {
  const { walk, reads, backlog } = logOf(20 * PAGE + 7);
  const starts = [0, 1, 999, PAGE, PAGE + 1, 2 * PAGE + 500];
  const seen = await Promise.all(starts.map(walk));
  seen.forEach((positions, at) => {
    expect(positions).toEqual(range(starts[at]!, 20 * PAGE + 7));
  });
  expect(reads.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, at) => at * PAGE));
  expect(await backlog.after(20 * PAGE + 7, 20 * PAGE + 7)).toEqual([]);
});

test("the last page is read again after the log has grown", async () => {
  const { backlog, reads } = logOf(PAGE + 9);
  const ends = async (head: number) => (await backlog.after(PAGE, head)).at(-1)?.position;
  expect(await ends(PAGE + 5)).toBeGreaterThanOrEqual(PAGE + 5);
  expect(await ends(PAGE + 9)).toBe(PAGE + 9);
  expect(reads).toEqual([PAGE, PAGE]);
});

test("fast readers wait for slow ones close behind, and each page is read once; nobody waits for a reader that left", async () => {
  const { backlog, reads } = logOf(12 * PAGE);
  const [quick, slow] = [backlog.reader(), backlog.reader()];
  const pages = async (reader: typeof quick, from: number, to: number): Promise<number> => {
    for (let page = from; page < to; page++) {
      if (!(await reader.turn(page * PAGE, 0))) return page;
      await backlog.after(page * PAGE, 12 * PAGE);
    }
    return to;
  };
  expect(await pages(slow, 0, 1)).toBe(1);
  const stopped = await pages(quick, 0, 12);
  expect(stopped).toBeGreaterThan(1);
  expect(stopped).toBeLessThan(12);
  const waiting = quick.turn(stopped * PAGE, 60_000);
  expect(await pages(slow, 1, 3)).toBe(3);
  expect(await waiting).toBe(true);
  expect(new Set(reads).size).toBe(reads.length);
  slow.leave();
  expect(await pages(quick, stopped, 12)).toBe(12);
});

test("nobody waits for a reader that is far behind", async () => {
  const { backlog } = logOf(12 * PAGE);
  expect(await backlog.reader().turn(0, 0)).toBe(true);
  expect(await backlog.reader().turn(9 * PAGE, 0)).toBe(true);
});

test("a late reader reads evicted pages again", async () => {
  const { walk, reads } = logOf(20 * PAGE);
  await walk(0);
  expect(await walk(0)).toEqual(range(0, 20 * PAGE));
  expect(reads.length).toBe(40);
});

test("a failed read rejects its waiters, and the next reader retries it", async () => {
  const { backlog, away, walk } = logOf(3 * PAGE);
  away(true);
  const requests = [backlog.after(0, 3 * PAGE), backlog.after(5, 3 * PAGE)];
  for (const one of requests) await expect(one).rejects.toThrow("away");
  away(false);
  expect(await walk(0)).toEqual(range(0, 3 * PAGE));
});
