import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { App } from "../../core/app.ts";
import { lowerCase, sha256, time } from "../../core/model/fields.ts";
import type { Subjects } from "../../core/model/ports/subjects.ts";
import { refuse } from "../../core/model/refusal.ts";
import { type Sealed, sealLocation } from "../../core/model/sealed.ts";
import type { Agent } from "../../domain/identity/agent.ts";
import * as agents from "../../domain/identity/agent.ts";
import * as agentKey from "../../domain/identity/agent-key.ts";
import { agentRef, refOf, sxId } from "../../domain/identity/fields.ts";
import { linkName } from "../../domain/identity/links.ts";
import * as passports from "../../domain/identity/passports.ts";
import { identityProblems } from "../../domain/identity/problems.ts";
import { registryOf } from "../../domain/identity/registry.ts";
import { walletTenant } from "../../domain/payments/payment.ts";
import type { Caller } from "../declare/caller.ts";
import type { Context } from "../declare/index.ts";
import type { UnitOfWork } from "../declare/operation.ts";

export const id = agentRef;

export const actorsOf = ({ api_key_id, keys }: Agent): string[] => [
  ...(api_key_id === null ? [] : [`key:${api_key_id}`]),
  ...keys.map((key) => (key.kind === "evm" ? walletTenant(lowerCase(key.public)) : `key:${key.kid}`)),
];

export async function agentNamed(app: App, text: string): Promise<Agent> {
  const ref = refOf(text);
  const name = ref.by === "id" ? ref.id : await idOfNumber(app, ref.sx_number);
  const state = name === undefined ? undefined : await app.load(agents, agents.targetOf(name));
  return state ?? refuse("not_found", `there is no agent ${text}; soul_leaderboard lists all agents`);
}

/** The cache's entries never expire, because the agent in an event never changes. */
const MOST_NAMES = 50_000;

export async function idOfNumber({ store, once }: App, sx_number: number): Promise<string | undefined> {
  if (sx_number < 1 || sx_number > passports.MOST_PASSPORTS) return undefined;
  const names = once("agents: names", () => new LRUCache<number, string>({ max: MOST_NAMES }));
  const known = names.get(sx_number);
  if (known !== undefined) return known;
  const { tenant } = passports.target;
  const place = { tenant, stream_id: passports.streamOf(passports.target.id), after_version: sx_number - 1 };
  const [issued] = await store.readStream({ ...place, limit: 1 });
  const name = issued && String(issued.payload.agent_id);
  if (name !== undefined) names.set(sx_number, name);
  return name;
}

export async function agentOf(app: App, caller: Caller): Promise<Agent> {
  const named =
    caller.kind === "subject" || caller.kind === "delegate"
      ? caller.subject
      : caller.kind === "payer"
        ? await app.load(agentKey, agentKey.targetOf(caller.wallet)).then(agentKey.boundTo)
        : undefined;
  if (named === undefined)
    return refuse(
      identityProblems["not-yours"],
      "this needs an agent's own key (sk_soul_…), or a wallet that is a live key of an agent; soul_register makes an agent",
    );
  return agentNamed(app, String(named));
}

/**
 * Refuses the own calls of suspended or revoked agents and of their delegates: they may be read, but may neither
 * spend nor work. Other callers pass.
 */
export async function refuseSuspended({
  app,
  caller,
  unit,
}: Pick<Context<never>, "app" | "caller"> & { unit: Pick<UnitOfWork, "watch"> }): Promise<void> {
  if (caller.kind !== "subject" && caller.kind !== "delegate") return;
  const { facts } = await agentOf(app, caller);
  agents.acting(await unit.watch(agents, agents.targetOf(facts.agent_id)));
}

/** The names of several agents, with one query; the name of an erased agent is null. */
export async function namesOf(
  subjects: Pick<Subjects, "open">,
  of: readonly Agent[],
): Promise<(string | null)[]> {
  const held = of.flatMap(({ facts: { display_name, agent_id } }) =>
    display_name ? [{ sealed: display_name as Sealed, place: placeOfName(agent_id) }] : [],
  );
  // The vault is needed only for sealed names.
  const opened = held.length === 0 ? [] : await subjects.open(held);
  let next = 0;
  return of.map(({ facts: { display_name, agent_id } }) => {
    if (display_name === null) return agent_id;
    const one = opened[next++]!;
    return one.erased ? null : String(one.value.display_name);
  });
}

export const placeOfName = (agent_id: string) =>
  sealLocation(agents, agents.targetOf(agent_id), "AgentRegistered");

export const passportShown = z.object({
  sx_id: z.string().describe("SX#<number>"),
  passport_hash: sha256.describe("SHA-256 of the issued record; it never changes (docs/identity.md)"),
});

export const passportOf = ({ facts: { sx_number, passport_hash } }: Pick<Agent, "facts">) => ({
  sx_id: sxId(sx_number),
  passport_hash,
});

export const statusField = z
  .enum(["registered", "proven", "suspended", "revoked"])
  .describe(
    "registered: it has proven no key; proven: it has proven one; suspended, revoked: you can read it, but it cannot act",
  );

export const keyShown = z.object({
  kid: z.string(),
  kind: z.enum(agents.keyKinds),
  public: z.string(),
  did: z.string(),
  method: z.enum(["eip191", "erc1271", "jwt"]).describe("How it was proven"),
  proven_at: time,
});

export const linkShown = z.object({
  link: z.string().describe("Its name here: erc8004-<agentId> or domain-<domain>"),
  kind: z.enum(["erc8004", "domain"]),
  agent_id: z.string().nullable().describe("The agentId in the registry; null for a domain"),
  registry: z.string().nullable().describe("<CAIP-2 chain>:<address>; null for a domain link"),
  domain: z.string().nullable().describe("null for a link to a registry"),
  wallet: z
    .string()
    .nullable()
    .describe(
      "The agent's live key behind the link: the owner or the set wallet in the registry; null for a domain",
    ),
  kid: z.string().describe("The agent's live key behind the link"),
  linked_at: time,
});

export const shownLink = ({ kind, network, ref, kid, linked_at }: agents.Link) => {
  const isDomain = kind === "domain";
  return {
    link: linkName({ kind, ref }),
    kind,
    agent_id: isDomain ? null : ref,
    registry: network && registryOf(network),
    domain: isDomain ? ref : null,
    wallet: isDomain ? null : kid,
    kid,
    linked_at,
  };
};
