import type { PrivateKeyAccount } from "viem";
import type { Call, Hex } from "../../core/model/chain.ts";
import { GasKeyEmpty } from "../../core/model/ports/chain.ts";
import type { Ask } from "../json-rpc.ts";
import type { Fees } from "./fees.ts";

/** What geth, reth and anvil say when a transaction cannot be paid for, has a rival of its nonce, or is there already. */
const INSUFFICIENT = /insufficient funds/i;
const CONTESTED = /nonce too low|underpriced/i;
const KNOWN = /already known|already imported/i;

export type Terms = { nonce: number; gas: bigint; fees: Fees };

/** The account of the gas key on its chain. */
export class GasAccount {
  readonly #ask: Ask;
  readonly #account: PrivateKeyAccount;
  readonly #chain_id: number;

  constructor(ask: Ask, account: PrivateKeyAccount, chain_id: number) {
    this.#ask = ask;
    this.#account = account;
    this.#chain_id = chain_id;
  }

  async nextNonce(tag: "latest" | "pending" = "latest"): Promise<number> {
    return Number(await this.#ask<Hex>("eth_getTransactionCount", [this.#account.address, tag]));
  }

  async sign({ to, data }: Pick<Call, "to"> & Partial<Call>, { fees, ...terms }: Terms): Promise<Hex> {
    const transaction = { type: "eip1559", chainId: this.#chain_id, ...terms, ...fees, to } as const;
    return this.#account.signTransaction({ ...transaction, ...(data && { data }) });
  }

  /** `contested`: a node knows another transaction of this nonce, which pays as much. Rejects with GasKeyEmpty. */
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

  /** Sends a transaction that does nothing. Where another is there already that pays as much, that one stays. */
  async doNothing(nonce: number, fees: Fees): Promise<void> {
    await this.broadcast(await this.sign({ to: this.#account.address }, { nonce, gas: 21_000n, fees }));
  }
}
