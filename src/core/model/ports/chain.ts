import type {
  Block,
  Call,
  CallResult,
  Heads,
  Hex,
  Log,
  LogQuery,
  ReadOptions,
  Receipt,
  SendOptions,
  StateProof,
  Trial,
} from "../chain.ts";

/** An EVM chain and the one key that pays for our transactions on it. Every call ends by its deadline. */
export type Chain = {
  readonly chain_id: number;
  /** The account that pays for gas. */
  readonly sender: Hex;
  heads(): Promise<Heads>;
  /** The block of this number in the chain as it stands now. */
  block(number: bigint): Promise<Block | undefined>;
  /** What calls would answer now, each failing alone; the next ones see what the earlier ones changed. */
  read(calls: readonly Call[], options?: ReadOptions): Promise<CallResult[]>;
  /** Which of the accounts have code: contracts, and wallets that delegate (EIP-7702). */
  hasCode(accounts: readonly Hex[]): Promise<boolean[]>;
  /**
   * Tries a call as a transaction of its own: by our sender, at the price that it would pay, with at most this much gas. Code of
   * strangers can tell other questions from a transaction. Rejects with GasKeyEmpty where the sender could not pay for it.
   */
  trial(call: Call, gas: bigint): Promise<Trial>;
  /** The code of an account; "0x" of one without. */
  code(account: Hex): Promise<Hex>;
  /** The price in wei that a unit of gas would cost at most if a transaction were sent now. */
  gasPrice(): Promise<bigint>;
  /** What an account has, in wei. */
  balance(account: Hex): Promise<bigint>;
  /**
   * Sends a call through the one queue, together with others waiting there, and answers once it is mined. What a
   * call that did not travel alone came to stands in the receipt's logs. Rejects with ChainUnavailable when nothing
   * was sent, with TransactionPending when the outcome is not known yet.
   */
  send(call: Call, options: SendOptions): Promise<Receipt>;
  /** How many calls wait there to be sent. */
  queued(): number;
  /** The highest nonce that a transaction of the account was signed for within a day, by whatever process; -1: none. Pools forget sooner what cannot be mined. */
  highestNonce(): Promise<number>;
  /** How many transactions of the account are mined, `latest` unless `finalized` is named: those of lower nonces are, or never will be. */
  minedCount(block?: "latest" | "finalized"): Promise<number>;
  /** The receipt of a transaction that is in the chain as it stands now. */
  receipt(transaction: Hex): Promise<Receipt | undefined>;
  logs(query: LogQuery): Promise<Log[]>;
  /** What an account's slots hold in the newest block, with proof. Rejects with ChainUnavailable where the proof does not hold. */
  stateProof(account: Hex, slots: readonly Hex[]): Promise<StateProof>;
  /** A transaction as it was signed, in its bytes. */
  signedTransaction(transaction: Hex): Promise<Hex | undefined>;
};

/** The chain could not be asked, or did not answer in time. It says nothing about anybody's payment; ask again later. */
export class ChainUnavailable extends Error {
  override readonly name: string = "ChainUnavailable";
}

/** The gas key has too little ether: nothing is sent until it is given more. */
export class GasKeyEmpty extends ChainUnavailable {
  override readonly name = "GasKeyEmpty";
}

/** The day's ether for gas is spent: nothing is sent before `resets_at`. */
export class GasBudgetSpent extends ChainUnavailable {
  override readonly name = "GasBudgetSpent";
  readonly resets_at: Date;

  /** `of`: whose budget it is, in words; left out where it is the one of all purchases. */
  constructor(resets_at: Date, of?: string) {
    super(
      `the day's gas budget${of ? ` for ${of}` : ""} is spent; it is renewed at ${resets_at.toISOString()}`,
    );
    this.resets_at = resets_at;
  }
}

/**
 * A transaction was signed and may have been sent: one of `transactions`, or none, will be mined. A facilitator that was
 * asked to send one may not have named it.
 */
export class TransactionPending extends Error {
  override readonly name = "TransactionPending";
  readonly transactions: readonly Hex[];

  constructor(transactions: readonly Hex[], options?: ErrorOptions) {
    const named = transactions.join(", ") || "what the facilitator sends";
    super(`not mined in time, and may still be: ${named}`, options);
    this.transactions = transactions;
  }
}
