import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { sha256, time } from "../../../core/model/fields.ts";
import { Refusal, refuseField } from "../../../core/model/refusal.ts";
import { typedEvent } from "../../../core/read-models/typed-events.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { about } from "../../../domain/identity/challenge.ts";
import { agentRef, isSandboxId, lowerId } from "../../../domain/identity/fields.ts";
import { linkName } from "../../../domain/identity/links.ts";
import { didOf } from "../../../domain/identity/public-key.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import {
  agentNamed,
  keyShown,
  linkShown,
  namesOf,
  passportOf,
  passportShown,
  shownLink,
  statusField,
} from "../../agents/agents.ts";
import { challengeField, type Proof, provenBy, signatureField } from "../../agents/proofs.ts";
import { json, open, operation } from "../../declare/index.ts";
import { composed } from "../../serve/composed.ts";
import { trust } from "../trust/scores.ts";
import { dna } from "./behaviour.ts";

const sx_id = agentRef.describe("The passport: SX#42, 42, or its agent_id");

const delegationShown = z.object({
  delegation_id: z.string(),
  to: z.string().describe("The delegate's SX#"),
  scopes: z.array(z.string()),
  max_spend_usdc: z.string().describe("Its total spending limit on the agent's account, in USDC"),
  expires_at: time,
});

const saying = z.object({
  event_id: z.string(),
  type: z.string(),
  about: z.string().nullable().describe("A kid, a delegation_id or a link; null: the agent itself"),
});

const passport = operation({
  name: "soul_passport",
  route: "GET /soul/passport/{sx_id}",
  summary: "A passport: its agent, and the agent's proven keys",
  description:
    "The record as issued, the live keys, and the agent's delegations. Only a signature by one of the keys identifies the agent; " +
    "public values prove nothing. An erased name is null, and `erased` is true.",
  access: [open()],
  input: z.object({
    sx_id,
    explain: z
      .enum(["true", "false"], "is true or false")
      .default("false")
      .describe("true: include the events behind it"),
  }),
  output: json(
    z.object({
      passport: passportShown.extend({
        agent_id: z.string(),
        sx_number: z.int(),
        issued_at: time,
        origin: z.string().describe("The issuing log, which the hash covers"),
      }),
      display_name: z.string().nullable(),
      erased: z.boolean(),
      synthetic: z.boolean().describe("true: invented, from the sandbox"),
      status: statusField,
      reason: z.string().nullable().describe("Why it is suspended or revoked"),
      keys: z.array(keyShown),
      delegations: z.array(delegationShown),
      links: z.array(linkShown).describe("Its names in other registries"),
      events: z
        .array(saying)
        .nullable()
        .describe("Newest events of the agent's stream; null without `explain`"),
    }),
  ),
  refuses: [404],
  example: { sx_id: "SX#1" },
  handle: async ({ input, app, subjects }) => {
    const agent = await agentNamed(app, input.sx_id);
    const [display_name = null] = await namesOf(subjects, [agent]);
    const { origin } = await app.store.identity();
    const { agent_id, sx_number, registered_at } = agent.facts;
    const now = app.clock.now().toISOString();
    return {
      passport: { ...passportOf(agent), agent_id, sx_number, issued_at: registered_at, origin },
      display_name,
      erased: display_name === null,
      synthetic: isSandboxId(agent_id),
      status: agents.statusOf(agent),
      reason: agent.revoked?.reason ?? agent.suspended?.reason ?? null,
      keys: agent.keys.map(shownKey),
      links: (agent.links ?? []).map(shownLink),
      delegations: agent.delegations
        .filter(({ expires_at }) => expires_at > now)
        .map(({ delegation_id, to, scopes, max_spend_micro, expires_at }) => ({
          delegation_id,
          to: `SX#${to}`,
          scopes,
          max_spend_usdc: decimalUsdc(max_spend_micro),
          expires_at,
        })),
      events: input.explain === "true" ? await eventsOf(app, agent_id) : null,
    };
  },
});

/** A limit above the number of keys, delegations and links that an agent can have. */
const MOST_EVENTS = 500;

/** The key, delegation or link that an event concerns; null if it concerns the agent itself. */
function aboutOf({ type, data }: agents.AgentEvent): string | null {
  switch (type) {
    case "AgentKeyProven":
    case "AgentKeyRevoked":
      return data.kid;
    case "AgentDelegated":
    case "AgentDelegationRevoked":
      return data.delegation_id;
    case "AgentLinked":
    case "AgentUnlinked":
      return linkName(data);
    default:
      return null;
  }
}

async function eventsOf(app: App, agent_id: string): Promise<z.infer<typeof saying>[]> {
  const { tenant, id } = agents.targetOf(agent_id);
  const stream = { tenant, stream_id: agents.streamOf(id) };
  const { version = 0 } = (await app.store.streamHead(stream)) ?? {};
  const stored = await app.store.readStream({ ...stream, after_version: Math.max(0, version - MOST_EVENTS) });
  return stored.map((event) => ({
    event_id: event.event_id,
    type: event.type,
    about: aboutOf(typedEvent<agents.AgentEvent>(app.unit.schemas, event)),
  }));
}

export const shownKey = (key: agents.ProvenKey): z.infer<typeof keyShown> => {
  const { kid, kind, method, proven_at } = key;
  return { kid, kind, public: key.public, did: didOf(key), method, proven_at };
};

const verify = operation({
  name: "soul_passport_verify",
  route: "POST /soul/passport/{sx_id}/verify",
  effect: { changes: "nothing", repeatable: true, reaches_out: false },
  summary: "Verify a passport: its record, a claim about it, and its holder",
  description: `\`verified\`: the stored record hashes to the passport's hash. \`claim\`: whether the agent_id and passport_hash you send are this
passport's; both are public, so a match identifies nobody. \`control\`: whether a live key of the agent signed your challenge of
purpose verify; this identifies the agent. Such a challenge permits nothing else; one of another purpose is refused here.`,
  access: [open()],
  input: z.object({
    sx_id,
    agent_id: z.string().max(128, "is at most 128 characters").describe("The id you were given").optional(),
    passport_hash: sha256.describe("The hash you were given").optional(),
    challenge: challengeField
      .describe(
        "A challenge from soul_challenge with the purpose `verify`, signed by the agent; send `signature` too",
      )
      .optional(),
    signature: signatureField.optional(),
    about: about
      .describe("Your own word in the challenge; it shows that the signature was made for you")
      .optional(),
  }),
  output: json(
    z.object({
      verified: z.boolean().describe("The stored record hashes to the passport's hash"),
      claim: z.enum(["match", "mismatch", "none"]),
      control: z.enum(["proven", "refused", "not_asked"]),
      refused: z.string().nullable().describe("Why control is refused"),
      key: z.string().nullable().describe("The signing kid"),
      status: statusField,
      passport: passportShown,
    }),
  ),
  refuses: [404],
  example: { sx_id: "SX#1", agent_id: "weather-scout" },
  handle: async ({ input, app }) => {
    const { agent_id, passport_hash, challenge, signature, about = null } = input;
    const agent = await agentNamed(app, input.sx_id);
    const { facts } = agent;
    const { origin } = await app.store.identity();
    const record = {
      agent_id: facts.agent_id,
      issued_at: facts.registered_at,
      origin,
      sx_number: facts.sx_number,
    };
    const claims = [
      agent_id === undefined ? undefined : lowerId(agent_id) === lowerId(facts.agent_id),
      passport_hash === undefined ? undefined : passport_hash === facts.passport_hash,
    ].filter((one) => one !== undefined);
    if ((challenge === undefined) !== (signature === undefined)) {
      const path = challenge === undefined ? "challenge" : "signature";
      refuseField(path, "is required: challenge and signature go together");
    }
    const use = { agent_id: facts.agent_id, purpose: "verify" as const, about };
    const shown =
      challenge === undefined || signature === undefined
        ? undefined
        : await provenBy(app, { challenge, signature }, use).catch(refusedReason);
    const refused =
      shown === undefined || typeof shown === "string"
        ? (shown ?? null)
        : agent.keys.some(({ kid }) => kid === shown.key.kid)
          ? null
          : `${shown.key.kid} is not a live key of this agent`;
    const isProven = typeof shown === "object" && refused === null;
    return {
      verified: agents.passportHash(record) === facts.passport_hash,
      claim: claims.length === 0 ? "none" : claims.every((fits) => fits) ? "match" : "mismatch",
      control: shown === undefined ? "not_asked" : isProven ? "proven" : "refused",
      refused,
      key: isProven ? shown.key.kid : null,
      status: agents.statusOf(agent),
      passport: passportOf(agent),
    };
  },
});

/** A refused proof becomes a part of the answer; other errors are thrown. */
function refusedReason(error: unknown): string | Proof {
  if (error instanceof Refusal && error.type.slug === "proof-refused") return error.message;
  throw error;
}

const whole = composed<{ id: string }>({
  passport: { of: passport, ask: ({ id }) => ({ sx_id: id, explain: "false" as const }) },
  trust: { of: trust, ask: ({ id }) => ({ id }) },
  dna: { of: dna, ask: ({ id }) => ({ id }) },
});

const profile = operation({
  name: "soul_profile",
  route: "GET /soul/{id}/profile",
  summary: "An agent at a glance: its passport, trust and behaviour",
  description: "Combines soul_passport, soul_trust and soul_dna.",
  access: [open()],
  input: z.object({ id: agentRef }),
  output: json(whole.schema),
  refuses: [404],
  example: { id: "SX#1" },
  handle: whole.handle,
});

export const passportOperations = [passport, verify, profile];
