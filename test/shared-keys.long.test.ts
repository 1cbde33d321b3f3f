/**
 * Processes of one log with different keys: the second is refused before it does anything, and undoes nothing of
 * the first.
 */

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConfigError } from "../src/runtime/config.ts";
import { type Service, startService } from "./support/service.ts";

let first: Service & { database_url: string };
beforeAll(async () => {
  first = await startService({ reactors: true });
});
afterAll(() => first.stop());

const beside = (env: Record<string, string> = {}) => startService({ beside: first, reactors: true, env });
const started = (env: Record<string, string>): Promise<unknown> =>
  beside(env).then(
    (service) => service.stop(),
    (error: unknown) => error,
  );
const eventsOf = async (type: string) =>
  (await first.app.store.readLog({ after: 0 })).filter((event) => event.type === type);

test("a process with the same keys starts next to the first", async () => {
  expect(await started({})).toBeUndefined();
});

/** The source of the first process's seeds. */
let secret: string;
const OTHER: Record<string, string> = {
  SEED_SECRET: "a secret that the first process does not have",
  GAS_KEY: `0x${"5".repeat(64)}`,
  PAY_TO: `0x${"7".repeat(40)}`,
};

test.each(Object.entries(OTHER))("another %s is refused, and the error names it", async (setting, value) => {
  const refused = await started({ [setting]: value });
  expect(refused).toBeInstanceOf(ConfigError);
  expect((refused as Error).message).toContain(`${setting} (or `);
  expect((refused as Error).message).toContain("stop them before you change it");
  // A refused process blocks nobody.
  expect(await started({})).toBeUndefined();
});

test("a lost file means another key, and no chain of seeds is abandoned for it", async () => {
  const file = join(first.data_dir, "seeds.secret");
  secret = (await readFile(file, "utf8")).trim();
  await rm(file);
  expect((await started({})) as Error).toBeInstanceOf(ConfigError);
  expect(await eventsOf("SeedChainAbandoned")).toEqual([]);
});

test("of two simultaneous starts with different keys one is refused", async () => {
  // It records no keys, because it runs no reactors.
  const alone = await startService();
  const both = await Promise.allSettled(
    ["one that is given", "another one given"].map((secret) =>
      startService({ beside: alone, reactors: true, env: { SEED_SECRET: `${secret} to a process alone` } }),
    ),
  );
  for (const one of both) if (one.status === "fulfilled") await one.value.stop();
  await alone.stop();
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a key can be changed once the processes with the other are gone", async () => {
  const { database_url, data_dir } = first;
  const changed = { beside: { database_url, data_dir }, reactors: true, env: OTHER };
  await expect(startService(changed)).rejects.toThrow(ConfigError);
  await first.app.presence.leave();
  // Published seeds bind the log, whatever processes run.
  await expect(startService(changed)).rejects.toThrow(/tallystick rng abandon/);
  const next = await startService({ ...changed, env: { ...OTHER, SEED_SECRET: secret } });
  await next.stop();
});
