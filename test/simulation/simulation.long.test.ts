/**
 * The service's own code in several processes under one virtual clock and one seed, over models of the database, the chain, the disk
 * and the network. docs/simulation.md says how to run more seeds and how to play one again.
 */
import { expect, test } from "vitest";
import { SCALE, scaled } from "../support/scale.ts";
import { compile } from "./compile.ts";
import { faults } from "./faults.ts";
import type { WorldName } from "./worlds.ts";

/** The seeds of each world, and its claim. */
const WORLDS: readonly [WorldName, number, string][] = [
  ["payments", 12, "nothing acknowledged is lost or done twice, and the books agree"],
  ["folder", 100, "a folder's lock has one owner at a time, and none forever"],
  ["history", 60, "nothing continues a log that its signatures contradict, and a sound log goes on"],
  ["market", 40, "a pull gets one task and leaves none to nobody, and evidence follows from the log"],
];

test.each(WORLDS)("%s, in each of %i seeds: %s", async (world, seeds) => {
  const { worlds, shrink, linesOf } = await compile();
  const failed: string[] = [];
  for (let seed = 1; seed <= scaled(seeds); seed++) {
    const { violations } = await worlds[world].simulate(seed);
    if (violations.length === 0) continue;
    failed.push(`seed ${seed}: ${violations.join("; ")}\n${linesOf(await shrink(world, seed)).join("\n")}`);
  }
  expect(failed).toEqual([]);
});

test.each(faults.map((fault) => [fault.name, fault] as const))(
  "the simulation finds %s, each time the same, in a short history",
  async (_, fault) => {
    const { worlds, shrink } = await compile(fault);
    const { simulate } = worlds[fault.world];
    const { violations, fingerprint } = await simulate(fault.seed);
    expect(violations).not.toEqual([]);
    for (let n = 1; n < (SCALE > 1 ? 20 : 3); n++) {
      const again = await simulate(fault.seed);
      expect(again.violations).toEqual(violations);
      expect(again.fingerprint).toBe(fingerprint);
    }
    const story = await shrink(fault.world, fault.seed);
    expect(story.length).toBeLessThanOrEqual(fault.steps);
    expect((await simulate(fault.seed, story)).violations).not.toEqual([]);
  },
);
