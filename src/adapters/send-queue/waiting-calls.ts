import type { Call, Hex, Purpose, Receipt, SendOptions } from "../../core/model/chain.ts";

/** Multicall3's own gas: the transaction's base, plus data and bookkeeping per call. */
const BASE_GAS = 60_000n;
const GAS_EACH = 15_000n;

export const gasOf = (calls: readonly { gas: bigint }[]): bigint =>
  calls.reduce((sum, { gas }) => sum + gas + GAS_EACH, BASE_GAS);

export type Rider = Call & {
  gas: bigint;
  purpose: Purpose;
  alone: boolean;
  renew: SendOptions["renew"];
  confirm: SendOptions["confirm"];
  recorded: SendOptions["recorded"];
  /** The transactions that carry it, once signed. */
  signed?: readonly Hex[] | undefined;
  /** Its caller was answered that nothing was sent, so nothing may be sent. */
  given_up?: true;
  trouble?: unknown;
  resolve: (receipt: Receipt) => void;
  reject: (error: Error) => void;
};

/** Calls without a transaction, and the choice of the next ones. */
export class WaitingCalls {
  readonly #transaction_gas: bigint;
  #waiting: Rider[] = [];
  #tookOneAlone = false;
  /** The purpose of the last shared transaction. */
  #lastPurpose: Purpose | undefined;

  constructor(transaction_gas: bigint) {
    this.#transaction_gas = transaction_gas;
  }

  get count(): number {
    return this.#waiting.length;
  }

  add(rider: Rider): void {
    this.#waiting.push(rider);
  }

  drop(rider: Rider): void {
    this.#waiting = this.#waiting.filter((other) => other !== rider);
  }

  takeAll(): Rider[] {
    return this.#waiting.splice(0);
  }

  /**
   * The first call alone if it must be; otherwise as many calls of one purpose as fit into a transaction, because
   * one budget pays it.
   */
  takeNext(): Rider[] {
    // Calls that travel alone take every other transaction, so that strangers cannot block the rest with them.
    const isTheirTurn = !this.#tookOneAlone || this.#waiting.every(({ alone }) => alone);
    this.#tookOneAlone = this.#waiting[0]!.alone && isTheirTurn;
    return this.#tookOneAlone ? this.#waiting.splice(0, 1) : this.#takeTogether();
  }

  #takeTogether(): Rider[] {
    // Purposes alternate, so that many calls of one do not delay another's.
    const together = this.#waiting.filter(({ alone }) => !alone);
    const next = together.find(({ purpose }) => purpose !== this.#lastPurpose) ?? together[0];
    this.#lastPurpose = next?.purpose;
    const riders = new Set<Rider>();
    let gas = BASE_GAS;
    for (const rider of together) {
      const more = rider.gas + GAS_EACH;
      if (rider.purpose !== this.#lastPurpose || gas + more > this.#transaction_gas) continue;
      gas += more;
      riders.add(rider);
    }
    this.#waiting = this.#waiting.filter((rider) => !riders.has(rider));
    return [...riders];
  }
}
