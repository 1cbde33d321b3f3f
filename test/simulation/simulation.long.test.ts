/**
 * The service's engine, payments, reconciliation and leases in three processes under one virtual clock and one seed, over models of the
 * database, the chain and the network. docs/simulation.md says how to run more seeds and how to play one again.
 */
import { expect, test } from "vitest";
import { SCALE, scaled } from "../support/scale.ts";
import { compile } from "./compile.ts";
import { faults } from "./faults.ts";

test("nothing acknowledged is lost or done twice, and the books agree, whatever faults occur", async () => {
  const { simulate, shrink, linesOf } = await compile();
  const failed: string[] = [];
  for (let seed = 1; seed <= scaled(12); seed++) {
    const { violations } = await simulate(seed);
    if (violations.length === 0) continue;
    failed.push(`seed ${seed}: ${violations.join("; ")}\n${linesOf(await shrink(seed)).join("\n")}`);
  }
  expect(failed).toEqual([]);
});

test.each(faults.map((fault) => [fault.name, fault] as const))(
  "the simulation finds %s, each time the same, in a short history",
  async (_, fault) => {
    const { simulate, shrink } = await compile(fault);
    const { violations, fingerprint } = await simulate(fault.seed);
    expect(violations).not.toEqual([]);
    for (let n = 1; n < (SCALE > 1 ? 20 : 3); n++) {
      const again = await simulate(fault.seed);
      expect(again.violations).toEqual(violations);
      expect(again.fingerprint).toBe(fingerprint);
    }
    const story = await shrink(fault.seed);
    expect(story.length).toBeLessThanOrEqual(fault.steps);
    expect((await simulate(fault.seed, story)).violations).not.toEqual([]);
  },
);
