/**
 * Why a payment will not do. Source: "Error handling" in the specification of x402 version 2, and for an amount
 * that is too high the name that its EVM reference implementation gives.
 */
export type PaymentRefusedCode =
  | "insufficient_funds"
  | "invalid_exact_evm_payload_authorization_valid_after"
  | "invalid_exact_evm_payload_authorization_valid_before"
  | "invalid_exact_evm_payload_authorization_value"
  | "invalid_exact_evm_payload_authorization_value_mismatch"
  | "invalid_exact_evm_payload_recipient_mismatch"
  | "invalid_exact_evm_payload_signature"
  | "invalid_network"
  | "invalid_payload"
  | "invalid_payment_requirements"
  | "invalid_scheme"
  | "invalid_transaction_state"
  | "invalid_x402_version";

/** A payment is turned away: the answer is a 402 with `code` as its `error`, and `message`, which tells the remedy, as its detail. */
export class PaymentRefused extends Error {
  override readonly name = "PaymentRefused";
  readonly code: PaymentRefusedCode;
  /** A transaction was spent on it. */
  readonly sent: boolean;

  constructor(code: PaymentRefusedCode, message: string, { sent = false } = {}) {
    super(message);
    this.code = code;
    this.sent = sent;
  }
}

export function refusePayment(code: PaymentRefusedCode, message: string): never {
  throw new PaymentRefused(code, message);
}
