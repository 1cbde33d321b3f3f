/** What an agent is called elsewhere: linked when it asks, ended and restored as the registry of ERC-8004 shows it, ended as a domain does. */
import { z } from "zod";
import { refuse } from "../../core/model/refusal.ts";
import {
  type AgentEvent,
  type AgentState,
  acting,
  isSameLink,
  type Link,
  type LinkNamed,
  refuseStranger,
  refuseUsed,
  registered,
  type Unlinked,
} from "./agent.ts";
import { domainName } from "./linked-domain.ts";
import { identityProblems } from "./problems.ts";
import { agentId } from "./registry.ts";

const MOST_LINKS = 10;

/** A link's name, which a challenge is about and a path has. */
export const linkName = ({ kind, ref }: Pick<Link, "kind" | "ref">) => `${kind}-${ref}`;

const NAME = "is erc8004-<agentId> or domain-<domain>";

/** A link by its name, read. */
export const linkNamed = z
  .string()
  .max(270, NAME)
  .refine((name) => refIn("erc8004", agentId, name) || refIn("domain", domainName, name), NAME);

const refIn = (kind: Link["kind"], ref: z.ZodType<string>, name: string) =>
  name.startsWith(`${kind}-`) && ref.safeParse(name.slice(kind.length + 1)).success;

/** What `linkNamed` has taken; links of the registry are of the chain that the service is on. */
export function namedLink(name: string, network: string): LinkNamed {
  const kind = name.startsWith("domain-") ? "domain" : "erc8004";
  return { kind, network: kind === "domain" ? null : network, ref: name.slice(kind.length + 1) };
}

/** Refuses an agent that may not act or has all its links, a key that is not live, and a challenge that has counted. */
export function mayLink(state: AgentState, { by, challenge_sha256 }: Pick<Link, "by" | "challenge_sha256">) {
  const agent = acting(state);
  refuseStranger(agent, by);
  refuseUsed(agent, challenge_sha256);
  if ((agent.links?.length ?? 0) >= MOST_LINKS)
    refuse("conflict", `an agent has ${MOST_LINKS} links at most; take one back first`);
  return agent;
}

/** What the chain, or the domain, showed an agent to have; said again it needs nothing more. */
export const link =
  (facts: Link) =>
  (state: AgentState): AgentEvent[] => {
    if (acting(state).links?.some((one) => isSameLink(one, facts))) return [];
    const { keys } = mayLink(state, facts);
    if (!keys.some(({ kid }) => kid === facts.kid))
      refuse(identityProblems["not-yours"], `${facts.kid} is no live key of this agent`);
    return [{ type: "AgentLinked", data: facts }];
  };

export const unlink =
  (facts: Unlinked) =>
  (state: AgentState): AgentEvent[] => {
    const agent = acting(state);
    const known = [...(agent.links ?? []), ...(agent.lost_links ?? [])];
    if (!known.some((one) => isSameLink(one, facts))) return [];
    refuseStranger(agent, facts.by);
    refuseUsed(agent, facts.challenge_sha256);
    return [{ type: "AgentUnlinked", data: facts }];
  };

/** The key that a link rests on has it no more, as chain or domain stand now; whatever the agent may do itself. A link made anew since `seen` stands. */
export const lose =
  (facts: Unlinked, seen?: Link) =>
  (state: AgentState): AgentEvent[] => {
    const standing = registered(state).links?.find((one) => isSameLink(one, facts));
    const isSeen = standing && (!seen || standing.linked_at === seen.linked_at);
    return isSeen ? [{ type: "AgentUnlinked", data: facts }] : [];
  };

/** It has it again: what ended the link stands in the chain no more. */
export const restore =
  (facts: Link) =>
  (state: AgentState): AgentEvent[] =>
    registered(state).lost_links?.some((one) => isSameLink(one, facts) && one.kid === facts.kid)
      ? [{ type: "AgentLinked", data: facts }]
      : [];
