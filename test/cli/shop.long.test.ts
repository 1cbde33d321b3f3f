/** The shop from its operator's command line: the real command, a folder of its own, the embedded database and vault. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "./command.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-shop-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const run = (...args: string[]) => runCommand(dir, ...args);

async function shop(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run("shop", ...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

test("the demo buys pellets from the price list to the delivery, and the operator's lists agree", async () => {
  const { code, stdout, stderr } = await run("demo", "--story", "shop");
  expect(code, stderr).toBe(0);
  const steps = [...stdout.matchAll(/^(\d) {2}(.+?) {2}/gm)].map(([, n, title]) => `${n} ${title}`);
  expect(steps).toEqual([
    "1 What there is",
    "2 A quote",
    "3 The order, which holds the bags",
    "4 Paying for it",
    "5 The operator ships it",
    "6 Where it stands",
  ]);
  expect(stdout).toMatch(/order +\d+ is delivered\n/);
  const [, order_id] = /order +(\d+), awaiting_payment/.exec(stdout)!;
  expect(await shop("orders")).toBe("");
  const told = await shop("orders", "--status", "delivered");
  expect(told).toContain(`${order_id}  10 bag granulas-premium  EUR 59.90`);
  expect(told).toContain("anna@example.org");
  const tenant = /wallet:\S+/.exec(told)![0];
  const mistyped = await run("shop", "erase", "ana@example.org", "--tenant", tenant);
  expect([mistyped.code, mistyped.stderr]).toEqual([1, expect.stringContaining("look for typing errors")]);
  expect((await run("shop", "erase", "anna@example.org")).stderr).toContain("--tenant <name>");
  // The order, and the quote that it was placed by.
  expect(await shop("erase", "Anna@Example.org", "--tenant", tenant)).toContain("Erased: 2 events");
  expect(await shop("orders", "--status", "delivered")).toMatch(/ erased\n$/);
  const again = await run("shop", "ship", order_id!);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is delivered")]);
});

test("products are listed, priced, stocked, corrected and withdrawn; what is wrong is named", async () => {
  const listed = ["list", "--slug", "pellets", "--type", "granulas", "--name", "Pellets", "--kg", "15"];
  expect(await shop(...listed, "--units", "bag=1,pallet=65", "--kwh", "4.9")).toContain(
    "Product 5, pellets, is listed",
  );
  expect(await shop("price", "pellets", "bag", "4.95")).toContain("EUR 4.95");
  expect(await shop("receive", "pellets", "riga", "100", "--reference", "note 7")).toContain("100 available");
  expect(await shop("adjust", "pellets", "riga", "--reason", "torn", "--", "-3")).toContain("97 on hand");
  expect((await run("shop", "price", "pellets", "crate", "5")).stderr).toContain("is one of bag, pallet");
  expect((await run("shop", "price", "pellets", "bag", "0")).stderr).toContain("from 0.01");
  // The shop of test keys is another one.
  expect((await run("shop", "withdraw", "pellets", "--test")).stderr).toContain(
    "there is no product pellets",
  );
  expect(await shop("withdraw", "pellets")).toContain("not sold any more");
});
