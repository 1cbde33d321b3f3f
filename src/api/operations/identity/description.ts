import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalText } from "../../../../eventstore/canonical.ts";
import type { JsonObject } from "../../../../eventstore/types.ts";
import { time } from "../../../core/model/fields.ts";
import type { Subjects } from "../../../core/model/ports/subjects.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { type Personal, sealLocation } from "../../../core/model/sealed.ts";
import * as agents from "../../../domain/identity/agent.ts";
import {
  agentCard,
  interfacesOf,
  type PassportView,
  registrationFile,
} from "../../../domain/identity/card.ts";
import { challengeDigest } from "../../../domain/identity/challenge.ts";
import {
  agentRef,
  nameSubject,
  type Provider,
  provider,
  purpose,
  type Service,
  service,
  sxId,
} from "../../../domain/identity/fields.ts";
import { agentNamed, id, namesOf } from "../../agents/agents.ts";
import { actWith, authorityOf, proofs } from "../../agents/authority.ts";
import { challengeField, signatureField } from "../../agents/proofs.ts";
import { json, open, operation } from "../../declare/index.ts";
import { signedCard } from "../../describe/signed-card.ts";
import { agentWatched } from "./keys.ts";

const MOST_SERVICES = 10;

const aboutPlace = (agent_id: string) => sealLocation(agents, agents.targetOf(agent_id), "AgentDescribed");

type Opener = Pick<Subjects, "open">;

/** An agent with its sealed name and description decrypted. */
export async function shownAgent(subjects: Opener, agent: agents.Agent): Promise<PassportView> {
  const [name = null] = await namesOf(subjects, [agent]);
  const sealed = agent.description?.about;
  if (!sealed) return { agent, name, purpose: null, provider: null };
  const [opened] = await subjects.open([{ sealed, place: aboutPlace(agent.facts.agent_id) }]);
  const about: About = opened!.erased ? {} : opened!.value;
  return { agent, name, purpose: about.purpose ?? null, provider: about.provider ?? null };
}

/** The sealed part of a description. */
type About = { purpose?: string; provider?: Provider };

type AboutInput = { purpose?: string | null | undefined; provider?: Provider | null | undefined };

const aboutOf = ({ purpose, provider }: AboutInput): About => ({
  ...(purpose != null && { purpose }),
  ...(provider && { provider }),
});

type DescriptionInput = About & { version?: string | null | undefined; services: Service[] };

/** The canonical text of a description, without missing members. */
const textOf = ({ version, services, ...about }: DescriptionInput): string =>
  canonicalText({ ...about, ...(version != null && { version }), services } as JsonObject, "description");

/** The description recorded earlier for the same challenge and content, so that a repeat gets the same answer. */
async function earlierDescription(
  subjects: Opener,
  agent: agents.Agent,
  content: DescriptionInput,
  challenge: string | undefined,
) {
  const { description } = agent;
  if (!description || challenge === undefined) return undefined;
  if (description.challenge_sha256 !== challengeDigest(challenge)) return undefined;
  const { purpose, provider } = await shownAgent(subjects, agent);
  const { version, services, described_at } = description;
  if (textOf({ ...aboutOf({ purpose, provider }), version, services }) !== textOf(content)) return undefined;
  return { purpose, provider, version, services, described_at };
}

const described = z.object({
  purpose: z.string().nullable(),
  provider: provider.nullable(),
  version: z.string().nullable(),
  services: z.array(service),
  described_at: time,
});

const describe = operation({
  name: "soul_describe",
  route: "POST /soul/{id}/description",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Describe an agent's purpose and addresses",
  description: `Replaces the earlier description. Use the agent's API key, or a live key's signature of a challenge with the purpose \`describe\`.
The challenge is about the SHA-256, in hex, of the canonical JSON (RFC 8785) of your \`provider\`, \`purpose\`, \`services\` and \`version\`.
The services' addresses are public and stay in the log; purpose and provider are sealed, and are erased with the name.`,
  access: [proofs],
  secrets: ["purpose", "provider"],
  input: z.object({
    id,
    purpose: purpose.describe("Its purpose, in at most 300 characters, sealed").optional(),
    provider: provider
      .describe("The responsible organization: { organization, url }, sealed; the A2A card shows it")
      .optional(),
    version: z
      .string()
      .regex(/^[0-9A-Za-z.+-]{1,20}$/, "is 1 to 20 letters, digits and . + -")
      .describe("The agent's version, such as 1.4.0")
      .optional(),
    services: z
      .array(service)
      .max(MOST_SERVICES, `are at most ${MOST_SERVICES}`)
      .default([])
      .describe("Its addresses: { name, endpoint, version, binding }"),
    challenge: challengeField.optional(),
    signature: signatureField.optional(),
  }),
  output: json(described.extend({ sx_id: z.string() })),
  refuses: [403, 404, 409],
  example: {
    id: "weather-scout",
    purpose: "Watches the weather over the Baltic",
    services: [{ name: "A2A", endpoint: "https://scout.example.org/a2a", version: "1.0" }],
  },
  handle: async (context) => {
    const { input, app, unit } = context;
    const { challenge, signature, purpose, provider, version, services } = input;
    const about = aboutOf({ purpose, provider });
    const content = { ...about, version, services };
    const agent = await agentWatched(context, input.id);
    const { agent_id, sx_number } = agent.facts;
    const before = await earlierDescription(context.subjects, agent, content, challenge);
    if (before) return { sx_id: sxId(sx_number), ...before };
    const digest = createHash("sha256").update(textOf(content)).digest("hex");
    const { act, ...authority } = await authorityOf(
      context,
      agent,
      { challenge, signature },
      { purpose: "describe", about: digest },
    );
    const seal = (value: Personal) =>
      unit.personal({ subject: nameSubject(agent_id), place: aboutPlace(agent_id), value });
    const isPersonal = Object.keys(about).length > 0;
    const sealed = isPersonal ? seal(about) : null;
    const described_at = app.clock.now().toISOString();
    const facts = {
      ...{ about: sealed, version: version ?? null, services, ...authority, described_at },
      act: actWith(act, textOf(content), isPersonal ? seal : undefined),
    };
    const { state } = await unit.decide(agents, agents.targetOf(agent_id), agents.describe(facts));
    const description = agents.registered(state).description ?? facts;
    return {
      sx_id: sxId(sx_number),
      purpose: purpose ?? null,
      provider: provider ?? null,
      version: facts.version,
      services,
      described_at: description.described_at,
    };
  },
});

const sx_id = agentRef.describe("The passport: SX#42, 42, or its agent_id");

const PATH = "/soul/passport/{sx_id}";

const card = operation({
  name: "soul_agent_card",
  route: `GET ${PATH}/agent-card.json`,
  summary: "An agent's card for A2A, signed",
  description: `An AgentCard of A2A 1.0 from soul_describe: its interfaces are the services named A2A. An agent without one, or suspended or revoked, has no card. The
service's key signs it (signatures[]: a JWS over the canonical JSON of the rest, by the key of jwks.json); an extension names the passport.`,
  access: [open()],
  input: z.object({ sx_id }),
  output: json(
    z.object({
      name: z.string(),
      description: z.string(),
      version: z.string(),
      documentationUrl: z.string(),
      provider: provider.optional(),
      supportedInterfaces: z.array(
        z.object({ url: z.string(), protocolBinding: z.string(), protocolVersion: z.string() }),
      ),
      capabilities: z
        .object({
          extensions: z.array(
            z.object({ uri: z.string(), description: z.string(), params: z.record(z.string(), z.unknown()) }),
          ),
        })
        .describe("Supported options of A2A"),
      defaultInputModes: z.array(z.string()),
      defaultOutputModes: z.array(z.string()),
      skills: z.array(
        z.object({ id: z.string(), name: z.string(), description: z.string(), tags: z.array(z.string()) }),
      ),
      signatures: z.array(z.object({ protected: z.string(), signature: z.string() })),
    }),
  ),
  caching: () => "public, max-age=300",
  refuses: [404, 409],
  example: { sx_id: "SX#1" },
  handle: async ({ input, app, subjects }) => {
    // A suspended agent gets no card: a card cannot show a suspension, and the service's signature would vouch for the
    // agent.
    const agent = agents.acting(await agentNamed(app, input.sx_id));
    if (interfacesOf(agent).length === 0)
      return refuse(
        "not_found",
        `${sxId(agent.facts.sx_number)} has no card: its owner has described no A2A interface; use soul_describe`,
      );
    const { public_url } = app.settings;
    return signedCard(agentCard(await shownAgent(subjects, agent), { public_url }), app);
  },
});

const registration = operation({
  name: "soul_registration_file",
  route: `GET ${PATH}/registration.json`,
  summary: "An agent's registration file for ERC-8004",
  description: `The file for an agentURI of the registry (registration-v1): name, purpose, services, the agent's keys as DIDs, and its linked
registrations. \`active\` is false while the agent is suspended or its passport is revoked.`,
  access: [open()],
  input: z.object({ sx_id }),
  output: json(
    z.object({
      type: z.literal("https://eips.ethereum.org/EIPS/eip-8004#registration-v1").describe("Type of the file"),
      name: z.string(),
      description: z.string(),
      services: z.array(z.object({ name: z.string(), endpoint: z.string(), version: z.string().optional() })),
      active: z.boolean(),
      registrations: z.array(
        z.object({
          agentId: z.union([z.int(), z.string()]).describe("A string if a number would lose digits"),
          agentRegistry: z.string().describe("<CAIP-2 chain>:<address>"),
        }),
      ),
    }),
  ),
  caching: () => "public, max-age=300",
  refuses: [404],
  example: { sx_id: "SX#1" },
  handle: async ({ input, app, subjects }) => {
    const agent = await agentNamed(app, input.sx_id);
    return registrationFile(await shownAgent(subjects, agent), { public_url: app.settings.public_url });
  },
});

export const descriptionOperations = [describe, card, registration];
