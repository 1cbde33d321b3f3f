/**
 * Reasons to refuse a payment. Sources: "Error handling" in the specification of x402 version 2; for an excessive
 * amount, the name in its EVM reference implementation.
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
  | "invalid_x402_version"
  | ChannelRefusedCode;

/** Sources: "Error Codes" of batch-settlement on EVM; for the least deposit, @x402/evm 2.27.0. */
export type ChannelRefusedCode = `invalid_batch_settlement_evm_${
  | "channel_busy"
  | "channel_id_mismatch"
  | "channel_not_found"
  | "cumulative_amount_mismatch"
  | "cumulative_exceeds_balance"
  | "deposit_below_min_deposit"
  | "deposit_simulation_failed"
  | "deposit_transaction_failed"
  | "insufficient_balance"
  | "payload_authorization_valid_after"
  | "payload_authorization_valid_before"
  | "receiver_authorizer_mismatch"
  | "receiver_mismatch"
  | "refund_no_balance"
  | "token_mismatch"
  | "voucher_signature"
  | "withdraw_delay_mismatch"}`;

/**
 * A refused payment. The answer is a 402 with `code` as its `error`. Its detail is `message`, which names the remedy.
 */
export class PaymentRefused extends Error {
  override readonly name = "PaymentRefused";
  readonly code: PaymentRefusedCode;
  /** True if a transaction was sent for the payment. */
  readonly sent: boolean;
  /** The channel's state at the service, with which the payer corrects its own. */
  readonly channel: object | undefined;

  constructor(
    code: PaymentRefusedCode,
    message: string,
    { sent = false, channel }: { sent?: boolean; channel?: object } = {},
  ) {
    super(message);
    this.code = code;
    this.sent = sent;
    this.channel = channel;
  }
}

export function refusePayment(code: PaymentRefusedCode, message: string): never {
  throw new PaymentRefused(code, message);
}
