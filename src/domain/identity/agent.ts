/**
 * An agent has a unique id, a numbered passport, proven keys, and delegations. The stream's name is the id in lower
 * case, so the stream makes the id unique.
 */
import { createHash } from "node:crypto";
import type { DataOf } from "../../core/model/entity.ts";
import { refuse } from "../../core/model/refusal.ts";
import { withoutAct } from "./act.ts";
import type {
  AgentEvent,
  AgentFacts,
  Delegation,
  Description,
  events,
  Link,
  ProvenKey,
} from "./agent-events.ts";
import { lowerId, sxId } from "./fields.ts";
import { identityProblems } from "./problems.ts";

export type {
  AgentEvent,
  AgentFacts,
  Delegation,
  KeyKind,
  Link,
  ProvenKey,
  UnlinkData,
} from "./agent-events.ts";
export { events, keyKinds } from "./agent-events.ts";

export const MOST_KEYS = 10;
export const MOST_DELEGATIONS = 50;

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;

export type AgentStatus = "registered" | "proven" | "suspended" | "revoked";

export type Agent = {
  facts: AgentFacts;
  /** null = no API key was issued. */
  api_key_id: string | null;
  /** Live keys in the order of their proofs. */
  keys: ProvenKey[];
  delegations: Delegation[];
  /** The owner's description, if any. */
  description?: Description;
  /** Links to other registries and domains; `lost_links`: ended by the chain, which may restore them. */
  links?: Link[];
  lost_links?: Link[];
  suspended: { reason: string; suspended_at: string } | null;
  revoked: { reason: string; revoked_at: string } | null;
  /** Digests of used signed texts, for as long as one could be sent again. */
  used: { sha256: string; at: string }[];
};
export type AgentState = Agent | undefined;

export const prefix = "agent-";

export const streamOf = (id: string) => prefix + id;

export const targetOf = (agent_id: string) => ({ tenant: "operator", id: lowerId(agent_id) });

export const initialState = (): AgentState => undefined;

/** A signed text is valid for ten minutes; clocks of processes may differ by as much again. */
const USED_MS = 3_600_000;

function withUsed(agent: Agent, digest: string | null, at: string): Agent {
  if (digest === null) return agent;
  const since = Date.parse(at) - USED_MS;
  return {
    ...agent,
    used: [...agent.used.filter((one) => Date.parse(one.at) > since), { sha256: digest, at }],
  };
}

export function evolve(state: AgentState, event: AgentEvent): AgentState {
  if (event.type === "AgentRegistered")
    return {
      facts: event.data,
      api_key_id: null,
      keys: [],
      delegations: [],
      suspended: null,
      revoked: null,
      used: [],
    };
  return state && changed(state, event);
}

function changed(agent: Agent, event: Exclude<AgentEvent, { type: "AgentRegistered" }>): Agent {
  switch (event.type) {
    case "AgentApiKeyIssued": {
      const { key_id, challenge_sha256, issued_at } = event.data;
      return withUsed({ ...agent, api_key_id: key_id }, challenge_sha256, issued_at);
    }
    case "AgentKeyProven": {
      const { endorsement: _, ...data } = withoutAct(event.data);
      return withUsed({ ...agent, keys: [...agent.keys, data] }, data.challenge_sha256, data.proven_at);
    }
    case "AgentKeyRevoked": {
      const { kid, challenge_sha256, revoked_at } = event.data;
      const keys = agent.keys.filter((one) => one.kid !== kid);
      const stays = (link: Link) => link.kid !== kid;
      const { links, lost_links } = agent;
      const left = {
        ...(links && { links: links.filter(stays) }),
        ...(lost_links && { lost_links: lost_links.filter(stays) }),
      };
      return withUsed({ ...agent, ...left, keys }, challenge_sha256, revoked_at);
    }
    case "AgentDelegated": {
      const data = withoutAct(event.data);
      const delegations = agent.delegations.filter(({ expires_at }) => expires_at > data.delegated_at);
      return withUsed(
        { ...agent, delegations: [...delegations, data] },
        data.challenge_sha256,
        data.delegated_at,
      );
    }
    case "AgentDelegationRevoked": {
      const { delegation_id, challenge_sha256, revoked_at } = event.data;
      const delegations = agent.delegations.filter((one) => one.delegation_id !== delegation_id);
      return withUsed({ ...agent, delegations }, challenge_sha256, revoked_at);
    }
    case "AgentDescribed": {
      const data = withoutAct(event.data);
      return withUsed({ ...agent, description: data }, data.challenge_sha256, data.described_at);
    }
    case "AgentLinked": {
      const data = withoutAct(event.data);
      const links = [...without(agent.links, data), data];
      const next = { ...agent, links, lost_links: without(agent.lost_links, data) };
      return withUsed(next, data.challenge_sha256, data.linked_at);
    }
    case "AgentUnlinked": {
      const { data } = event;
      const canReturn = data.reason === "transfer" || data.reason === "reorg";
      const ended = canReturn ? (agent.links ?? []).filter((one) => isSameLink(one, data)) : [];
      const lost_links = [...without(agent.lost_links, data), ...ended];
      const next = { ...agent, links: without(agent.links, data), lost_links };
      return withUsed(next, data.challenge_sha256, data.unlinked_at);
    }
    case "AgentSuspended":
      return { ...agent, suspended: event.data };
    case "AgentReinstated":
      return { ...agent, suspended: null };
    case "PassportRevoked":
      return {
        ...agent,
        keys: [],
        delegations: [],
        links: [],
        lost_links: [],
        revoked: withoutAct(event.data),
      };
  }
}

/** Identifies a link of an agent. */
export type LinkKey = Pick<Link, "kind" | "network" | "ref">;

export const isSameLink = (a: LinkKey, b: LinkKey) =>
  a.kind === b.kind && a.network === b.network && a.ref === b.ref;

const without = (links: Link[] = [], removed: LinkKey) => links.filter((one) => !isSameLink(one, removed));

export function statusOf({ revoked, suspended, keys }: Agent): AgentStatus {
  if (revoked) return "revoked";
  if (suspended) return "suspended";
  return keys.length > 0 ? "proven" : "registered";
}

/** Input of a passport's hash. All members are ASCII, so this is their canonical form (RFC 8785). */
export function passportHash(of: {
  agent_id: string;
  issued_at: string;
  origin: string;
  sx_number: number;
}): string {
  const { agent_id, issued_at, origin, sx_number } = of;
  const canonical = JSON.stringify({ agent_id, issued_at, origin, sx_number });
  return createHash("sha256").update(`TS/PASSPORT/1\0${canonical}`).digest("hex");
}

/** Refuses suspended and revoked agents, which can only be read. */
export function acting(state: AgentState): Agent {
  const agent = registered(state);
  const name = sxId(agent.facts.sx_number);
  if (agent.revoked)
    refuse(
      identityProblems["agent-suspended"],
      `the passport ${name} was revoked at ${agent.revoked.revoked_at}`,
    );
  if (agent.suspended)
    refuse(identityProblems["agent-suspended"], `${name} is suspended: ${agent.suspended.reason}`);
  return agent;
}

export const registered = (state: AgentState): Agent =>
  state ?? refuse("not_found", "there is no such agent; the directory lists all");

export const register =
  (facts: AgentFacts) =>
  (state: AgentState): AgentEvent[] =>
    state
      ? refuse("conflict", `${facts.agent_id} is registered already`)
      : [{ type: "AgentRegistered", data: facts }];

export const issueApiKey =
  (facts: Data<"AgentApiKeyIssued">) =>
  (state: AgentState): AgentEvent[] => {
    refuseUsed(acting(state), facts.challenge_sha256);
    return [{ type: "AgentApiKeyIssued", data: facts }];
  };

/** A signed text counts once; a repeat of the same call is not an error. */
const isUsed = ({ used, keys }: Agent, digest: string) =>
  used.some(({ sha256 }) => sha256 === digest) || keys.some((key) => key.challenge_sha256 === digest);

export function refuseUsed(agent: Agent, digest: string | null): void {
  if (digest !== null && isUsed(agent, digest))
    refuse(identityProblems["proof-refused"], "this challenge was used already; get a new one", {
      errors: [{ path: "challenge", message: "was used already" }],
    });
}

/**
 * Proves another key; `rotating` replaces the endorsing key. The API key endorses the first key, or the first key
 * claims an agent without one; a live key endorses later keys.
 */
export const prove =
  (
    key: ProvenKey,
    { by_api_key, rotating }: { by_api_key: boolean; rotating: Data<"AgentKeyRevoked"> | null },
  ) =>
  (state: AgentState): AgentEvent[] => {
    const agent = acting(state);
    const { keys, api_key_id } = agent;
    if (keys.some(({ kid }) => kid === key.kid)) return [];
    refuseUsed(agent, key.challenge_sha256);
    if (rotating) refuseUsed(agent, rotating.challenge_sha256);
    if (keys.length === 0 && api_key_id !== null && !by_api_key)
      refuse(
        identityProblems["not-yours"],
        "the first key of this agent is proven with its API key: Authorization: Bearer sk_soul_…",
      );
    if (keys.length > 0 && !keys.some(({ kid }) => kid === key.endorsed_by))
      refuse(
        identityProblems["not-yours"],
        "this agent has live keys: one of them must endorse the new one (a challenge with the purpose prove or rotate about the new key's kid)",
      );
    if (keys.length >= MOST_KEYS && !rotating)
      refuse(
        identityProblems["too-many-keys"],
        `an agent has at most ${MOST_KEYS} live keys; revoke one first`,
      );
    return [
      { type: "AgentKeyProven", data: key },
      ...(rotating ? [{ type: "AgentKeyRevoked" as const, data: rotating }] : []),
    ];
  };

/** Only a live key speaks for the agent; null is its API key, or the operator. */
export function refuseStranger({ keys }: Agent, kid: string | null): void {
  if (kid !== null && !keys.some((key) => key.kid === kid))
    refuse(identityProblems["not-yours"], `${kid} is not a live key of this agent`);
}

/** A key that is not live changes nothing. */
export const revokeKey =
  (facts: Data<"AgentKeyRevoked">) =>
  (state: AgentState): AgentEvent[] => {
    const agent = acting(state);
    if (!agent.keys.some(({ kid }) => kid === facts.kid)) return [];
    refuseStranger(agent, facts.by);
    refuseUsed(agent, facts.challenge_sha256);
    if (agent.keys.length === 1 && facts.by !== null)
      refuse(
        identityProblems["last-key"],
        "this is the last live key: prove another first, or revoke it with the agent's API key",
      );
    return [{ type: "AgentKeyRevoked", data: facts }];
  };

export const delegate =
  (delegation: Delegation) =>
  (state: AgentState): AgentEvent[] => {
    const agent = acting(state);
    refuseStranger(agent, delegation.kid);
    refuseUsed(agent, delegation.challenge_sha256);
    if (delegation.to === agent.facts.sx_number)
      refuse("conflict", "an agent needs no delegation to act for itself");
    const live = agent.delegations.filter(({ expires_at }) => expires_at > delegation.delegated_at);
    if (live.length >= MOST_DELEGATIONS)
      refuse("conflict", `an agent has at most ${MOST_DELEGATIONS} live delegations; revoke one first`);
    return [{ type: "AgentDelegated", data: delegation }];
  };

export const revokeDelegation =
  (facts: Data<"AgentDelegationRevoked">) =>
  (state: AgentState): AgentEvent[] => {
    const agent = acting(state);
    if (!agent.delegations.some(({ delegation_id }) => delegation_id === facts.delegation_id)) return [];
    refuseStranger(agent, facts.by);
    refuseUsed(agent, facts.challenge_sha256);
    return [{ type: "AgentDelegationRevoked", data: facts }];
  };

/** Replaces the description. */
export const describe =
  (description: Description) =>
  (state: AgentState): AgentEvent[] => {
    const agent = acting(state);
    refuseStranger(agent, description.by);
    refuseUsed(agent, description.challenge_sha256);
    return [{ type: "AgentDescribed", data: description }];
  };

export const suspend =
  (facts: Data<"AgentSuspended">) =>
  (state: AgentState): AgentEvent[] => {
    const agent = registered(state);
    if (agent.revoked) acting(agent);
    return agent.suspended ? [] : [{ type: "AgentSuspended", data: facts }];
  };

export const reinstate =
  (facts: Data<"AgentReinstated">) =>
  (state: AgentState): AgentEvent[] => {
    const agent = registered(state);
    if (agent.revoked) acting(agent);
    return agent.suspended ? [{ type: "AgentReinstated", data: facts }] : [];
  };

/** By the operator at any time, or by a live key of an active agent; final. */
export const revokePassport =
  (facts: Data<"PassportRevoked">) =>
  (state: AgentState): AgentEvent[] => {
    const agent = registered(state);
    if (agent.revoked) return [];
    if (facts.by !== null) {
      refuseStranger(acting(agent), facts.by);
      refuseUsed(agent, facts.challenge_sha256);
    }
    return [{ type: "PassportRevoked", data: facts }];
  };
