import type { Hex } from "../../../core/model/chain.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { admitWallet } from "./owner.ts";
import { type Admission, type Attempt, type DelegateRequest, delegatedOf, type Parts } from "./way.ts";

/** The header may leave out the wallet, unless the principal has several. */
const FORM = /^SX#([1-9]\d{0,6})(?:; ?wallet=(0x[0-9a-f]{40}))?$/i;

/** Admits a delegate by its header On-Behalf-Of. If that is refused, the call never runs in the delegate's own name. */
export async function admitOnBehalf(
  attempt: Attempt,
  parts: Parts,
  on_behalf_of: string,
): Promise<Admission> {
  const { operation, presented } = attempt;
  const [, principal, wallet] = FORM.exec(on_behalf_of) ?? refuseHeader("is SX#42, or SX#42; wallet=0x…");
  const delegated = delegatedOf(operation);
  if (!delegated || !parts.admitDelegate)
    return refuseHeader(`is not allowed: ${operation.name} acts only for its caller`);
  if (presented.payment !== undefined) refuseHeader("excludes a payment: a delegate's purchase is its own");
  const { by, ...proven } = await delegateOf(attempt, parts, delegated.scope);
  const admitted = await parts.admitDelegate({
    by,
    principal: Number(principal),
    wallet: wallet?.toLowerCase() as Hex | undefined,
    ...delegated,
  });
  return { pays: false, headers: {}, ...proven, ...admitted };
}

async function delegateOf(
  { presented, identity: { caller } }: Attempt,
  parts: Parts,
  scope: DelegateRequest["scope"],
): Promise<Pick<DelegateRequest, "by"> & Pick<Admission, "act" | "covers" | "idempotency_key">> {
  if (presented.wallet_proof !== undefined) {
    if (presented.secret !== undefined)
      refuse("invalid", "send an API key or SIGN-IN-WITH-X, not both: each names a delegate");
    const {
      caller: by,
      act,
      covers,
      idempotency_key,
    } = await admitWallet(presented.wallet_proof, presented, parts);
    if (by.kind !== "payer") throw new Error("a wallet's proof names a wallet");
    return {
      by,
      ...(act && { act }),
      ...(covers && { covers }),
      ...(idempotency_key && { idempotency_key }),
    };
  }
  if (caller.kind === "subject") {
    if (!caller.scopes.includes(scope))
      refuse("forbidden", `this key lacks the scope ${scope}; it has ${caller.scopes.join(", ")}`);
    return { by: caller };
  }
  const remedy = "send the delegate's own key (sk_soul_…) or its wallet's signature (SIGN-IN-WITH-X)";
  return caller.kind === "anonymous"
    ? refuse("unauthorized", `On-Behalf-Of needs a delegate: ${remedy}`)
    : refuse("forbidden", `On-Behalf-Of is for agents, but this is a tenant's key: ${remedy}`);
}

const refuseHeader = (message: string): never =>
  refuse("invalid", "invalid On-Behalf-Of", { errors: [{ path: "On-Behalf-Of", message }] });
