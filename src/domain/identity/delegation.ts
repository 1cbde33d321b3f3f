/** A principal signs a delegation, which limits what the delegate may do. */
import type { Hex } from "../../core/model/chain.ts";
import { lowerCase } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { type Scope, scope } from "../access/key.ts";
import { type AgentState, acting, type Delegation } from "./agent.ts";
import { lowerId, sxId } from "./fields.ts";
import { identityProblems } from "./problems.ts";

/** A year. */
export const LONGEST_DELEGATION_S = 31_536_000;

/** The scopes of an agent's own key. */
export const delegable = scope.extract(["read", "order", "node"]);

/**
 * JCS { agent_id, expires_in_s, max_spend_usdc, scopes, to }, without max_spend_usdc if none is given; the challenge
 * with the purpose `delegate` is about its SHA-256. The members are ASCII and sorted, so this is their canonical form.
 */
export function delegationText(of: {
  agent_id: string;
  to: number;
  scopes: readonly Scope[];
  expires_in_s: number;
  max_spend_usdc: string | undefined;
}): string {
  const { expires_in_s, max_spend_usdc, scopes } = of;
  const agent_id = lowerId(of.agent_id);
  return JSON.stringify({ agent_id, expires_in_s, max_spend_usdc, scopes, to: sxId(of.to) });
}

/**
 * The live delegation between two agents with this scope, of several the one with the highest spending. Refuses if
 * there is none, or one of the two may not act.
 */
export function delegationBetween(
  principalState: AgentState,
  delegateState: AgentState,
  { scope, at }: { scope: Scope; at: string },
): Delegation {
  const principal = acting(principalState);
  const delegate = acting(delegateState);
  const [from, to] = [principal.facts.sx_number, delegate.facts.sx_number];
  if (from === to)
    refuse("invalid", "invalid On-Behalf-Of", {
      errors: [{ path: "On-Behalf-Of", message: `names another agent: you are ${sxId(to)} yourself` }],
    });
  const live = principal.delegations.filter((one) => one.to === to && one.expires_at > at);
  const [found] = live
    .filter(({ scopes }) => scopes.includes(scope))
    .toSorted((a, b) => b.max_spend_micro - a.max_spend_micro);
  if (found) return found;
  return refuse(
    identityProblems["not-delegated"],
    live.length === 0
      ? `${sxId(from)} has no live delegation to ${sxId(to)}; soul_delegate makes one, signed by a key of ${sxId(from)}`
      : `${sxId(from)} lets ${sxId(to)} act with the scopes ${live.flatMap(({ scopes }) => scopes).join(", ")}, but this needs ${scope}`,
  );
}

/** The principal's wallet that a delegate uses: the given one, or the only one. */
export function walletActedAs(principalState: AgentState, wallet: Hex | undefined): Hex {
  const { keys, facts } = acting(principalState);
  const sx_id = sxId(facts.sx_number);
  const wallets = keys.flatMap(({ kind, public: address }) => (kind === "evm" ? lowerCase(address) : []));
  const [only, ...others] = wallet === undefined ? wallets : wallets.filter((one) => one === wallet);
  if (only === undefined)
    return refuse(
      identityProblems["not-delegated"],
      `${wallet ?? "no wallet"} is a live key of ${sx_id}, but this needs a wallet`,
    );
  if (others.length > 0)
    refuse("invalid", "invalid On-Behalf-Of", {
      errors: [
        {
          path: "On-Behalf-Of",
          message: `names one of the wallets of ${sx_id}, such as ${sx_id}; wallet=${only}`,
        },
      ],
    });
  return only;
}
