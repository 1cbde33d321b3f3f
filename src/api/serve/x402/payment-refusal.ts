/**
 * Reasons to refuse a payment. Source: "Error handling" in the specification of x402 version 2, and for an
 * excessive amount the name in its EVM reference implementation.
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

/**
 * A refused payment: the answer is a 402 with `code` as its `error`, and `message`, which names the remedy, as its
 * detail.
 */
export class PaymentRefused extends Error {
  override readonly name = "PaymentRefused";
  readonly code: PaymentRefusedCode;
  /** A transaction was sent for the payment. */
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
