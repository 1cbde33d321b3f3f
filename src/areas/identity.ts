import { behaviourOperations } from "../api/operations/identity/behaviour.ts";
import { credentialOperations } from "../api/operations/identity/credentials.ts";
import { delegationOperations } from "../api/operations/identity/delegations.ts";
import { descriptionOperations } from "../api/operations/identity/description.ts";
import { directoryOperations } from "../api/operations/identity/directory.ts";
import { keyOperations } from "../api/operations/identity/keys.ts";
import { linkOperations } from "../api/operations/identity/links.ts";
import { passportOperations } from "../api/operations/identity/passports.ts";
import { registerOperations } from "../api/operations/identity/register.ts";
import * as agent from "../domain/identity/agent.ts";
import * as agentKey from "../domain/identity/agent-key.ts";
import * as passports from "../domain/identity/passports.ts";
import { identityProblems } from "../domain/identity/problems.ts";
import { activityProjection } from "../projections/identity/activity.ts";
import { agentsProjection } from "../projections/identity/agents.ts";
import { domainsProjection } from "../projections/identity/domains.ts";
import { linksProjection } from "../projections/identity/links.ts";
import { domainsReactor } from "../reactors/identity/check-domains.ts";
import { linksReactor } from "../reactors/identity/follow-links.ts";
import type { Area } from "./area.ts";

export const identity: Area = {
  name: "identity",
  about: "Agents: passports, proven keys, and delegations",
  envelope: "none",
  entities: [agent, agentKey, passports],
  projections: [agentsProjection, activityProjection, linksProjection, domainsProjection],
  reactors: [linksReactor, domainsReactor],
  operations: [
    ...registerOperations,
    ...passportOperations,
    ...directoryOperations,
    ...behaviourOperations,
    ...keyOperations,
    ...delegationOperations,
    ...credentialOperations,
    ...descriptionOperations,
    ...linkOperations,
  ],
  problems: identityProblems,
};
