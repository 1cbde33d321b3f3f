import type { Scope } from "../domain/access/key.ts";
import type { Hex } from "../domain/chain.ts";
import { walletTenant } from "../domain/payments/payment.ts";

/** Whoever was admitted. `tenant` owns what the call causes. */
export type Caller =
  | { kind: "key"; tenant: string; key_id: string; scopes: Scope[]; space: "live" | "test" }
  | { kind: "payer"; tenant: string; wallet: Hex }
  | { kind: "anonymous"; tenant: "anonymous" };

export const anonymous: Caller = { kind: "anonymous", tenant: "anonymous" };

/** Whoever pays, and shows nothing else. */
export const payer = (wallet: Hex): Caller => ({ kind: "payer", tenant: walletTenant(wallet), wallet });

/** What is hashed with the events a caller causes: who it was, never a secret. */
export const actorOf = (caller: Caller): string =>
  caller.kind === "key" ? `key:${caller.key_id}` : caller.kind === "payer" ? caller.tenant : caller.kind;
