/** Asks linked domains, LATER_MS ahead of now, and ends itself as kill -9 would at the step named by DIES_AT. */

import { domainsReactor } from "../../src/reactors/identity/ask-domains.ts";
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
