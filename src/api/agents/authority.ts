import type { App } from "../../core/app.ts";
import { refuse, refuseField } from "../../core/model/refusal.ts";
import type { Personal, Sealed } from "../../core/model/sealed.ts";
import { type Act, byKey, isSealed } from "../../domain/identity/act.ts";
import type { Agent } from "../../domain/identity/agent.ts";
import * as agents from "../../domain/identity/agent.ts";
import * as agentKey from "../../domain/identity/agent-key.ts";
import type { ChallengeUse } from "../../domain/identity/challenge.ts";
import { delegationBetween, walletActedAs } from "../../domain/identity/delegation.ts";
import { sxId } from "../../domain/identity/fields.ts";
import { identityProblems } from "../../domain/identity/problems.ts";
import { soulTenant } from "../../domain/identity/soul-tenant.ts";
import { walletTenant } from "../../domain/payments/payment.ts";
import type { AccessParts } from "../declare/access/way.ts";
import type { Caller } from "../declare/caller.ts";
import { type Context, open } from "../declare/index.ts";
import { agentNamed, agentOf, idOfNumber } from "./agents.ts";
import { provenBy } from "./proofs.ts";

/** Counted by address, because checking a contract wallet's signature costs a query to the chain. */
export const proofs = open({ calls: 120, per: "hour", shared: "soul-proofs" });

/** The members of an event that record who requested it. */
export type Authority = { by: string | null; challenge_sha256: string | null; act: Act };

type ProofInput = { challenge?: string | undefined; signature?: string | undefined };

export async function authorityOf(
  { app, caller }: { app: App; caller: Caller },
  agent: Agent,
  { challenge, signature }: ProofInput,
  request: Omit<ChallengeUse, "agent_id">,
): Promise<Authority> {
  const { agent_id, sx_number } = agent.facts;
  if (challenge !== undefined || signature !== undefined) {
    if (challenge === undefined || signature === undefined) {
      const path = challenge === undefined ? "challenge" : "signature";
      refuseField(path, "is required: challenge and signature go together");
    }
    const proof = await provenBy(app, { challenge, signature }, { agent_id, ...request });
    return { by: proof.key.kid, challenge_sha256: proof.challenge_sha256, act: proof.act };
  }
  if (isOwnKey(caller, sx_number)) return { by: null, challenge_sha256: null, act: byKey };
  return refuse(
    identityProblems["not-yours"],
    `this needs the agent's API key, or a challenge with the purpose ${request.purpose} that one of its live keys has signed`,
  );
}

/**
 * The record of how the agent requested the call: by a challenge that one of its live keys signed, or by the call's
 * credential.
 */
export async function actOfCaller(
  { app, caller, request }: Pick<Context<never>, "app" | "caller" | "request">,
  { challenge, signature }: ProofInput,
  use: Omit<ChallengeUse, "agent_id">,
): Promise<Act> {
  if (challenge === undefined && signature === undefined) return request.act;
  if (caller.kind === "delegate")
    return refuseField("challenge", "is for an agent's own call; a delegate signs by SIGN-IN-WITH-X");
  const agent = await agentOf(app, caller);
  const { by, act } = await authorityOf({ app, caller }, agent, { challenge, signature }, use);
  agents.refuseStranger(agent, by);
  return act;
}

/**
 * Adds to an act the JSON whose SHA-256 is part of the signed text. The JSON is sealed, because the text would
 * confirm a guess at a person's words.
 */
export function actWith(act: Act, body: string, seal?: (value: Personal) => Sealed): Act {
  if (act.by !== "signature" || isSealed(act.signed)) return act;
  const signed = { ...act.signed, body };
  return { ...act, signed: seal ? seal(signed) : signed };
}

export const isOwnKey = (caller: Caller, sx_number: number) =>
  caller.kind === "subject" && caller.tenant === soulTenant(sx_number);

/** Checks the delegation now, and again in the command, whose commit depends on it. */
export const delegateAdmission =
  (app: App): NonNullable<AccessParts["admitDelegate"]> =>
  async ({ by, principal: sx_number, wallet: named, scope, owns }) => {
    const delegate = await agentOf(app, by);
    const id = await idOfNumber(app, sx_number);
    if (id === undefined)
      return refuse(identityProblems["not-delegated"], `there is no passport ${sxId(sx_number)}`);
    const principalTarget = agents.targetOf(id);
    const delegateTarget = agents.targetOf(delegate.facts.agent_id);
    const between = (principal: agents.AgentState, acting: agents.AgentState) =>
      delegationBetween(principal, acting, { scope, at: app.clock.now().toISOString() });
    const principal = await app.load(agents, principalTarget);
    const { delegation_id, max_spend_micro } = between(principal, delegate);
    const wallet = owns === "wallet" ? walletActedAs(principal, named) : undefined;
    const names = { principal: sxId(sx_number), delegate: sxId(delegate.facts.sx_number) };
    const mandate = { ...names, delegation_id, max_spend_micro };
    const tenant = wallet === undefined ? soulTenant(sx_number) : walletTenant(wallet);
    return {
      caller: { kind: "delegate", tenant, subject: String(sx_number), wallet, by, mandate },
      confirm: async (watch) => {
        const now = await watch(agents, principalTarget);
        const standing = between(now, await watch(agents, delegateTarget));
        // Each delegation counts its own spending, so a call that was admitted under a replaced delegation must be
        // repeated.
        if (standing.delegation_id !== delegation_id)
          refuse(identityProblems["not-delegated"], "the delegation was replaced meanwhile; repeat the call");
        if (wallet !== undefined) walletActedAs(now, wallet);
      },
    };
  };

/**
 * Finds the agent of a request's signature. Live Ed25519 keys of a passport sign requests; live EVM keys sign texts.
 */
export const signerOf =
  (app: App): NonNullable<AccessParts["findSigner"]> =>
  async (kid) => {
    const sx_number = agentKey.boundTo(await app.load(agentKey, agentKey.targetOf(kid)));
    if (sx_number === undefined) return undefined;
    const { keys } = await agentNamed(app, String(sx_number));
    const key = keys.find((one) => one.kid === kid && one.kind === "ed25519");
    return key && { sx_number, public: key.public };
  };
