import type { Hex } from "../../core/model/chain.ts";
import type { Scope } from "../../domain/access/key.ts";
import { walletTenant } from "../../domain/payments/payment.ts";

/** Whoever was admitted. `tenant` owns what the call causes. */
export type Caller =
  | { kind: "key"; tenant: string; key_id: string; scopes: Scope[]; space: "live" | "test" }
  /** A key that belongs to a subject: it acts for that one alone, within its scopes. */
  | { kind: "subject"; tenant: string; key_id: string; subject: string; scopes: Scope[] }
  | { kind: "payer"; tenant: string; wallet: Hex }
  /** An agent, `by`, that acts for another: `tenant`, `subject` and `wallet` are the principal's. */
  | {
      kind: "delegate";
      tenant: string;
      subject: string;
      wallet: Hex | undefined;
      by: Extract<Caller, { kind: "subject" | "payer" }>;
      mandate: Mandate;
    }
  /** Another server of the operator. */
  | { kind: "internal"; tenant: "operator" }
  | { kind: "anonymous"; tenant: "anonymous" };

/** By what a delegate acts: passports as SX#<number>. `max_spend_micro`: the most that it spends of its principal's account in all. */
export type Mandate = {
  principal: string;
  delegate: string;
  delegation_id: string;
  max_spend_micro: number;
};

export const anonymous: Caller = { kind: "anonymous", tenant: "anonymous" };

/** Whoever pays, or signs that it is the wallet, and shows nothing else. */
export const payer = (wallet: Hex): Caller => ({ kind: "payer", tenant: walletTenant(wallet), wallet });

/** What is hashed with the events a caller causes: who it was, never a secret. A delegate is itself, whomever it acts for. */
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

/** A test key moves no money of a real chain, and what it says there would bind wallets that are not its own. */
export const isTest = (caller: Caller): boolean => caller.kind === "key" && caller.space === "test";
