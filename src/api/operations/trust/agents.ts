import type { App } from "../../../core/app.ts";
import type { Target } from "../../../core/commands/unit.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { Agent } from "../../../domain/identity/agent.ts";
import * as agents from "../../../domain/identity/agent.ts";
import * as agentKeys from "../../../domain/identity/agent-key.ts";
import { refOf } from "../../../domain/identity/fields.ts";
import { sxOfTenant } from "../../../domain/identity/soul-tenant.ts";
import type { Side } from "../../../domain/trust/attestation.ts";
import { trustProblems } from "../../../domain/trust/problems.ts";
import { idOfNumber } from "../../agents/agents.ts";
import type { Caller } from "../../declare/caller.ts";

/** Finds an agent's stream by its id, its number, or the address of a live key. */
export async function findTarget(app: App, text: string): Promise<Target> {
  const ref = refOf(text);
  if (ref.by === "number") return targetOfNumber(app, ref.sx_number);
  const bound = /^0x[0-9a-f]{40}$/.test(ref.id) ? await holderOf(app, ref.id) : undefined;
  return bound === undefined ? agents.targetOf(ref.id) : targetOfNumber(app, bound);
}

/** The current state of an agent; refuses an unknown name. */
export async function findAgent(app: App, text: string): Promise<Agent> {
  return agents.registered(await app.load(agents, await findTarget(app, text)));
}

const holderOf = async (app: App, wallet: string) =>
  agentKeys.boundTo(await app.load(agentKeys, agentKeys.targetOf(wallet)));

export async function targetOfNumber(app: App, sx_number: number): Promise<Target> {
  const id = await idOfNumber(app, sx_number);
  return agents.targetOf(id ?? refuse("not_found", `no passport SX#${sx_number} was issued`));
}

/** The payer's wallet, which is a part of a payment's id. */
export const payerOf = (payment_id: string) => payment_id.split(":")[3]!;

export type Speaker = { target: Target; payer: string | undefined };

/** The agent that speaks: the owner of the sent key, or of the live key that is the paying or signing wallet. */
export async function speakerOf(app: App, caller: Caller, payment_id: string | undefined): Promise<Speaker> {
  const payer =
    payment_id !== undefined ? payerOf(payment_id) : caller.kind === "payer" ? caller.wallet : undefined;
  const own = caller.kind === "subject" ? sxOfTenant(caller.tenant) : undefined;
  const number = own ?? (payer === undefined ? undefined : await holderOf(app, payer));
  if (number === undefined)
    return refuse(
      trustProblems["no-passport"],
      "attestations are made by agents: register one with POST /soul/register and prove this wallet as its key",
    );
  return { target: await targetOfNumber(app, number), payer };
}

/** The facts about one party of an attestation at the time `now`. */
export const sideOf = ({ facts, keys, delegations }: Agent, now: string): Side => ({
  sx_number: facts.sx_number,
  wallets: keys.flatMap((key) => (key.kind === "evm" ? key.public : [])),
  delegates: delegations.flatMap(({ to, expires_at }) => (expires_at > now ? to : [])),
});
