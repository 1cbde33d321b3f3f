/**
 * A passport in the forms that other registries read: a card of A2A 1.0, signed, and the registration file of ERC-8004. Both name the
 * same subject as its credential does.
 */
import { type Agent, statusOf } from "./agent.ts";
import { type Provider, type Service, sxId } from "./fields.ts";
import { didOfDomain } from "./linked-domain.ts";
import { didOf } from "./public-key.ts";
import { assetOf, registryLinks, registryOf } from "./registry.ts";

/** An agent as people see it: what is sealed of it opened, or null where it was erased or never said. */
export type Shown = { agent: Agent; name: string | null; purpose: string | null; provider: Provider | null };

type Made = { public_url: string };

/** The extension of a card by which it names its passport. */
export const PASSPORT_EXTENSION = "urn:tallystick:passport:1";

/** The passport's own address: the id of its subject in every form. */
export const subjectUrl = (public_url: string, { facts }: Pick<Agent, "facts">) =>
  `${public_url}/soul/passport/${facts.sx_number}`;

/** An agent's live keys and its domains as DIDs, and what it is registered as elsewhere (CAIP-19). */
export const namesElsewhere = ({ keys, links = [] }: Agent): string[] => [
  ...keys.map(didOf),
  ...registryLinks(links).map(assetOf),
  ...links.filter(({ kind }) => kind === "domain").map(({ ref }) => didOfDomain(ref)),
];

const describedAs = ({ agent, purpose }: Shown) =>
  purpose ?? `The agent ${agent.facts.agent_id}, which has the passport ${sxId(agent.facts.sx_number)}`;

const named = ({ agent, name }: Shown) => name ?? agent.facts.agent_id;

export const interfacesOf = ({ description }: Agent): Service[] =>
  description?.services.filter(({ name }) => name === "A2A") ?? [];

/** A card without its signature. Nothing in it is empty, which readers would leave out of what was signed. Source: A2A 1.0, AgentCard. */
export function agentCard(shown: Shown, { public_url }: Made) {
  const { agent, provider } = shown;
  const { agent_id, sx_number, passport_hash } = agent.facts;
  const subject = subjectUrl(public_url, agent);
  return {
    name: named(shown),
    description: describedAs(shown),
    version: agent.description?.version ?? "1",
    documentationUrl: subject,
    ...(provider && { provider }),
    supportedInterfaces: interfacesOf(agent).map(({ endpoint, binding = "JSONRPC", version = "1.0" }) => ({
      url: endpoint,
      protocolBinding: binding,
      protocolVersion: version,
    })),
    capabilities: {
      extensions: [
        {
          uri: PASSPORT_EXTENSION,
          description: "The passport that the agent has, and where that is shown and verified",
          params: {
            subject,
            sx_id: sxId(sx_number),
            agent_id,
            passport_hash,
            credential: `${subject}/credential`,
            ...(agent.keys.length > 0 && { alsoKnownAs: namesElsewhere(agent) }),
          },
        },
      ],
    },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "purpose", name: named(shown), description: describedAs(shown), tags: ["agent"] }],
  };
}

/** The registration file. An agent is active there while it may act here. Source: ERC-8004, "Agent URI and Agent Registration File". */
export function registrationFile(shown: Shown, { public_url }: Made) {
  const { agent } = shown;
  const subject = subjectUrl(public_url, agent);
  const services = agent.description?.services ?? [];
  const others = services.filter(({ name }) => name !== "A2A");
  const status = statusOf(agent);
  return {
    type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
    name: named(shown),
    description: describedAs(shown),
    services: [
      // There A2A names the card, and the card the interfaces.
      ...(services.length > others.length
        ? [{ name: "A2A", endpoint: `${subject}/agent-card.json`, version: "1.0" }]
        : []),
      ...others.map(({ name, endpoint, version }) => ({ name, endpoint, ...(version && { version }) })),
      ...agent.keys.map((key) => ({ name: "DID", endpoint: didOf(key), version: "v1" })),
      { name: "passport", endpoint: subject },
    ],
    active: status === "registered" || status === "proven",
    registrations: registryLinks(agent.links).map(({ network, ref }) => ({
      agentId: Number.isSafeInteger(Number(ref)) ? Number(ref) : ref,
      agentRegistry: registryOf(network),
    })),
  };
}
