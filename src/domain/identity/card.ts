/**
 * A passport in forms of other registries: a signed A2A 1.0 card, and an ERC-8004 registration file. Both name the same
 * subject as its credential.
 */
import { type Agent, statusOf } from "./agent.ts";
import { type Provider, type Service, sxId } from "./fields.ts";
import { didOfDomain } from "./linked-domain.ts";
import { didOf } from "./public-key.ts";
import { assetOf, registryLinks, registryOf } from "./registry.ts";

/** Sealed fields are opened; null = erased or never given. */
export type PassportView = {
  agent: Agent;
  name: string | null;
  purpose: string | null;
  provider: Provider | null;
};

type CardIssuer = { public_url: string };

/** The extension by which a card names its passport. */
const PASSPORT_EXTENSION = "urn:tallystick:passport:1";

/** The passport's URL is its subject id in every form. */
export const subjectUrl = (public_url: string, { facts }: Pick<Agent, "facts">) =>
  `${public_url}/soul/passport/${facts.sx_number}`;

/** Live keys and domains as DIDs, and registrations as CAIP-19 assets. */
export const namesElsewhere = ({ keys, links = [] }: Agent): string[] => [
  ...keys.map(didOf),
  ...registryLinks(links).map(assetOf),
  ...links.filter(({ kind }) => kind === "domain").map(({ ref }) => didOfDomain(ref)),
];

const describedAs = ({ agent, purpose }: PassportView) =>
  purpose ?? `The agent ${agent.facts.agent_id}, which has the passport ${sxId(agent.facts.sx_number)}`;

const displayNameOf = ({ agent, name }: PassportView) => name ?? agent.facts.agent_id;

export const interfacesOf = ({ description }: Agent): Service[] =>
  description?.services.filter(({ name }) => name === "A2A") ?? [];

/**
 * A card without its signature. It has no empty members: readers would drop them from the signed bytes. Source: A2A
 * 1.0, AgentCard.
 */
export function agentCard(view: PassportView, { public_url }: CardIssuer) {
  const { agent, provider } = view;
  const { agent_id, sx_number, passport_hash } = agent.facts;
  const subject = subjectUrl(public_url, agent);
  return {
    name: displayNameOf(view),
    description: describedAs(view),
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
          description: "The agent's passport, and where to see and verify it",
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
    skills: [{ id: "purpose", name: displayNameOf(view), description: describedAs(view), tags: ["agent"] }],
  };
}

/** `active` while the agent may act here. Source: ERC-8004, "Agent URI and Agent Registration File". */
export function registrationFile(view: PassportView, { public_url }: CardIssuer) {
  const { agent } = view;
  const subject = subjectUrl(public_url, agent);
  const services = agent.description?.services ?? [];
  const others = services.filter(({ name }) => name !== "A2A");
  const status = statusOf(agent);
  return {
    type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
    name: displayNameOf(view),
    description: describedAs(view),
    services: [
      // A2A names the card there, and the card lists the interfaces.
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
