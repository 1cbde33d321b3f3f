export type SendLimits = {
  /** The most gas of one transaction; Base accepts at most 2^24 (EIP-7825). */
  transaction_gas: bigint;
  /** The highest price per unit of gas, replacements included. */
  max_fee_wei: bigint;
  /** The longest pause between two polls for the receipt. */
  poll_ms: number;
  /** A transaction not mined within this time is replaced by one with higher fees. */
  stuck_ms: number;
  /** How long a foreign transaction must have the nonce before the calls are sent again. */
  foreign_ms: number;
  /** After this time an unmined transaction's lower nonces are checked for a gap; their processes may still send. */
  gap_ms: number;
  /** How long a call waits for its signature; after that, nothing is sent. */
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
