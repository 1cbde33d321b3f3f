import { createHash } from "node:crypto";
import { z } from "zod";
import { madeId, time } from "../../../core/model/fields.ts";
import { refuseField } from "../../../core/model/refusal.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { challengeDigest } from "../../../domain/identity/challenge.ts";
import { delegable, delegationText, LONGEST_DELEGATION_S } from "../../../domain/identity/delegation.ts";
import { agentRef, sxId } from "../../../domain/identity/fields.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { agentNamed, id } from "../../agents/agents.ts";
import { actWith, authorityOf, proofs } from "../../agents/authority.ts";
import { challengeField, provenBy, signatureField } from "../../agents/proofs.ts";
import { json, operation, type Usdc } from "../../declare/index.ts";
import { microUsdc } from "../../serve/x402/required.ts";
import { agentWatched } from "./keys.ts";

const delegationId = madeId.describe("The delegation_id from soul_delegate");

const delegate = operation({
  name: "soul_delegate",
  route: "POST /soul/{id}/delegations",
  effect: { changes: "adds", repeatable: true, reaches_out: false },
  summary: "Let another agent act for your agent",
  description: `A live key of the principal signs a challenge with the purpose \`delegate\` about the SHA-256, in hex, of the canonical JSON
{"agent_id","expires_in_s","max_spend_usdc","scopes","to"}. There the principal's agent_id is in lower case, \`to\` is SX#<number>, and max_spend_usdc may be absent. The delegate uses its own key.
It cannot delegate further, because it has no key of the principal. The delegation ends when its time is over, on revocation, or with the
principal's passport.`,
  access: [proofs],
  input: z.object({
    id,
    to: agentRef.describe("The delegate: its agent_id or passport number"),
    scopes: z
      .array(delegable)
      .min(1, "names at least one of read, order, node")
      .max(3, "names each of read, order, node at most once")
      .refine((list) => new Set(list).size === list.length, "names each scope once")
      .describe("Its scopes: one or more of read, order, node"),
    expires_in_s: z
      .int("is a whole number of seconds")
      .min(60, "is at least 60 seconds")
      .max(LONGEST_DELEGATION_S, `is at most ${LONGEST_DELEGATION_S} seconds, a year`)
      .describe("Seconds until it ends"),
    max_spend_usdc: z
      .string()
      .regex(/^\d{1,9}(\.\d{1,6})?$/, "is a decimal string of USDC with at most six places, such as 2.50")
      .optional()
      .describe("Its total spending limit on the principal's account, in USDC, such as 2.50; default: 0"),
    challenge: challengeField,
    signature: signatureField,
  }),
  output: json(
    z.object({
      delegation_id: madeId,
      from: z.string().describe("The delegating agent's SX#<number>"),
      to: z.string().describe("The delegate's SX#<number>"),
      scopes: z.array(delegable),
      max_spend_usdc: z.string(),
      expires_at: time,
    }),
  ),
  refuses: [403, 404, 409],
  example: {
    id: "SX#1",
    to: "SX#2",
    scopes: ["read"],
    expires_in_s: 86_400,
    challenge: '{"iss":"did:key:z6Mk…"}',
    signature: "eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJkaWQ6a2V5In0.c2ln",
  },
  handle: async (context) => {
    const { input, app, unit } = context;
    const { scopes, expires_in_s, max_spend_usdc } = input;
    const max_spend_micro = max_spend_usdc === undefined ? 0 : Number(microUsdc(max_spend_usdc as Usdc));
    if (max_spend_micro > 0 && !scopes.includes("order"))
      refuseField("max_spend_usdc", "is only for the scope order, which spends it");
    const principal = await agentWatched(context, input.id);
    const delegateAgent = agents.acting(await agentNamed(app, input.to));
    const { agent_id, sx_number } = principal.facts;
    const to = delegateAgent.facts.sx_number;
    const answer = ({ delegation_id, expires_at }: agents.Delegation) => ({
      delegation_id,
      from: sxId(sx_number),
      to: sxId(to),
      scopes,
      max_spend_usdc: decimalUsdc(max_spend_micro),
      expires_at,
    });
    const body = delegationText({ agent_id, to, scopes, expires_in_s, max_spend_usdc });
    const about = createHash("sha256").update(body).digest("hex");
    const before = principal.delegations.find(
      ({ challenge_sha256, ...one }) =>
        challenge_sha256 === challengeDigest(input.challenge) &&
        one.to === to &&
        one.max_spend_micro === max_spend_micro &&
        one.scopes.join() === scopes.join(),
    );
    if (before) return answer(before);
    const { key, challenge_sha256, act } = await provenBy(app, input, {
      agent_id,
      purpose: "delegate",
      about,
    });
    const now = app.clock.now();
    const facts: agents.Delegation = {
      delegation_id: unit.fresh_id,
      to,
      scopes,
      max_spend_micro,
      kid: key.kid,
      challenge_sha256,
      delegated_at: now.toISOString(),
      expires_at: new Date(now.getTime() + expires_in_s * 1_000).toISOString(),
      act: actWith(act, body),
    };
    const { events } = await unit.decide(agents, agents.targetOf(agent_id), agents.delegate(facts));
    const made = events.find(({ type }) => type === "AgentDelegated")?.data as agents.Delegation;
    return answer(made);
  },
});

const revoke = operation({
  name: "soul_delegation_revoke",
  route: "DELETE /soul/{id}/delegations/{delegation_id}",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "End a delegation",
  description:
    "Use the principal's API key, or a challenge with the purpose `revoke` about the delegation_id, signed by a live key of the principal. An ended " +
    "or revoked delegation returns its status.",
  access: [proofs],
  input: z.object({
    id,
    delegation_id: delegationId,
    challenge: challengeField.optional(),
    signature: signatureField.optional(),
  }),
  output: json(z.object({ delegation_id: madeId, live: z.literal(false) })),
  refuses: [403, 404, 409],
  example: { id: "SX#1", delegation_id: "0".repeat(32) },
  handle: async (context) => {
    const { input, app, unit } = context;
    const { delegation_id } = input;
    const agent = await agentWatched(context, input.id);
    const answer = { delegation_id, live: false };
    if (!agent.delegations.some((one) => one.delegation_id === delegation_id)) return answer;
    const use = { purpose: "revoke" as const, about: delegation_id };
    const authority = await authorityOf(context, agent, input, use);
    const facts = { delegation_id, ...authority, revoked_at: app.clock.now().toISOString() };
    await unit.decide(agents, agents.targetOf(agent.facts.agent_id), agents.revokeDelegation(facts));
    return answer;
  },
});

export const delegationOperations = [delegate, revoke];
