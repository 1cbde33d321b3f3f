/** The shop by its operator's command line: the real command, a new folder, the embedded database and vault. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { preparedDatabase } from "../support/prepared-database.ts";
import { runCommand, runWith } from "./command.ts";
import { runHere } from "./in-process.ts";

let dir: string;
let databases: FreshDatabase[];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-shop-"));
  databases = await Promise.all([preparedDatabase(), freshDatabase()]);
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  await rm(dir, { recursive: true, force: true });
});

const run = (...args: string[]) => runCommand(dir, ...args);

const settings = () => ({ HOME: dir, DATA_DIR: join(dir, "data"), PORT: "0", SANDBOX: "0" });

/** The same in this process. */
async function shop(more: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere({ ...settings(), ...more }, "shop", ...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

test("the demo buys pellets from the price list to the delivery, and the operator's lists agree", async () => {
  const FETCHES = join(dir, "fetches");
  const noting = new URL("../support/noted-fetches.mjs", import.meta.url).href;
  const { code, stdout, stderr } = await runWith(
    { ...settings(), TRUST_SECONDS: "5", FETCHES, NODE_OPTIONS: `--import ${noting}` },
    ...["demo", "--story", "shop"],
  );
  expect(code, stderr).toBe(0);
  // One stream of notices; the order is read once, at the end: with a 402 before the payment.
  const fetches = (await readFile(FETCHES, "utf8")).trim().split("\n");
  const times = (request: string) => fetches.filter((one) => one === request).length;
  expect([times("GET /v1/agent/notices"), times("GET /v1/agent/orders")], fetches.join("\n")).toEqual([1, 2]);
  const steps = [...stdout.matchAll(/^(\d) {2}(.+?) {2}/gm)].map(([, n, title]) => `${n} ${title}`);
  expect(steps).toEqual([
    "1 The stock",
    "2 A quote",
    "3 The order reserves the bags",
    "4 Paying for it",
    "5 The operator ships it",
    "6 The order's status",
  ]);
  expect(stdout).toMatch(/order +\d+ is delivered\n/);
  const [, order_id] = /order +(\d+), awaiting_payment/.exec(stdout)!;
  expect(await shop({}, "orders")).toBe("ORDER  GOODS  EUR  USDC  BUYER  CUSTOMER\n");
  const { stdout: text } = await run("shop", "orders", "--status", "delivered");
  expect(text).toMatch(new RegExp(`^${order_id} +10 bag granulas-premium +59\\.90 `, "m"));
  expect(text).toContain("anna@example.org");
  const tenant = /wallet:\S+/.exec(text)![0];
  const mistyped = await runHere(settings(), "shop", "erase", "ana@example.org", "--tenant", tenant);
  expect([mistyped.code, mistyped.stderr]).toEqual([1, expect.stringContaining("check the spelling")]);
  expect((await run("shop", "erase", "anna@example.org")).stderr).toContain("--tenant <name>");
  // The order, and its quote.
  const erased = await run("shop", "erase", "Anna@Example.org", "--tenant", tenant);
  expect(erased.stdout, erased.stderr).toContain("nobody can open 2 events");
  expect(await shop({}, "orders", "--status", "delivered")).toMatch(/ erased\n$/);
  const again = await run("shop", "ship", order_id!);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is delivered")]);
});

test("products are added, listed, priced, stocked, corrected and withdrawn; faults are named", async () => {
  const [database, vault] = databases as [FreshDatabase, FreshDatabase];
  const own = { DATABASE_URL: database.url, SUBJECT_KEYS_URL: vault.url, DATA_DIR: join(dir, "other") };
  const there = (...args: string[]) => shop(own, ...args);
  const refused = async (...args: string[]) =>
    (await runWith({ ...settings(), ...own }, "shop", ...args)).stderr;
  const added = ["add", "--slug", "pellets", "--type", "granulas", "--name", "Pellets", "--kg", "15"];
  expect(await there(...added, "--units", "bag=1,pallet=65", "--kwh", "4.9")).toContain(
    "Product 1, pellets, is added",
  );
  expect(await there("price", "pellets", "bag", "4.95")).toContain("EUR 4.95");
  expect(await there("receive", "pellets", "riga", "100", "--reference", "note 7")).toContain(
    "100 available",
  );
  expect(await there("adjust", "pellets", "riga", "--reason", "torn", "--", "-3")).toContain("97 on hand");
  expect(await there("list")).toMatch(/^1 +pellets +granulas +bag EUR 4\.95 +riga 97 bag +on sale$/m);
  expect(JSON.parse(await there("list", "--json"))).toMatchObject({
    facts: { slug: "pellets", vat_bp: 2_100 },
    shelves: [{ location: "riga", on_hand: 97 }],
  });
  expect(await refused("price", "pellets", "crate", "5")).toContain("is one of bag, pallet");
  expect(await refused("price", "pellets", "bag", "0")).toContain("from 0.01");
  // The shop of test keys is separate.
  expect(await refused("withdraw", "pellets", "--test")).toContain("there is no product pellets");
  expect(await there("withdraw", "pellets")).toContain("is no longer sold");
});
