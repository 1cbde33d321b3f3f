import type { Hex, Purpose, Receipt } from "../chain.ts";

/** `value` in micro-USDC. Valid while valid_after < time < valid_before (Unix seconds). */
export type TransferAuthorization = {
  from: Hex;
  to: Hex;
  value: bigint;
  valid_after: bigint;
  valid_before: bigint;
  /** 32 bytes that the payer chose; one authorization a nonce. */
  nonce: Hex;
};

export type SignedTransfer = { transfer: TransferAuthorization; signature: Hex; listing?: PurchaseListing };

/** The purchased operation as a facilitator's catalogue lists it: public facts, and nothing of the call's own input. */
export type PurchaseListing = {
  resource: {
    url: string;
    description: string;
    mimeType: string;
    serviceName: string;
    tags: readonly string[];
    iconUrl: string;
  };
  extensions: Readonly<Record<string, object>>;
};

/** `used`: settled or cancelled. `would_settle`: simulated now, with the chain checking the signature. */
export type PaymentFacts = { used: boolean; balance: bigint; would_settle: boolean; reason?: string };

/** Decides which gas budget pays. */
export type Errand = "purchase" | "carrying" | "refund" | "unasked refund" | "withdrawal";

/** `purpose`: the gas budget. `barred`: why the service refuses a payment that the chain might accept. */
export type SettlementFacts = PaymentFacts & { seen_block: bigint; purpose: Purpose; barred?: string };

/** Sends with our own gas key, or through a facilitator. */
export type Settlement = {
  /** Batched with other calls, except for a payer with code. Rejects with ChainUnavailable. */
  facts(payment: SignedTransfer, errand?: Errand): Promise<SettlementFacts>;
  /**
   * Covers any sender, and the last two hours; undefined while the chain does not show it. Rejects with
   * ChainUnavailable.
   */
  ended(payment: SignedTransfer): Promise<PaymentEnd | undefined>;
  /**
   * The receipt's logs prove the payment, from any sender. Rejects with NotSettled, ChainUnavailable (nothing was sent) or
   * TransactionPending (the outcome is open).
   */
  settle(payment: SignedTransfer, seen_block: bigint, errand?: Errand): Promise<Receipt>;
};

/** `void`: the money has not moved. If it is also `final`, it never will. */
export type PaymentEnd =
  | { kind: "settled"; receipt: Receipt }
  | { kind: "void"; reason: string; final: boolean };

export class NotSettled extends Error {
  override readonly name = "NotSettled";
}
