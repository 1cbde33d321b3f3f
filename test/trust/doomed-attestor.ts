/** Carries attestations to EAS, and ends itself as kill -9 would at the step named by DIES_AT. */
import { onChainReactor } from "../../src/reactors/trust/attest-on-chain.ts";
import { openDoomed } from "../support/doomed.ts";
import { turn } from "../support/turns.ts";

const app = await openDoomed({
  before: { AttestationSent: "before it is said" },
  after: { AttestationAnchored: "after it is recorded" },
});
// A turn leaves to the next one what the read model does not know yet.
for (;;) await turn(app, onChainReactor, { seconds: 1, patient: true });
