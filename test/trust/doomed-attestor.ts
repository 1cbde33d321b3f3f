/** Writes attestations to EAS, and kills itself (as kill -9) at the step DIES_AT. */
import { onChainReactor } from "../../src/reactors/trust/attest-on-chain.ts";
import { openDoomed } from "../support/doomed.ts";
import { turnsUntilKilled } from "../support/turns.ts";

const app = await openDoomed({
  before: { AttestationSent: "before it is said" },
  after: { AttestationAnchored: "after it is recorded" },
});
await turnsUntilKilled(app, onChainReactor);
