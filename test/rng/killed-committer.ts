/** Runs one tick of the seeds, and kills itself, like kill -9, at the step named by DIES_AT. */
import { seedsReactor } from "../../src/reactors/rng/reactor.ts";
import { openDoomed } from "../support/doomed.ts";
import { turnsUntilKilled } from "../support/turns.ts";

const types = ["SeedChainPublished", "SeedCommitted", "SeedChainCommitted"];
const app = await openDoomed({ after: Object.fromEntries(types.map((type) => [type, `after ${type}`])) });
await turnsUntilKilled(app, seedsReactor);
