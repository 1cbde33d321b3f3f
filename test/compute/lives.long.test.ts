/**
 * Random lives of requesters, nodes and thieves at two processes with a moved clock: no honest actor loses, and no
 * thief gains.
 */
import fc from "fast-check";
import { afterAll, beforeAll, test } from "vitest";
import { SCALE, scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { openComputeSetup } from "./compute-setup.ts";
import { faultsOf } from "./life-faults.ts";
import { knownAttacks, lineOf, lives, type Step } from "./life-plan.ts";
import { Life, LifeExecutor, type LifeSetup } from "./life-world.ts";
import { movedClock } from "./moved-clock.ts";

let parts: LifeSetup;
let second: Service;
beforeAll(async () => {
  const clock = await movedClock();
  const setup = await openComputeSetup({ database_url: clock.url });
  second = await startService({ beside: setup.service, chain: "embedded", env: { TRUST_PROXY: "1" } });
  await setup.activeSeed();
  parts = { setup, second, clock, executor: new LifeExecutor(setup.app.executor) };
});
afterAll(async () => {
  await second?.stop();
  await parts?.setup.service.stop();
  await parts?.clock.drop();
});

/** The most lives tried to shrink a failure. */
const MOST_SHRUNK = 40;
let tried = 0;

async function lived(steps: readonly Step[]): Promise<void> {
  if (tried > 0 && ++tried > MOST_SHRUNK) return;
  const life = await Life.begun(parts);
  await life.live(steps);
  await life.ends();
  const faults = await faultsOf(life);
  if (faults.length === 0) return;
  tried = Math.max(tried, 1);
  throw new Error([...faults, "after this life:", ...steps.map(lineOf)].join("\n  "));
}

// Each run of the suite has the same lives; each other scale has others.
const SEED = SCALE === 1 ? { seed: 20261128 } : {};

const timeout = 600_000 * Math.max(1, SCALE);

test("an honest node never loses money for right work, and no thief has more than it was sent", {
  timeout,
}, async () => {
  await fc.assert(fc.asyncProperty(lives, lived), {
    numRuns: scaled(5),
    examples: [[knownAttacks()]],
    ...SEED,
  });
});
