/** The contents of the stream state cache, for any number of streams. */
import { expect, test, vi } from "vitest";
import { StreamCache } from "../src/core/commands/stream-cache.ts";

const text = (n: number) => String(n).padStart(1_000, "x");

test("states are cached up to a number of bytes, the last used ones", () => {
  const cache = new StreamCache(1_000_000);
  for (let n = 0; n < 20_000; n++) cache.keep(`acme\nstream-${n}`, { state: { text: text(n) }, version: 1 });
  const { states, bytes } = cache.size;
  expect(bytes).toBeLessThanOrEqual(1_000_000);
  expect(states).toBeGreaterThan(500);
  expect(cache.get("acme\nstream-0")).toBeUndefined();
  expect(cache.get("acme\nstream-19999")).toMatchObject({ version: 1 });
});

test("a large state weighs more, whatever its content", () => {
  const weight = (state: unknown) => {
    const cache = new StreamCache();
    cache.keep("acme\none", { state, version: 1 });
    return cache.size.bytes;
  };
  const holds = Array.from({ length: 10_000 }, (_, n) => [`order-${n}`, { quantity: n }] as const);
  const small = weight({ name: "a" });
  for (const large of [
    { holds: new Map(holds) },
    holds,
    { names: new Set(holds.map(([id]) => id)) },
    text(1),
  ])
    expect(weight(large)).toBeGreaterThan(small + 900);
  expect(weight(new Map(holds))).toBeGreaterThan(400_000);
  expect(weight(undefined)).toBeLessThan(small);
});

test("a state that the log has passed stays cached, and is marked stale", () => {
  const cache = new StreamCache();
  cache.keep("acme\none", { state: { name: "a" }, version: 3 });
  cache.mark("acme\none");
  expect(cache.get("acme\none")).toMatchObject({ version: 3, stale: true });
  cache.keep("acme\none", { state: { name: "b" }, version: 2 });
  expect(cache.get("acme\none")).toMatchObject({ state: { name: "a" } });
});

test("a queue reports how long its first waiter has waited", async () => {
  const cache = new StreamCache();
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const leave = await cache.queue("acme\none");
    expect(cache.waitedFor("acme\none")).toBe(0);
    const second = cache.queue("acme\none");
    vi.advanceTimersByTime(6_000);
    void cache.queue("acme\none", "first").then((leaveFirst) => leaveFirst());
    expect(cache.waitedFor("acme\none")).toBe(6_000);
    leave();
    (await second)();
    expect(cache.waitedFor("acme\none")).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("no decision uses the state of a commit in flight if a newer state is known", async () => {
  const cache = new StreamCache();
  cache.keep("acme\none", { state: { name: "b" }, version: 3 });
  const sent = { settled: Promise.reject(new Error("too late")) };
  sent.settled.catch(() => undefined);
  cache.expect("acme\none", { state: { name: "c" }, version: 3, sent }, undefined);
  expect(cache.ahead("acme\none")).toBeUndefined();
  cache.expect("acme\none", { state: { name: "c" }, version: 4, sent }, undefined);
  expect(cache.ahead("acme\none")).toMatchObject({ version: 4 });
});
