import type { PrivateKeyAccount } from "viem";
import { keccak256 } from "viem/utils";
import type { Call, Hex, Purpose } from "../../core/model/chain.ts";
import { GasKeyEmpty } from "../../core/model/ports/chain.ts";
import type { Ask } from "../json-rpc.ts";
import type { Fees } from "./fees.ts";

/** Error texts of geth, reth and anvil: the balance is too low, the nonce is contested, the transaction is in the pool. */
const INSUFFICIENT = /insufficient funds/i;
const CONTESTED = /nonce too low|underpriced/i;
const KNOWN = /already known|already imported/i;

export type TransactionTerms = { nonce: number; gas: bigint; fees: Fees; purpose: Purpose };

/** A transaction before it is sent. `most_wei`: its highest cost, without a rollup's L1 data fee. */
export type SignedTransaction = {
  sender: Hex;
  transaction: Hex;
  nonce: number;
  purpose: Purpose;
  most_wei: bigint;
};

/** Records a transaction before it is sent. If it rejects, the transaction is not sent. */
export type Journal = (signed: SignedTransaction) => Promise<void>;

export class GasAccount {
  readonly #ask: Ask;
  readonly #account: PrivateKeyAccount;
  readonly #chain_id: number;
  readonly #journal: Journal;

  constructor(ask: Ask, account: PrivateKeyAccount, chain_id: number, journal: Journal = async () => {}) {
    this.#ask = ask;
    this.#account = account;
    this.#chain_id = chain_id;
    this.#journal = journal;
  }

  async nextNonce(tag: "latest" | "pending" | "finalized" = "latest"): Promise<number> {
    return Number(await this.#ask<Hex>("eth_getTransactionCount", [this.#account.address, tag]));
  }

  async sign(
    { to, data }: Pick<Call, "to"> & Partial<Call>,
    { nonce, gas, fees, purpose }: TransactionTerms,
  ): Promise<{ raw: Hex; hash: Hex }> {
    const terms = { type: "eip1559", chainId: this.#chain_id, nonce, gas, ...fees, to } as const;
    const raw = await this.#account.signTransaction({ ...terms, ...(data && { data }) });
    const hash = keccak256(raw);
    const sender = this.#account.address.toLowerCase() as Hex;
    await this.#journal({ sender, transaction: hash, nonce, purpose, most_wei: gas * fees.maxFeePerGas });
    return { raw, hash };
  }

  /** `contested`: a node has another transaction of this nonce, which pays as much. Rejects with GasKeyEmpty. */
  async broadcast(raw: Hex): Promise<"sent" | "contested"> {
    try {
      await this.#ask("eth_sendRawTransaction", [raw]);
    } catch (error) {
      const { message } = error as Error;
      if (INSUFFICIENT.test(message)) throw new GasKeyEmpty(`the gas key has too little ether: ${message}`);
      if (CONTESTED.test(message)) return "contested";
      if (!KNOWN.test(message)) throw error;
    }
    return "sent";
  }

  /** Sends an empty transaction. An existing one that pays as much stays. */
  async doNothing(nonce: number, fees: Fees): Promise<void> {
    const terms = { nonce, gas: 21_000n, fees, purpose: "empty transaction" } as const;
    const { raw } = await this.sign({ to: this.#account.address }, terms);
    await this.broadcast(raw);
  }
}
