/** Pays airdrops, and ends itself as kill -9 would at the step named by DIES_AT. */
import { airdropsReactor } from "../../src/reactors/wallet/pay-airdrops.ts";
import { openDoomed } from "../support/doomed.ts";
import { turnsUntilKilled } from "../support/turns.ts";

const app = await openDoomed({
  before: { AirdropSent: "before it is said" },
  after: { AirdropPaid: "after it is recorded" },
});
await turnsUntilKilled(app, airdropsReactor);
