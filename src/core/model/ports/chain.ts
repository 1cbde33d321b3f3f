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

/** One key pays for all our transactions. Every call has a deadline. */
export type Chain = {
  readonly chain_id: number;
  readonly sender: Hex;
  heads(): Promise<Heads>;
  block(number: bigint): Promise<Block | undefined>;
  read(calls: readonly Call[], options?: ReadOptions): Promise<CallResult[]>;
  hasCode(accounts: readonly Hex[]): Promise<boolean[]>;
  /**
   * Uses our sender, real gas price and gas limit: a stranger's contract can distinguish a query from a transaction. Rejects with
   * GasKeyEmpty where the sender cannot pay.
   */
  trial(call: Call, gas: bigint): Promise<Trial>;
  code(account: Hex): Promise<Hex>;
  gasPrice(): Promise<bigint>;
  balance(account: Hex): Promise<bigint>;
  /**
   * Bundles the call with others in the queue and resolves once mined. The receipt's logs show a bundled call's result. Rejects
   * with ChainUnavailable when nothing was sent, with TransactionPending when the outcome is open.
   */
  send(call: Call, options: SendOptions): Promise<Receipt>;
  queued(): number;
  /**
   * The highest nonce that any process signed within the last day; -1 without any. Node pools forget transactions
   * that cannot be mined.
   */
  highestNonce(): Promise<number>;
  /** Transactions with lower nonces are mined, or never will be. */
  minedCount(block?: "latest" | "finalized"): Promise<number>;
  receipt(transaction: Hex): Promise<Receipt | undefined>;
  logs(query: LogQuery): Promise<Log[]>;
  /** From the newest block. Rejects with ChainUnavailable for an invalid proof. */
  stateProof(account: Hex, slots: readonly Hex[]): Promise<StateProof>;
  signedTransaction(transaction: Hex): Promise<Hex | undefined>;
};

/** The chain did not answer in time; this says nothing about any payment. Retry later. */
export class ChainUnavailable extends Error {
  override readonly name: string = "ChainUnavailable";
}

export class GasKeyEmpty extends ChainUnavailable {
  override readonly name = "GasKeyEmpty";
}

export class GasBudgetSpent extends ChainUnavailable {
  override readonly name = "GasBudgetSpent";
  readonly resets_at: Date;

  /** `of`: the purpose with its own budget; omitted for purchases. */
  constructor(resets_at: Date, of?: string) {
    super(
      `the day's gas budget${of ? ` for ${of}` : ""} is spent; it is renewed at ${resets_at.toISOString()}`,
    );
    this.resets_at = resets_at;
  }
}

/** At most one of `transactions` will be mined. A facilitator may not have reported its transaction's hash. */
export class TransactionPending extends Error {
  override readonly name = "TransactionPending";
  readonly transactions: readonly Hex[];

  constructor(transactions: readonly Hex[], options?: ErrorOptions) {
    const named = transactions.join(", ") || "the facilitator's transactions";
    super(`not mined in time, and may still be: ${named}`, options);
    this.transactions = transactions;
  }
}
