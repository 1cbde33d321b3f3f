import type { Hex } from "../../core/model/chain.ts";
import type { Scope } from "../../domain/access/key.ts";
import { walletTenant } from "../../domain/payments/payment.ts";

export type Caller =
  | { kind: "key"; tenant: string; key_id: string; scopes: Scope[]; space: "live" | "test" }
  | { kind: "subject"; tenant: string; key_id: string; subject: string; scopes: Scope[] }
  | { kind: "payer"; tenant: string; wallet: Hex }
  /** `tenant`, `subject` and `wallet` belong to the principal, not to the delegate. */
  | {
      kind: "delegate";
      tenant: string;
      subject: string;
      wallet: Hex | undefined;
      by: Extract<Caller, { kind: "subject" | "payer" }>;
      mandate: Mandate;
    }
  | { kind: "internal"; tenant: "operator" }
  | { kind: "anonymous"; tenant: "anonymous" };

/** Passports are written SX#<number>. `max_spend_micro` limits the whole delegation. */
export type Mandate = {
  principal: string;
  delegate: string;
  delegation_id: string;
  max_spend_micro: number;
};

export const anonymous: Caller = { kind: "anonymous", tenant: "anonymous" };

export const payer = (wallet: Hex): Caller => ({ kind: "payer", tenant: walletTenant(wallet), wallet });

/**
 * The name of the caller in event hashes, so it contains no secret. A delegate has its own name there, not its
 * principal's.
 */
export function actorOf(caller: Caller): string {
  switch (caller.kind) {
    case "key":
    case "subject":
      return `key:${caller.key_id}`;
    case "payer":
      return caller.tenant;
    case "delegate":
      return actorOf(caller.by);
    case "internal":
    case "anonymous":
      return caller.kind;
  }
}

/** Test keys move no real money, so they may not make statements that bind other people's wallets. */
export const isTest = (caller: Caller): boolean => caller.kind === "key" && caller.space === "test";
