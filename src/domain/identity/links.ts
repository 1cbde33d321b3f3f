/** A link starts at an agent's request. The ERC-8004 registry ends and restores links; a domain only ends them. */
import { z } from "zod";
import { refuse } from "../../core/model/refusal.ts";
import {
  type AgentEvent,
  type AgentState,
  acting,
  isSameLink,
  type Link,
  type LinkKey,
  refuseStranger,
  refuseUsed,
  registered,
  type UnlinkData,
} from "./agent.ts";
import { domainName } from "./linked-domain.ts";
import { identityProblems } from "./problems.ts";
import { agentId } from "./registry.ts";

const MOST_LINKS = 10;

/** The name of a link in challenges and paths. */
export const linkName = ({ kind, ref }: Pick<Link, "kind" | "ref">) => `${kind}-${ref}`;

const NAME = "is erc8004-<agentId> or domain-<domain>";

/** Validates a link's name. */
export const linkNameField = z
  .string()
  .max(270, NAME)
  .refine((name) => refIn("erc8004", agentId, name) || refIn("domain", domainName, name), NAME);

const refIn = (kind: Link["kind"], ref: z.ZodType<string>, name: string) =>
  name.startsWith(`${kind}-`) && ref.safeParse(name.slice(kind.length + 1)).success;

/** Parses a valid name; registry links belong to the service's chain. */
export function parseLinkName(name: string, network: string): LinkKey {
  const kind = name.startsWith("domain-") ? "domain" : "erc8004";
  return { kind, network: kind === "domain" ? null : network, ref: name.slice(kind.length + 1) };
}

/** Refuses an agent that may not act or has all its links, a key that is not live, and a used challenge. */
export function requireLinkable(
  state: AgentState,
  { by, challenge_sha256 }: Pick<Link, "by" | "challenge_sha256">,
) {
  const agent = acting(state);
  refuseStranger(agent, by);
  refuseUsed(agent, challenge_sha256);
  if ((agent.links?.length ?? 0) >= MOST_LINKS)
    refuse("conflict", `an agent has at most ${MOST_LINKS} links; remove one first`);
  return agent;
}

/** Records a confirmed link; repeatable. */
export const link =
  (facts: Link) =>
  (state: AgentState): AgentEvent[] => {
    if (acting(state).links?.some((one) => isSameLink(one, facts))) return [];
    const { keys } = requireLinkable(state, facts);
    if (!keys.some(({ kid }) => kid === facts.kid))
      refuse(identityProblems["not-yours"], `${facts.kid} is not a live key of this agent`);
    return [{ type: "AgentLinked", data: facts }];
  };

export const unlink =
  (facts: UnlinkData) =>
  (state: AgentState): AgentEvent[] => {
    const agent = acting(state);
    const all = [...(agent.links ?? []), ...(agent.lost_links ?? [])];
    if (!all.some((one) => isSameLink(one, facts))) return [];
    refuseStranger(agent, facts.by);
    refuseUsed(agent, facts.challenge_sha256);
    return [{ type: "AgentUnlinked", data: facts }];
  };

/**
 * The chain or domain no longer names the link's key; this also applies to an agent that may not act. A link renewed
 * since `seen` stays.
 */
export const lose =
  (facts: UnlinkData, seen?: Link) =>
  (state: AgentState): AgentEvent[] => {
    const existing = registered(state).links?.find((one) => isSameLink(one, facts));
    const isSeen = existing && (!seen || existing.linked_at === seen.linked_at);
    return isSeen ? [{ type: "AgentUnlinked", data: facts }] : [];
  };

/** The event that ended the link is not canonical any more. */
export const restore =
  (facts: Link) =>
  (state: AgentState): AgentEvent[] =>
    registered(state).lost_links?.some((one) => isSameLink(one, facts) && one.kid === facts.kid)
      ? [{ type: "AgentLinked", data: facts }]
      : [];
