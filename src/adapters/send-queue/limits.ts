export type SendLimits = {
  /** The most gas of one transaction; Base takes none above 2^24 (EIP-7825). */
  transaction_gas: bigint;
  /** The most to pay for a unit of gas, replacements included. */
  max_fee_wei: bigint;
  /** The longest pause between two looks for the receipt. */
  poll_ms: number;
  /** A transaction not mined after this is replaced by one that pays more. */
  stuck_ms: number;
  /** How long the nonce must be seen used, by none of ours, before the calls are sent anew. */
  foreign_ms: number;
  /** How long a transaction is not mined before a gap of nonces is looked for below it: whoever took one may yet send. */
  gap_ms: number;
  /** How long a call waits to be signed: then nothing was sent, and nothing will be. */
  unsent_ms: number;
  /** How long a sender waits for its call to be mined. */
  wait_ms: number;
};

export const DEFAULT_LIMITS: SendLimits = {
  transaction_gas: 16_000_000n,
  max_fee_wei: 5_000_000_000n,
  poll_ms: 500,
  stuck_ms: 8_000,
  foreign_ms: 2_000,
  gap_ms: 2_000,
  unsent_ms: 10_000,
  wait_ms: 20_000,
};
