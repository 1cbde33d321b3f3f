import { refuse } from "../../../core/model/refusal.ts";
import type { Scope } from "../../../domain/access/key.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { admitKey, keySchemes, keySecurity } from "./key.ts";
import { admitWallet } from "./owner.ts";
import { type PriceOf, pay } from "./pay.ts";
import { allowSubject, subject } from "./subject.ts";
import { BEARER, type Parts, type Usdc, type Way, walletSchemes } from "./way.ts";

/**
 * A way in for API keys, subjects' keys and wallet signatures. The commit reserves the sum; if the balance is too
 * low, the answer is a 402 for the missing sum. A payment is credited first. A delegate spends within its delegation,
 * and cannot add money.
 */
export function account<In>(scope: Scope, price: PriceOf<In>, unitPrice: Usdc, terms: string): Way {
  const paying = pay(price, unitPrice, terms);
  const own = subject(scope);
  return {
    ...paying,
    kind: "account",
    scope,
    delegated: { scope, owns: "agent" },
    price: `${terms}, from an account or by payment`,
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
 * Like `account`, for subjects' keys only. A payment sent with the key adds the missing sum. Existing money can be
 * spent even with CUSTODY off.
 */
export function ownAccount<In>(scope: Scope, price: PriceOf<In>, unitPrice: Usdc, terms: string): Way {
  const paying = pay(price, unitPrice, terms);
  const own = subject(scope);
  return {
    ...paying,
    ...own,
    kind: "account",
    price: `${terms}, from its account or by payment`,
    needed_with_payment: own.invitation!,
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
        refuse("unauthorized", `this needs ${own.invitation} in addition to its payment`);
      return undefined;
    },
  };
}

/**
 * Refuses new deposits unless the operator enabled custody, because on a real chain the service would hold others'
 * money.
 */
export function refuseClosed({ settings }: { settings: Pick<Parts["app"]["settings"], "custody"> }): void {
  if (!settings.custody.open)
    refuse(
      paymentProblems["custody-off"],
      "this service holds no money for others: off the development chain its operator must enable accounts (CUSTODY=1)",
    );
}
