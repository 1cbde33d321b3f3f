/**
 * The records by which other registries list this service: its A2A card, its ERC-8004 registration and the MCP
 * registry's server.json. Sources: A2A 1.0, AgentCard; ERC-8004, "Agent Registration File"; the registry's schema of
 * 2025-12-11.
 */
import type { App } from "../../core/app.ts";
import { networkOf } from "../../core/model/chain.ts";
import { registryOf } from "../../domain/identity/registry.ts";
import { didOf } from "../../domain/payments/receipt.ts";
import type { Catalogue } from "../declare/operation.ts";
import { ICON_PATH, SERVICE_NAME } from "../serve/x402/listing.ts";
import type { Document } from "./document.ts";
import { INTERFACE_VERSION } from "./openapi.ts";
import { signedCard } from "./signed-card.ts";

export const SUMMARY = "Data, computation and trust for autonomous agents";
const DESCRIPTION = `${SUMMARY}. Pay per call in USDC on Base by x402 or MPP, or send an API key. Every command is an event in a hash-chained log that anyone can verify.`;

const REGISTRATION = "/.well-known/agent-registration.json";
const CARD = "/.well-known/agent-card.json";
const SERVER = "/server.json";
const MCP_PATH = "/mcp";
/** The newest revision of the protocol; the server also accepts earlier ones. */
const MCP_VERSION = "2025-11-25";
const MCP_BINDING = "https://modelcontextprotocol.io";

export const serviceRecords = (catalogue: Catalogue, public_url: string): Document[] => [
  {
    path: CARD,
    type: "application/json",
    summary: "The service's own A2A card, signed",
    render: (app) => ({ body: JSON.stringify(signedCard(serviceCard(catalogue, public_url), app)) }),
  },
  {
    path: REGISTRATION,
    type: "application/json",
    summary: "The service's own registration file for ERC-8004",
    render: (app) => ({ body: JSON.stringify(serviceRegistration(public_url, app)) }),
  },
  {
    path: SERVER,
    type: "application/json",
    summary: "The MCP server, as the MCP registry lists it",
    render: () => ({ body: JSON.stringify(mcpServer(public_url), null, 2) }),
  },
];

/** The name and texts with which the MCP server introduces itself. */
export const mcpImplementation = (public_url: string) => ({
  name: "tallystick",
  title: SERVICE_NAME,
  version: INTERFACE_VERSION,
  description: SUMMARY,
  websiteUrl: public_url,
  icons: iconsOf(public_url),
});

const iconsOf = (public_url: string) => [
  { src: public_url + ICON_PATH, mimeType: "image/png" as const, sizes: ["512x512"] },
  { src: `${public_url}/log/icon.svg`, mimeType: "image/svg+xml" as const, sizes: ["any"] },
];

/**
 * The card before it is signed. Both interfaces are listed as custom bindings, because the service speaks none of
 * A2A's protocols.
 */
function serviceCard({ areas, operations }: Catalogue, public_url: string) {
  return {
    name: SERVICE_NAME,
    description: `${DESCRIPTION} Call it over MCP, or over HTTP by its OpenAPI document.`,
    version: INTERFACE_VERSION,
    documentationUrl: `${public_url}/docs`,
    iconUrl: public_url + ICON_PATH,
    provider: { organization: SERVICE_NAME, url: public_url },
    supportedInterfaces: [
      { url: public_url + MCP_PATH, protocolBinding: MCP_BINDING, protocolVersion: MCP_VERSION },
      {
        url: public_url,
        protocolBinding: `${public_url}/openapi.json`,
        protocolVersion: INTERFACE_VERSION,
      },
    ],
    capabilities: {
      extensions: [
        {
          uri: "urn:tallystick:service:1",
          description: "The service's price list, keys and registration",
          params: {
            did: didOf(public_url),
            prices: `${public_url}/.well-known/x402`,
            keys: `${public_url}/.well-known/jwks.json`,
            registration: public_url + REGISTRATION,
          },
        },
      ],
    },
    defaultInputModes: ["application/json"],
    defaultOutputModes: ["application/json"],
    skills: areas
      .map(({ name, about }) => ({ name, about, of: operations.filter(({ area }) => area === name) }))
      .map(({ name, about, of }) => ({
        id: name,
        name,
        description: about,
        tags: [name, "agents", "verifiable"],
        examples: of.slice(0, MOST_EXAMPLES).map(({ summary }) => summary),
      })),
  };
}

const MOST_EXAMPLES = 3;

/** An agentId too large for an exact number is text. */
const asNumber = (ref: string) => (Number.isSafeInteger(Number(ref)) ? Number(ref) : ref);

function serviceRegistration(public_url: string, { settings, chain }: Pick<App, "settings" | "chain">) {
  const { erc8004_agent } = settings;
  return {
    type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
    name: SERVICE_NAME,
    description: DESCRIPTION,
    image: public_url + ICON_PATH,
    services: [
      { name: "web", endpoint: public_url },
      { name: "A2A", endpoint: public_url + CARD, version: "1.0" },
      { name: "MCP", endpoint: public_url + MCP_PATH, version: MCP_VERSION },
      { name: "DID", endpoint: didOf(public_url), version: "v1" },
      { name: "OpenAPI", endpoint: `${public_url}/openapi.json`, version: INTERFACE_VERSION },
    ],
    x402Support: true,
    active: true,
    registrations:
      erc8004_agent === undefined
        ? []
        : [{ agentId: asNumber(erc8004_agent), agentRegistry: registryOf(networkOf(chain)) }],
    supportedTrust: ["reputation"],
  };
}

const mcpServer = (public_url: string) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: `${namespaceOf(public_url)}/tallystick`,
  title: SERVICE_NAME,
  description: SUMMARY,
  version: INTERFACE_VERSION,
  websiteUrl: public_url,
  icons: iconsOf(public_url),
  remotes: [
    {
      type: "streamable-http",
      url: public_url + MCP_PATH,
      headers: [
        {
          name: "Authorization",
          description: "Bearer <API key>. Without a key, pay per call by x402 or MPP in _meta",
          isRequired: false,
          isSecret: true,
        },
      ],
    },
  ],
});

/** The service's name in the MCP registry: the host read backwards, because a publisher proves its host by DNS. */
const namespaceOf = (public_url: string): string =>
  new URL(public_url).hostname.replaceAll(/[[\]]/g, "").replaceAll(":", "-").split(".").reverse().join(".");
