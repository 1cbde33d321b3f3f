import { refuse } from "../../../core/model/refusal.ts";
import type { Scope } from "../../../domain/access/key.ts";
import {
  type Attempt,
  type GuardedOperation,
  type Parts,
  type Payment,
  type PricedCall,
  scopeOf,
  type Usdc,
  type Way,
} from "./way.ts";

const PAID_SCOPES: readonly Scope[] = ["read", "quote", "order", "skill"];

export type PriceOf<In> = (input: In, call: PricedCall) => Usdc | Promise<Usdc>;

/**
 * A way in by payment. For a computed price, `unitPrice` is for price lists, and `terms` names the parts of the
 * total.
 */
export function pay(price: Usdc): Way;
export function pay<In>(price: PriceOf<In>, unitPrice: Usdc, terms: string): Way;
export function pay(price: Payment["price"], unitPrice?: Usdc, terms?: string): Way {
  const unit_price = unitPrice ?? (price as Usdc);
  return {
    kind: "payment",
    payment: { price, unit_price, ...(terms !== undefined && { terms }) },
    price: terms ?? `${unit_price} USDC`,
    security: [{ x402: [] }, { x402_v2: [] }, { payment: [] }],
    schemes: {
      x402: {
        type: "apiKey",
        in: "header",
        name: "X-PAYMENT",
        description: "An x402 payment in USDC on Base, from clients of version 1",
      },
      x402_v2: {
        type: "apiKey",
        in: "header",
        name: "PAYMENT-SIGNATURE",
        description: "The same, from clients of version 2",
      },
      payment: {
        type: "http",
        scheme: "Payment",
        description:
          "The same authorization, as the answer to the challenge in WWW-Authenticate (MPP, method evm)",
      },
    },
    statuses: [409, 422],
    admit: async (attempt, parts) => admitPayer(attempt, parts),
  };
}

/**
 * Admits a payer before the payment is verified. A key sent with the payment must have the scope; otherwise a
 * restricted key could buy any scope with one call.
 */
function admitPayer({ operation, presented, identity }: Attempt, { keys }: Parts) {
  if (presented.payment === undefined) return undefined;
  const scope = scopeOf(operation);
  if (scope !== undefined) {
    if (identity.key) keys.allow(identity.key, scope);
    else if (!PAID_SCOPES.includes(scope))
      refuse("unauthorized", `this needs ${neededWithPayment(operation)} in addition to its payment`);
  }
  return { caller: identity.caller, pays: true, headers: {} };
}

/** The credential without which a payment is refused; undefined where the payment alone is enough. */
export function neededWithPayment(operation: GuardedOperation): string | undefined {
  const scope = scopeOf(operation);
  return (
    operation.access.find(({ payment }) => payment)?.needed_with_payment ??
    (scope === undefined || PAID_SCOPES.includes(scope) ? undefined : `an API key with the scope ${scope}`)
  );
}
