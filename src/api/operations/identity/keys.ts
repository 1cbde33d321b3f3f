import { z } from "zod";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { byKey } from "../../../domain/identity/act.ts";
import * as agents from "../../../domain/identity/agent.ts";
import * as agentKey from "../../../domain/identity/agent-key.ts";
import { challengeDigest } from "../../../domain/identity/challenge.ts";
import { identityProblems } from "../../../domain/identity/problems.ts";
import { agentNamed, id, keyShown, statusField } from "../../agents/agents.ts";
import { authorityOf, isOwnKey, proofs } from "../../agents/authority.ts";
import { challengeField, provenBy, signatureField, signed } from "../../agents/proofs.ts";
import { type Context, json, operation } from "../../declare/index.ts";
import { shownKey } from "./passports.ts";

const kid = z
  .string()
  .regex(/^(?:0x[0-9a-f]{40}|[A-Za-z0-9_-]{43})$/, "is the kid of a key, as soul_passport shows it")
  .describe("The key: its kid, as soul_passport shows it");

const answer = json(z.object({ sx_id: z.string(), status: statusField, keys: z.array(keyShown) }));

const shown = (agent: agents.Agent) => ({
  sx_id: `SX#${agent.facts.sx_number}`,
  status: agents.statusOf(agent),
  keys: agent.keys.map(shownKey),
});

/** An agent that a command reads. The commit fails if the agent changes before it. */
export async function agentWatched({ app, unit }: Pick<Context<never>, "app" | "unit">, name: string) {
  const { facts } = await agentNamed(app, name);
  return agents.registered(await unit.watch(agents, agents.targetOf(facts.agent_id)));
}

const add = operation({
  name: "soul_keys_add",
  route: "POST /soul/{id}/keys",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Prove another key of an agent, or replace one",
  description: `\`challenge\` has the purpose \`prove\`, and the new key signs it. Prove an agent's first key with its API key
(Authorization: Bearer sk_soul_…); without one, the first proof claims the agent. A live key endorses later keys: its
challenge is about the new kid, with the purpose \`prove\`, or \`rotate\` if the new key replaces it. A key that is already
live returns its status.`,
  access: [proofs],
  input: z.object({
    id,
    challenge: challengeField,
    signature: signatureField,
    endorsement: signed.describe("A live key's signed challenge about the new kid").optional(),
    rotate: z
      .boolean("is true or false")
      .default(false)
      .describe("true: the new key replaces the endorsing one"),
  }),
  output: answer,
  refuses: [403, 404, 409],
  example: {
    id: "SX#1",
    challenge: '{"iss":"did:key:z6Mk…"}',
    signature: "eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJkaWQ6a2V5In0.c2ln",
  },
  handle: async (context) => {
    const { input, app, caller, unit } = context;
    const agent = await agentWatched(context, input.id);
    const { agent_id, sx_number } = agent.facts;
    const live = agent.keys.find(
      ({ challenge_sha256 }) => challenge_sha256 === challengeDigest(input.challenge),
    );
    if (live) return shown(agent);
    const proof = await provenBy(app, input, { agent_id, purpose: "prove", about: null });
    const { key, method, challenge_sha256, act } = proof;
    const { endorsement, rotate } = input;
    if (rotate && !endorsement)
      refuseField("endorsement", "is required to rotate: the replaced key signs it");
    const purpose = rotate ? "rotate" : "prove";
    const endorsed =
      endorsement && (await provenBy(app, endorsement, { agent_id, purpose, about: key.kid }, "endorsement"));
    const at = app.clock.now().toISOString();
    const by_api_key = isOwnKey(caller, sx_number);
    const vouched = endorsed?.act ?? (by_api_key ? byKey : undefined);
    const facts = {
      kid: key.kid,
      kind: key.kind,
      public: key.public,
      method,
      challenge_sha256,
      endorsed_by: endorsed?.key.kid ?? null,
      proven_at: at,
      act,
      ...(vouched && { endorsement: vouched }),
    };
    const rotating =
      rotate && endorsed
        ? {
            kid: endorsed.key.kid,
            by: endorsed.key.kid,
            challenge_sha256: endorsed.challenge_sha256,
            revoked_at: at,
            act: endorsed.act,
          }
        : null;
    const target = agents.targetOf(agent_id);
    const { state } = await unit.decide(agents, target, agents.prove(facts, { by_api_key, rotating }));
    const bound = { kid: key.kid, sx_number, bound_at: at };
    await unit.decide(
      agentKey,
      agentKey.targetOf(key.kid),
      agentKey.bind(bound, endorsed?.issued_at ?? null),
    );
    if (rotating) await free(context, sx_number, rotating.kid, at);
    return shown(agents.registered(state));
  },
});

const free = ({ unit }: Pick<Context<never>, "unit">, sx_number: number, kid: string, freed_at: string) =>
  unit.decide(agentKey, agentKey.targetOf(kid), agentKey.free({ kid, sx_number, freed_at }));

const revoke = operation({
  name: "soul_keys_revoke",
  route: "DELETE /soul/{id}/keys/{kid}",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Revoke a key of an agent",
  description: `Use the agent's API key, or a challenge with the purpose \`revoke\` about the kid. Any live key of the agent may sign it, also the one to revoke. The last
live key needs the API key. For 180 days only this passport may prove the key again. A key that is not live returns its
status.`,
  access: [proofs],
  input: z.object({ id, kid, challenge: challengeField.optional(), signature: signatureField.optional() }),
  output: answer,
  refuses: [403, 404, 409],
  example: { id: "SX#1", kid: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed" },
  handle: async (context) => {
    const { input, app, unit } = context;
    const agent = await agentWatched(context, input.id);
    const { agent_id, sx_number } = agent.facts;
    if (!agent.keys.some((key) => key.kid === input.kid)) return shown(agent);
    const authority = await authorityOf(context, agent, input, { purpose: "revoke", about: input.kid });
    const revoked_at = app.clock.now().toISOString();
    const facts = { kid: input.kid, ...authority, revoked_at };
    const { state } = await unit.decide(agents, agents.targetOf(agent_id), agents.revokeKey(facts));
    await free(context, sx_number, input.kid, revoked_at);
    return shown(agents.registered(state));
  },
});

const revokePassport = operation({
  name: "soul_passport_revoke",
  route: "POST /soul/{id}/revoke",
  effect: { changes: "takes", repeatable: true, reaches_out: false },
  summary: "Revoke an agent's passport, for good",
  description: `Sign a challenge with the purpose \`revoke\` about \`passport\` with a live key of the agent. All its keys are revoked too; the agent
stays readable but cannot act. This is final. An API key alone is not enough: it may be stolen.`,
  access: [proofs],
  input: z.object({
    id,
    reason: z
      .string()
      .min(1, "is 1 to 200 characters")
      .max(200, "is 1 to 200 characters")
      .regex(/^[\x20-\x7e]+$/, "is ASCII; it is public, and stays in the log")
      .describe("The reason, public for good: no personal data"),
    challenge: challengeField,
    signature: signatureField,
  }),
  output: answer,
  refuses: [403, 404, 409],
  example: {
    id: "SX#1",
    reason: "the agent was shut down",
    challenge: '{"iss":"did:key:z6Mk…"}',
    signature: "eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJkaWQ6a2V5In0.c2ln",
  },
  handle: async (context) => {
    const { input, app, unit } = context;
    const agent = await agentWatched(context, input.id);
    if (agent.revoked) return shown(agent);
    const { agent_id, sx_number } = agent.facts;
    const authority = await authorityOf(context, agent, input, { purpose: "revoke", about: "passport" });
    if (authority.by === null)
      return refuse(
        identityProblems["not-yours"],
        "this needs a challenge that a live key of the agent has signed; an API key is not enough",
      );
    const revoked_at = app.clock.now().toISOString();
    const { reason } = input;
    const target = agents.targetOf(agent_id);
    const { state } = await unit.decide(
      agents,
      target,
      agents.revokePassport({ ...authority, reason, revoked_at }),
    );
    for (const key of agent.keys) await free(context, sx_number, key.kid, revoked_at);
    return shown(agents.registered(state));
  },
});

export const keyOperations = [add, revoke, revokePassport];
