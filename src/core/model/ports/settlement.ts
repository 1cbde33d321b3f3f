import type { Hex, Purpose, Receipt } from "../chain.ts";

/** `value` in micro-USDC. Valid while valid_after < time < valid_before (Unix seconds). */
export type TransferAuthorization = {
  from: Hex;
  to: Hex;
  value: bigint;
  valid_after: bigint;
  valid_before: bigint;
  /** 32 bytes that the payer chose. A nonce is good for one authorization. */
  nonce: Hex;
};

export type SignedTransfer = { transfer: TransferAuthorization; signature: Hex; listing?: PurchaseListing };

/**
 * The purchased operation as a facilitator's catalogue lists it. It contains public facts alone, and no input of the
 * call.
 */
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

/** `used`: settled or cancelled. `would_settle`: the chain simulated the transfer now and checked the signature. */
export type PaymentFacts = { used: boolean; balance: bigint; would_settle: boolean; reason?: string };

/** The reason for a transfer. It decides which gas budget pays. */
export type Errand = "purchase" | "carrying" | "refund" | "unasked refund" | "withdrawal";

/** `purpose`: the gas budget. `barred`: why the service refuses this payment, although the chain might accept it. */
export type SettlementFacts = PaymentFacts & { seen_block: bigint; purpose: Purpose; barred?: string };

/** Settles payments with our own gas key, or through a facilitator. */
export type Settlement = {
  /** The query is batched with others, except for a payer whose account has code. Rejects with ChainUnavailable. */
  facts(payment: SignedTransfer, errand?: Errand): Promise<SettlementFacts>;
  /**
   * How a payment of the last two hours ended, by any sender; undefined while the chain does not show an end.
   * Rejects with ChainUnavailable.
   */
  ended(payment: SignedTransfer): Promise<PaymentEnd | undefined>;
  /**
   * The receipt's logs prove the payment, by any sender. Rejects with NotSettled, ChainUnavailable (nothing was
   * sent) or TransactionPending (the outcome is open).
   */
  settle(payment: SignedTransfer, seen_block: bigint, errand?: Errand): Promise<Receipt>;
};

/** `void`: the money has not moved. With `final`, it never will. */
export type PaymentEnd =
  | { kind: "settled"; receipt: Receipt }
  | { kind: "void"; reason: string; final: boolean };

export class NotSettled extends Error {
  override readonly name = "NotSettled";
}
