/** The words of the EVM: what a chain is asked and what it answers, and nothing that asks. */

/** 0x and hex digits, in lower case: an address (40), a hash (64) or bytes. */
export type Hex = `0x${string}`;

/** `timestamp` in seconds of Unix time. */
export type Block = { number: bigint; hash: Hex; timestamp: number };

/** A chain's name by CAIP-2. */
export const networkOf = ({ chain_id }: { chain_id: number }) => `eip155:${chain_id}`;

/** How far the chain has come: its newest block, the newest that is on L1, and the newest that stays for good. */
export type Heads = { latest: Block; safe: Block; finalized: Block };

export type Call = { to: Hex; data: Hex };

/** What a call answered; `data` of one that failed holds the reason. */
export type CallResult = { success: boolean; data: Hex };

export type Log = {
  address: Hex;
  topics: readonly Hex[];
  data: Hex;
  transaction: Hex;
  block_number: bigint;
  block_hash: Hex;
  /** Its place in the block. */
  index: number;
};

/** A mined transaction. `success` false: it was taken back whole. `fee_wei`: what the sender paid, the L1 share included. */
export type Receipt = {
  transaction: Hex;
  success: boolean;
  block_number: bigint;
  block_hash: Hex;
  fee_wei: bigint;
  logs: readonly Log[];
};

/** Blocks `from_block` to `to_block`, both included; a topic is one value, any of several, or null for whatever. */
export type LogQuery = {
  address: Hex;
  topics: readonly (Hex | readonly Hex[] | null)[];
  from_block: bigint;
  to_block: bigint;
};

/** The outcome of a call that was tried: the gas that it needs, or the reason why it fails. */
export type Trial = { success: true; gas: bigint } | { success: false; data: Hex };

/** What a transaction is paid for, as the gas record has it. */
export type Purpose =
  | "settlement"
  | "contract settlement"
  | "carrying"
  | "refund"
  | "unasked refund"
  | "withdrawal"
  | "anchor"
  | "endorsement"
  | "seed commitment"
  | "airdrop"
  | "attestation"
  | "approval"
  | "deployment"
  /** Uses up a nonce that stops those above it. */
  | "empty transaction";

export type SendOptions = {
  purpose: Purpose;
  /** The most gas the call can use. */
  gas: bigint;
  /** A transaction of its own: for a call into code of strangers, which could burn the gas of its neighbours. */
  alone?: boolean;
  /**
   * What a call that travels alone has become by now: asked when a stuck transaction is replaced. Such a call is not sent
   * anew where its nonce went to another; that rejects with ChainUnavailable.
   */
  renew?(): Promise<Call & { gas: bigint }>;
  /** Asked once more right before a call that travels alone is signed: where it rejects, nothing is sent, and `send` rejects so. */
  confirm?(): Promise<void>;
  /** Called when the gas record has a transaction that carries the call, right before that one is sent. */
  recorded?(): void;
};

/**
 * What `eth_getProof` answers: `header` is the block's in RLP, and the proofs are the trie nodes from its state root to the
 * account, and from the account's storage root to each slot.
 */
export type StateProof = { block: Block; header: Hex; account_proof: Hex[]; storage_proofs: Hex[][] };

export type ReadOptions = {
  /** The most gas that the calls may use together; needed where code of strangers runs, and then ask nothing else in the same breath. */
  gas?: bigint;
  /** As of the newest block, without the transactions that wait for the next one. */
  mined?: boolean;
};

/**
 * The public key (65 bytes, uncompressed) that made a signature (r and s, 64 bytes) of a 32-byte digest; undefined
 * when no key could have. `recovery` is the parity of the point: 0 or 1.
 */
export type RecoverKey = (
  digest: Uint8Array,
  signature: Uint8Array,
  recovery: 0 | 1,
) => Uint8Array | undefined;
