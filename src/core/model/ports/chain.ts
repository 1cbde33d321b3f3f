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

/** The chain, with one key that pays for all our transactions. Every call has a deadline. */
export type Chain = {
  readonly chain_id: number;
  readonly sender: Hex;
  heads(): Promise<Heads>;
  block(number: bigint): Promise<Block | undefined>;
  read(calls: readonly Call[], options?: ReadOptions): Promise<CallResult[]>;
  hasCode(accounts: readonly Hex[]): Promise<boolean[]>;
  /**
   * Simulates with our sender, the real gas price and the gas limit, because a stranger's contract can recognize a
   * mere query. Rejects with GasKeyEmpty if the sender cannot pay.
   */
  trial(call: Call, gas: bigint): Promise<Trial>;
  code(account: Hex): Promise<Hex>;
  gasPrice(): Promise<bigint>;
  balance(account: Hex): Promise<bigint>;
  /**
   * Bundles the call with others in the queue, and resolves once it is mined. The receipt's logs show a bundled
   * call's result. Rejects with ChainUnavailable if nothing was sent, with TransactionPending if the outcome is open.
   */
  send(call: Call, options: SendOptions): Promise<Receipt>;
  queued(): number;
  /**
   * The highest nonce that any process signed within the last day; -1 without any. Node pools forget transactions
   * that cannot be mined.
   */
  highestNonce(): Promise<number>;
  /** The number of mined nonces: transactions with lower nonces are mined, or never will be. */
  minedCount(block?: "latest" | "finalized"): Promise<number>;
  receipt(transaction: Hex): Promise<Receipt | undefined>;
  logs(query: LogQuery): Promise<Log[]>;
  /** A proof from the newest block. Rejects with ChainUnavailable for an invalid proof. */
  stateProof(account: Hex, slots: readonly Hex[]): Promise<StateProof>;
  signedTransaction(transaction: Hex): Promise<Hex | undefined>;
};

/** The chain did not answer in time. The error says nothing about any payment; retry later. */
export class ChainUnavailable extends Error {
  override readonly name: string = "ChainUnavailable";
}

export class GasKeyEmpty extends ChainUnavailable {
  override readonly name = "GasKeyEmpty";
}

export class GasBudgetSpent extends ChainUnavailable {
  override readonly name = "GasBudgetSpent";
  readonly resets_at: Date;

  /** `of`: the purpose whose own budget is spent; omitted for purchases. */
  constructor(resets_at: Date, of?: string) {
    super(
      `the day's gas budget${of ? ` for ${of}` : ""} is spent; it is renewed at ${resets_at.toISOString()}`,
    );
    this.resets_at = resets_at;
  }
}

/** At most one of `transactions` will be mined. The list may lack one whose hash a facilitator has not reported. */
export class TransactionPending extends Error {
  override readonly name = "TransactionPending";
  readonly transactions: readonly Hex[];

  constructor(transactions: readonly Hex[], options?: ErrorOptions) {
    const named = transactions.join(", ") || "the facilitator's transactions";
    super(`not mined in time, but may still be mined: ${named}`, options);
    this.transactions = transactions;
  }
}
