/** By a caller's own account: what it has pays, and a payment brings what is missing. */

import { refuse } from "../../../core/model/refusal.ts";
import type { Scope } from "../../../domain/access/key.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { admitKey, keySchemes, keySecurity } from "./key.ts";
import { admitWallet } from "./owner.ts";
import { type PriceOf, pay } from "./pay.ts";
import { allowSubject, subject } from "./subject.ts";
import { BEARER, type Parts, type Usdc, type Way, walletSchemes } from "./way.ts";

/**
 * By whoever has an account: an API key or a subject's key with `scope`, or the signature of the wallet that paid. What the call holds is
 * decided in its commit; where the account has less, the answer is a 402 for exactly that sum. A payment, with one of them or alone, is
 * credited first. A delegate spends of its principal's what its delegation lets it, and pays nothing in.
 */
export function account<In>(scope: Scope, price: PriceOf<In>, unitPrice: Usdc): Way {
  const paying = pay(price, unitPrice);
  const own = subject(scope);
  return {
    ...paying,
    kind: "account",
    scope,
    delegated: { scope, owns: "agent" },
    price: `${unitPrice} USDC a unit, from an account or by payment`,
    security: [...keySecurity, ...own.security, { wallet: [] }, ...paying.security],
    schemes: { ...keySchemes, ...own.schemes, ...walletSchemes, ...paying.schemes },
    statuses: [...new Set([403, ...paying.statuses])],
    invitation:
      "an API key (Authorization: Bearer sk_…), or the signature of a wallet with an account (SIGN-IN-WITH-X)",
    challenge: BEARER,
    async admit(attempt, parts) {
      refuseClosed(parts.app);
      const { presented, identity } = attempt;
      if (presented.payment !== undefined) {
        if (identity.caller.kind === "subject") allowSubject(identity.caller, scope);
        return paying.admit(attempt, parts);
      }
      const admitted =
        presented.wallet_proof !== undefined
          ? await admitWallet(presented.wallet_proof, presented, parts)
          : ((await own.admit(attempt, parts)) ?? (await admitKey(attempt, parts, scope)));
      return admitted && "caller" in admitted ? { ...admitted, from_account: true } : admitted;
    },
  };
}

/**
 * By a subject's key with `scope` alone, from the subject's account; where that has less, a payment beside the key brings it. What is in the
 * account may be used where accounts are closed to payments, too.
 */
export function ownAccount<In>(scope: Scope, price: PriceOf<In>, unitPrice: Usdc): Way {
  const paying = pay(price, unitPrice);
  const own = subject(scope);
  return {
    ...paying,
    ...own,
    kind: "account",
    price: `${unitPrice} USDC a unit, from its account or by payment`,
    security: [...own.security, ...paying.security],
    schemes: { ...own.schemes, ...paying.schemes },
    statuses: [...new Set([...own.statuses, ...paying.statuses])],
    async admit(attempt, parts) {
      const { presented, identity } = attempt;
      if (presented.payment !== undefined || identity.caller.kind === "anonymous") refuseClosed(parts.app);
      const admitted = await own.admit(attempt, parts);
      if (admitted && "caller" in admitted)
        return {
          ...admitted,
          ...(presented.payment === undefined ? { from_account: true } : { pays: true }),
        };
      if (identity.caller.kind !== "anonymous") refuse("forbidden", `this needs ${own.invitation}`);
      if (presented.payment !== undefined)
        refuse("unauthorized", `this needs ${own.invitation}, beside its payment`);
      return undefined;
    },
  };
}

/** Keeping money for others is custody: on a real chain none is taken unless the operator wants that. */
export function refuseClosed({ settings }: { settings: Pick<Parts["app"]["settings"], "custody"> }): void {
  if (!settings.custody.open)
    refuse(
      paymentProblems["custody-off"],
      "this service keeps no money for others: off the development chain its operator must open accounts (CUSTODY=1)",
    );
}
