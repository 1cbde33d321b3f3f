/** Who acts for whom: the delegation is asked for at admission, and again in the command, whose commit rests on it. */
import type { App } from "../../../app.ts";
import * as agents from "../../../domain/identity/agent.ts";
import { delegationBetween, walletActedAs } from "../../../domain/identity/delegation.ts";
import { sxId } from "../../../domain/identity/fields.ts";
import { identityProblems } from "../../../domain/identity/problems.ts";
import { walletTenant } from "../../../domain/payments/payment.ts";
import { refuse } from "../../../domain/refusal.ts";
import type { AccessParts } from "../../access/way.ts";
import { agentOf, idOfNumber, soulTenant } from "./agents.ts";

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
    const { delegation_id } = between(principal, delegate);
    const wallet = owns === "wallet" ? walletActedAs(principal, named) : undefined;
    const mandate = { principal: sxId(sx_number), delegate: sxId(delegate.facts.sx_number), delegation_id };
    const tenant = wallet === undefined ? soulTenant(sx_number) : walletTenant(wallet);
    return {
      caller: { kind: "delegate", tenant, subject: String(sx_number), wallet, by, mandate },
      confirm: async (watch) => {
        const now = await watch(agents, principalTarget);
        between(now, await watch(agents, delegateTarget));
        if (wallet !== undefined) walletActedAs(now, wallet);
      },
    };
  };
