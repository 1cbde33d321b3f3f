/** How a pool of connections is set. */
import { expect, test } from "vitest";
import { openPool } from "../../eventstore/pool.ts";

test("connections that rest are kept beyond the minute at which all that waits for a checkpoint wants them again", async () => {
  const pool = openPool("postgres://nobody@127.0.0.1:1/none");
  expect(pool.options.idleTimeoutMillis).toBeGreaterThan(60_000);
  await pool.end();
});
