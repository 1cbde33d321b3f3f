/** Checks linked domains LATER_MS ahead of now, and kills itself (as kill -9) at the step DIES_AT. */

import { domainsReactor } from "../../src/reactors/identity/check-domains.ts";
import { openDoomed } from "../support/doomed.ts";
import { replace } from "../support/replace.ts";
import { turnsUntilKilled } from "../support/turns.ts";

const app = await openDoomed({
  chain: false,
  before: { AgentUnlinked: "before it is recorded" },
  after: { AgentUnlinked: "after it is recorded" },
});
const later_ms = Number(process.env.LATER_MS);
replace(app, { clock: { now: () => new Date(Date.now() + later_ms) } });
await turnsUntilKilled(app, domainsReactor);
