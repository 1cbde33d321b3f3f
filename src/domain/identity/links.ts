/** What an agent is called in the registry of ERC-8004: linked when it asks, ended and restored as the chain shows it. */
import { refuse } from "../refusal.ts";
import {
  type AgentEvent,
  type AgentState,
  acting,
  isSameLink,
  type Link,
  refuseStranger,
  refuseUsed,
  registered,
  type Unlinked,
} from "./agent.ts";
import { identityProblems } from "./problems.ts";

export const MOST_LINKS = 10;

/** A link's name, which a challenge is about and a path has. */
export const linkName = ({ kind, ref }: Pick<Link, "kind" | "ref">) => `${kind}-${ref}`;

/** What the chain showed an agent to have; said again it needs nothing more. */
export const link =
  (facts: Link) =>
  (state: AgentState): AgentEvent[] => {
    const agent = acting(state);
    const { links = [], keys } = agent;
    if (links.some((one) => isSameLink(one, facts))) return [];
    refuseStranger(agent, facts.by);
    refuseUsed(agent, facts.challenge_sha256);
    if (!keys.some(({ kid }) => kid === facts.kid))
      refuse(identityProblems["not-yours"], `${facts.kid} is no live key of this agent`);
    if (links.length >= MOST_LINKS)
      refuse("conflict", `an agent has ${MOST_LINKS} links at most; take one back first`);
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

/** The wallet that a link rests on has it no more, as the chain stands now; whatever the agent may do itself. */
export const lose =
  (facts: Unlinked) =>
  (state: AgentState): AgentEvent[] =>
    registered(state).links?.some((one) => isSameLink(one, facts))
      ? [{ type: "AgentUnlinked", data: facts }]
      : [];

/** It has it again: what ended the link stands in the chain no more. */
export const restore =
  (facts: Link) =>
  (state: AgentState): AgentEvent[] =>
    registered(state).lost_links?.some((one) => isSameLink(one, facts) && one.kid === facts.kid)
      ? [{ type: "AgentLinked", data: facts }]
      : [];
