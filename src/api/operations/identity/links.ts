import { z } from "zod";
import { compareChain } from "../../../chain/history.ts";
import type { App } from "../../../core/app.ts";
import { networkOf } from "../../../core/model/chain.ts";
import { lowerCase } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { didOfDomain, documentUrl, domainName } from "../../../domain/identity/linked-domain.ts";
import {
  link,
  linkName,
  linkNameField,
  parseLinkName,
  requireLinkable,
  unlink,
} from "../../../domain/identity/links.ts";
import { identityProblems } from "../../../domain/identity/problems.ts";
import { didOf } from "../../../domain/identity/public-key.ts";
import { agentId, holderCalls, holdersIn, REGISTRY } from "../../../domain/identity/registry.ts";
import { readDomain } from "../../../reactors/identity/check-domains.ts";
import { id, linkShown, shownLink } from "../../agents/agents.ts";
import { authorityOf, proofs } from "../../agents/authority.ts";
import { challengeField, signatureField } from "../../agents/proofs.ts";
import { json, operation } from "../../declare/index.ts";
import { agentWatched } from "./keys.ts";

const answer = json(z.object({ sx_id: z.string(), links: z.array(linkShown) }));

const shown = ({ facts, links = [] }: agents.Agent) => ({
  sx_id: sxId(facts.sx_number),
  links: links.map(shownLink),
});

/** The owner and wallet of a registry's agent at the newest block, and that block. */
async function currentHolders(app: App, ref: string) {
  const compared = await compareChain(app);
  if (compared.status !== "same")
    refuse("unavailable", "the chain is not the one in the log; retry later", {
      retry_after_s: 60,
    });
  const [has] = await app.chain.hasCode([lowerCase(REGISTRY)]);
  if (!has)
    refuse(
      identityProblems["no-registry"],
      `${networkOf(app.chain)} as this service sees it has no ERC-8004 registry at ${REGISTRY}`,
    );
  const { latest } = await app.chain.heads();
  const holders = holdersIn(await app.chain.read(holderCalls(ref), { mined: true }));
  return { holders, block_number: Number(latest.number), block_hash: latest.hash };
}

/** Proves a link by the chain: the registry names a key of this agent. */
async function proofByChain(app: App, { facts, keys }: agents.Agent, ref: string) {
  const { holders, ...block } = await currentHolders(app, ref);
  if (holders.length === 0) refuse("not_found", `the registry has no agent ${ref}`);
  const kid = holders.find((one) => keys.some((key) => key.kid === one));
  if (kid === undefined)
    return refuse(
      identityProblems["not-yours"],
      `agent ${ref} of the registry belongs to ${holders.join(" and ")}, not to a live key of ${sxId(facts.sx_number)}; prove one first`,
    );
  return { kid, ...block };
}

/** Proves a link by a domain: its document names a key of this agent. */
async function proofByDomain(app: App, { keys }: agents.Agent, domain: string) {
  const document = await readDomain(app.webhooks, domain);
  if ("silent" in document)
    return refuse(
      identityProblems["domain-refused"],
      `${documentUrl(domain)} gave no answer: ${document.silent}`,
    );
  const named = keys.find((key) => document.names.has(didOf(key)));
  if (!named)
    return refuse(
      identityProblems["domain-refused"],
      `${documentUrl(domain)} names no live key of the agent: it needs the id ${didOfDomain(domain)} and one of these in alsoKnownAs: ${keys.map(didOf).join(", ") || "none, prove a key first"}`,
    );
  return { kid: named.kid, block_number: null, block_hash: null };
}

/** The key of a link. Requires exactly one of the two names. */
function linkKeyOf(
  { erc8004_id, domain }: { erc8004_id?: string | undefined; domain?: string | undefined },
  network: string,
): agents.LinkKey {
  if (erc8004_id !== undefined && domain === undefined) return { kind: "erc8004", network, ref: erc8004_id };
  if (domain !== undefined && erc8004_id === undefined) return { kind: "domain", network: null, ref: domain };
  return refuseField("erc8004_id", "is required, unless you give domain: give one of the two");
}

const add = operation({
  name: "soul_link",
  route: "POST /soul/{id}/links",
  effect: { changes: "adds", repeatable: true, reaches_out: true },
  summary: "Link an agent to its ERC-8004 registration or to a domain",
  description: `Use the agent's API key, or a live key's signature of a challenge with the purpose \`link\` about the link's name. For \`erc8004_id\` the
agentId's owner or set wallet must be a live key of the agent; the link's name is \`erc8004-<agentId>\`. For \`domain\` its /.well-known/did.json, of id
did:web:<domain>, must name a live key of the agent in alsoKnownAs; the link's name is \`domain-<domain>\`. A link ends when chain or domain change, and
with its key. If the chain reverts a transfer, the link is restored.`,
  access: [proofs],
  input: z.object({
    id,
    erc8004_id: agentId.describe("The agentId in the Identity Registry on Base, as a string").optional(),
    domain: domainName.describe("The domain without https://").optional(),
    challenge: challengeField.optional(),
    signature: signatureField.optional(),
  }),
  output: answer,
  refuses: [403, 404, 409],
  example: {
    id: "SX#1",
    erc8004_id: "22",
    challenge: '{"iss":"did:key:z6Mk…"}',
    signature: "eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJkaWQ6a2V5In0.c2ln",
  },
  handle: async (context) => {
    const { input, app, unit } = context;
    const { challenge, signature } = input;
    const name = linkKeyOf(input, networkOf(app.chain));
    const agent = await agentWatched(context, input.id);
    if (agent.links?.some((one) => agents.isSameLink(one, name))) return shown(agents.acting(agent));
    const use = { purpose: "link" as const, about: linkName(name) };
    const authority = await authorityOf(context, agent, { challenge, signature }, use);
    // Checked before the request to another host, because only callers that may link may cause one.
    requireLinkable(agent, authority);
    const facts: agents.Link = {
      ...name,
      ...(await (name.kind === "domain" ? proofByDomain : proofByChain)(app, agent, name.ref)),
      cause: "asked",
      ...authority,
      linked_at: app.clock.now().toISOString(),
    };
    const { state } = await unit.decide(agents, agents.targetOf(agent.facts.agent_id), link(facts));
    return shown(agents.registered(state));
  },
});

const remove = operation({
  name: "soul_unlink",
  route: "DELETE /soul/{id}/links/{link}",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Remove a link of an agent",
  description: `Use the agent's API key, or a live key's signature of a challenge with the purpose \`revoke\` about the link's name. A missing link changes nothing.`,
  access: [proofs],
  input: z.object({
    id,
    link: linkNameField.describe("The link's name from soul_passport"),
    challenge: challengeField.optional(),
    signature: signatureField.optional(),
  }),
  output: answer,
  refuses: [403, 404, 409],
  example: { id: "SX#1", link: "erc8004-22" },
  handle: async (context) => {
    const { input, app, unit } = context;
    const { link: about, challenge, signature } = input;
    const agent = await agentWatched(context, input.id);
    const name = parseLinkName(about, networkOf(app.chain));
    const all = [...(agent.links ?? []), ...(agent.lost_links ?? [])];
    if (!all.some((one) => agents.isSameLink(one, name))) return shown(agent);
    const use = { purpose: "revoke" as const, about };
    const authority = await authorityOf(context, agent, { challenge, signature }, use);
    const facts: agents.UnlinkData = {
      ...name,
      reason: "asked",
      ...authority,
      block_number: null,
      block_hash: null,
      unlinked_at: app.clock.now().toISOString(),
    };
    const { state } = await unit.decide(agents, agents.targetOf(agent.facts.agent_id), unlink(facts));
    return shown(agents.registered(state));
  },
});

export const linkOperations = [add, remove];
