import type { Hex } from "../../core/model/chain.ts";
import type { Ask } from "../json-rpc.ts";

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Gas prices of a transaction and of its replacement. */
export class FeeMarket {
  readonly #ask: Ask;
  readonly #max_wei: bigint;

  constructor(ask: Ask, max_wei: bigint) {
    this.#ask = ask;
    this.#max_wei = max_wei;
  }

  /** Leaves room for the base fee to double before the transaction is mined. */
  async current(): Promise<Fees> {
    const [block, tip] = await Promise.all([
      this.#ask<{ baseFeePerGas?: Hex }>("eth_getBlockByNumber", ["latest", false]),
      this.#ask<Hex>("eth_maxPriorityFeePerGas", []),
    ]);
    return this.#capped(2n * BigInt(block.baseFeePerGas ?? 0) + BigInt(tip), BigInt(tip));
  }

  /** Nodes accept a replacement when both its fees are a tenth higher. */
  async above(paid: Fees): Promise<Fees> {
    const current = await this.current();
    const more = (fee: bigint) => (fee * 9n) / 8n + 1n;
    return this.#capped(
      greatest(more(paid.maxFeePerGas), current.maxFeePerGas),
      greatest(more(paid.maxPriorityFeePerGas), current.maxPriorityFeePerGas),
    );
  }

  #capped(fee: bigint, tip: bigint): Fees {
    return { maxFeePerGas: least(fee, this.#max_wei), maxPriorityFeePerGas: least(tip, this.#max_wei) };
  }
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const greatest = (a: bigint, b: bigint) => (a > b ? a : b);
