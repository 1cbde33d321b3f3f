/**
 * The service's engine, payments, reconciliation and leases in three processes under one virtual clock and one seed, over models of the
 * database, the chain and the network. docs/simulation.md says how to run more seeds and how to play one again.
 */
import { expect, test } from "vitest";
import { scaled } from "../support/scale.ts";
import { compile } from "./compile.ts";
import { faults } from "./faults.ts";

test("nothing acknowledged is lost or done twice, and the books agree, whatever the world does", async () => {
  const { simulate, shrink, linesOf } = await compile();
  const failed: string[] = [];
  for (let seed = 1; seed <= scaled(150); seed++) {
    const { violations } = await simulate(seed);
    if (violations.length === 0) continue;
    failed.push(`seed ${seed}: ${violations.join("; ")}\n${linesOf(await shrink(seed)).join("\n")}`);
  }
  expect(failed).toEqual([]);
});

test("a seed plays again, event for event", async () => {
  const { simulate } = await compile();
  const first = await simulate(12);
  for (let n = 1; n < 20; n++) expect((await simulate(12)).fingerprint).toBe(first.fingerprint);
  expect((await simulate(13)).fingerprint).not.toBe(first.fingerprint);
});

test.each(faults.map((fault) => [fault.name, fault] as const))("finds %s", async (_, fault) => {
  const { simulate, shrink } = await compile(fault);
  const { violations } = await simulate(fault.seed);
  expect(violations).not.toEqual([]);
  const story = await shrink(fault.seed);
  expect(story.length).toBeLessThanOrEqual(6);
  expect((await simulate(fault.seed, story)).violations).not.toEqual([]);
});
