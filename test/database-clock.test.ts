/** The processes' clock is the database's, whatever their machines' clocks say. */
import type pg from "pg";
import { expect, test } from "vitest";
import { databaseClock } from "../src/adapters/database-clock.ts";

/** A database with this answer time, half of it on the way there. */
function rehearsed() {
  const world = { steady: 1_000, database: 1_800_000_000_000, takes: 0, away: false };
  const pass = (ms: number) => {
    world.steady += ms;
    world.database += ms;
  };
  const query = async () => {
    if (world.away) throw new Error("away");
    pass(world.takes / 2);
    const ms = world.database;
    pass(world.takes / 2);
    return { rows: [{ ms }] };
  };
  const pool = { query } as unknown as pg.Pool;
  return { world, pass, open: () => databaseClock(pool, () => world.steady) };
}

test("the clock has the database's time, and continues between queries", async () => {
  const { world, pass, open } = rehearsed();
  const clock = await open();
  expect(clock.now().getTime()).toBe(world.database);
  pass(5_000);
  expect(clock.now().getTime()).toBe(world.database);
});

test("a slow answer does not move the clock, and an answer that proves it wrong does", async () => {
  const { world, open } = rehearsed();
  const clock = await open();
  world.takes = 4_000;
  await clock.ask();
  expect(clock.now().getTime()).toBe(world.database);
  // The database's clock is set, and the service follows it.
  world.takes = 0;
  world.database += 3_600_000;
  await clock.ask();
  expect(clock.now().getTime()).toBe(world.database);
  world.database -= 3_600_000;
  await clock.ask();
  expect(clock.now().getTime()).toBe(world.database);
});

test("the clock runs on while the database is unavailable", async () => {
  const { world, pass, open } = rehearsed();
  const clock = await open();
  world.away = true;
  pass(60_000);
  await expect(clock.ask()).rejects.toThrow("away");
  expect(clock.now().getTime()).toBe(world.database);
});
