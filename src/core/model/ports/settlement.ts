import type { Hex, Purpose, Receipt } from "../chain.ts";

/** Permission to move `value` micro-USDC. It holds while valid_after < time < valid_before (seconds of Unix time). */
export type TransferAuthorization = {
  from: Hex;
  to: Hex;
  value: bigint;
  valid_after: bigint;
  valid_before: bigint;
  /** 32 bytes the payer chose; one authorization a nonce. */
  nonce: Hex;
};

export type SignedTransfer = { transfer: TransferAuthorization; signature: Hex };

/** `used`: settled or cancelled. `would_settle`: the transfer as it is would go through now, the signature checked by the chain. */
export type PaymentFacts = { used: boolean; balance: bigint; would_settle: boolean; reason?: string };

/** Why a payment is carried to the chain: by that its gas comes from one budget or another. */
export type Errand = "purchase" | "carrying" | "refund" | "unasked refund" | "withdrawal";

/**
 * What is known of a payment before it is carried. `purpose`: its gas would come from the budget of this. `barred`: why the service does
 * not carry it, though the chain might take it.
 */
export type SettlementFacts = PaymentFacts & { seen_block: bigint; purpose: Purpose; barred?: string };

/** Carries signed payments to the chain: by our own gas key, or through a facilitator. */
export type Settlement = {
  /**
   * Whether a payment would go through now, asked together with others; `seen_block` is the chain's height. A payer with
   * code is asked alone. Rejects with ChainUnavailable.
   */
  facts(payment: SignedTransfer, errand?: Errand): Promise<SettlementFacts>;
  /**
   * How an authorization that is used came to its end, whoever saw to that, if it did within the last two hours; undefined
   * when the chain does not show it, or not yet. Rejects with ChainUnavailable.
   */
  ended(payment: SignedTransfer): Promise<PaymentEnd | undefined>;
  /**
   * Answers the mined transaction whose logs show that the payment moved, whoever sent it. Rejects with NotSettled, with
   * ChainUnavailable when nothing was sent, with TransactionPending when the outcome is not known yet.
   */
  settle(payment: SignedTransfer, seen_block: bigint, errand?: Errand): Promise<Receipt>;
};

/** `settled`: its money moved, to whom and as much as it says. `void`: it never will, once that is `final`. */
export type PaymentEnd =
  | { kind: "settled"; receipt: Receipt }
  | { kind: "void"; reason: string; final: boolean };

/** The chain refused a payment; nothing moved. */
export class NotSettled extends Error {
  override readonly name = "NotSettled";
}
