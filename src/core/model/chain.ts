/** Lower case: an address (40 digits), a hash (64) or bytes. */
export type Hex = `0x${string}`;

/** `timestamp`: Unix time in seconds. */
export type Block = { number: bigint; hash: Hex; timestamp: number };

export const networkOf = ({ chain_id }: { chain_id: number }) => `eip155:${chain_id}`;

/** `safe`: the newest block whose data are on L1. */
export type Heads = { latest: Block; safe: Block; finalized: Block };

export type Call = { to: Hex; data: Hex };

export type CallResult = { success: boolean; data: Hex };

export type Log = {
  address: Hex;
  topics: readonly Hex[];
  data: Hex;
  transaction: Hex;
  block_number: bigint;
  block_hash: Hex;
  index: number;
};

/** `success` is false for a reverted transaction. `fee_wei` includes the L1 share. */
export type Receipt = {
  transaction: Hex;
  success: boolean;
  block_number: bigint;
  block_hash: Hex;
  fee_wei: bigint;
  logs: readonly Log[];
};

/** Both block bounds are inclusive; a topic is one value, any of several, or null for any. */
export type LogQuery = {
  address: Hex;
  topics: readonly (Hex | readonly Hex[] | null)[];
  from_block: bigint;
  to_block: bigint;
};

export type Trial = { success: true; gas: bigint } | { success: false; data: Hex };

export type Purpose =
  | "settlement"
  | "contract settlement"
  | "carrying"
  | "refund"
  | "unasked refund"
  | "withdrawal"
  /** Caused by others: deposits into channels, and refunds of channels. */
  | "channel deposit"
  /** Collects our own money: claims of channels, and the transfer of the claimed sums. */
  | "channel claim"
  | "anchor"
  | "endorsement"
  | "seed commitment"
  | "airdrop"
  | "attestation"
  | "approval"
  | "deployment"
  /** Uses up a nonce, so that transactions with later nonces can be mined. */
  | "empty transaction";

export type SendOptions = {
  purpose: Purpose;
  gas: bigint;
  /** Sends the call outside of bundles: a stranger's contract could use up the gas of other calls in a bundle. */
  alone?: boolean;
  /**
   * The current form of an unbundled call, for replacing a stuck transaction. If another transaction has used the
   * nonce, the call is not sent again, and `send` rejects with ChainUnavailable.
   */
  renew?(): Promise<Call & { gas: bigint }>;
  /** Called right before an unbundled call is signed. A rejection cancels the send. */
  confirm?(): Promise<void>;
  /** Called once the gas record contains the transaction, right before the send. */
  recorded?(): void;
};

/**
 * From `eth_getProof`. `header` is the block header in RLP. The proofs run from the state root to the account, and
 * from the account's storage root to each slot.
 */
export type StateProof = { block: Block; header: Hex; account_proof: Hex[]; storage_proofs: Hex[][] };

export type ReadOptions = {
  /**
   * A gas limit for all calls together. Needed for a query to a stranger's contract, which must then be the only
   * call.
   */
  gas?: bigint;
  mined?: boolean;
};

/**
 * Recovers the public key (65 bytes, uncompressed) of an r‖s signature; undefined when none fits. `recovery` is the parity of the
 * point.
 */
export type RecoverKey = (
  digest: Uint8Array,
  signature: Uint8Array,
  recovery: 0 | 1,
) => Uint8Array | undefined;
