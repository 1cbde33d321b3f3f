/** Lower case: an address (40 digits), a hash (64) or bytes. */
export type Hex = `0x${string}`;

/** `timestamp` in seconds of Unix time. */
export type Block = { number: bigint; hash: Hex; timestamp: number };

export const networkOf = ({ chain_id }: { chain_id: number }) => `eip155:${chain_id}`;

/** `safe`: on L1. */
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

/** `success` false: reverted. `fee_wei` includes the L1 share. */
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
  /** Our own money: claims of channels, and the transfer of what they earned. */
  | "channel claim"
  | "anchor"
  | "endorsement"
  | "seed commitment"
  | "airdrop"
  | "attestation"
  | "approval"
  | "deployment"
  /** Uses up a nonce that blocks later ones. */
  | "empty transaction";

export type SendOptions = {
  purpose: Purpose;
  gas: bigint;
  /** Sends it unbundled: a stranger's contract could use up the gas of other calls in the bundle. */
  alone?: boolean;
  /**
   * The current form of an unbundled call, for replacing a stuck transaction. If another transaction used the call's
   * nonce, it is not sent again, and it rejects with ChainUnavailable.
   */
  renew?(): Promise<Call & { gas: bigint }>;
  /** Called right before an unbundled call is signed: a rejection cancels the send. */
  confirm?(): Promise<void>;
  /** Called once the gas record has the transaction, right before it is sent. */
  recorded?(): void;
};

/**
 * From `eth_getProof`. `header`: RLP of the block header. Proofs run from the state root to the account, and from its storage
 * root to each slot.
 */
export type StateProof = { block: Block; header: Hex; account_proof: Hex[]; storage_proofs: Hex[][] };

export type ReadOptions = {
  /**
   * A gas limit for all calls together, needed where a stranger's contract runs. That contract then must be the only
   * one.
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
