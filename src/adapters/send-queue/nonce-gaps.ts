import type { Nonces } from "../nonces.ts";
import type { FeeMarket, Fees } from "./fees.ts";
import type { GasAccount } from "./gas-account.ts";
import type { SendLimits } from "./limits.ts";

/** Dead processes leave no wider gap of nonces: an endpoint lied, or the chain was reorganized deeply. */
const WIDEST_GAP = 64;
/** Another process's transaction gets this many times the patience of our own. */
const LONG_STUCK = 3;

type Parts = { gas: GasAccount; fees: FeeMarket; nonces: Nonces; limits: SendLimits };

/** `is_far`: the gap below the nonce was too wide at the last check. */
type HigherNonce = { readonly nonce: number; is_far?: boolean };

/** Fills nonces that nobody uses and that keep a later transaction from being mined. */
export class NonceGaps {
  readonly #parts: Parts;
  /** The nonce that blocks all others, since when, and the last fee paid to fill it. */
  #awaited: { nonce: number; since: number; fees?: Fees } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * A dead process's transaction may pay too little, and nobody would replace it. After a long time an empty
   * transaction with a higher fee replaces it.
   */
  async useUp(nonce: number, now: number): Promise<void> {
    const { gas, fees: market, limits } = this.#parts;
    if (this.#awaited?.nonce !== nonce) this.#awaited = { nonce, since: now };
    const { since, fees: paid } = this.#awaited;
    if (now - since < LONG_STUCK * limits.stuck_ms) return;
    const fees = paid ? await market.above(paid) : await market.current();
    this.#awaited = { nonce, since: now - (LONG_STUCK - 1) * limits.stuck_ms, fees };
    await gas.doNothing(nonce, fees);
  }

  /**
   * The owner of a lower nonce uses it, unless it died before sending; a reorg or a lying endpoint may also leave a
   * gap. Empty transactions fill the gap, and the transaction above keeps its nonce. Returns false if the gap was
   * too wide twice in a row: such a nonce is abandoned, and the nonces from the gap on are free.
   */
  async fillBelow(above: HigherNonce): Promise<boolean> {
    const { gas, fees, nonces, limits } = this.#parts;
    const end = performance.now() + limits.gap_ms;
    let filled = -1;
    // A node counts its pool's transactions up to the first gap.
    for (let gap = await this.#first(); gap < above.nonce; gap = await this.#first()) {
      const was_far = above.is_far;
      above.is_far = above.nonce - gap > WIDEST_GAP;
      if (above.is_far && !was_far) return true;
      if (above.is_far) {
        await nonces.leave(above.nonce, gap);
        return false;
      }
      if (gap === filled || performance.now() > end) return true;
      filled = gap;
      await gas.doNothing(gap, await fees.current());
    }
    above.is_far = false;
    return true;
  }

  #first(): Promise<number> {
    return this.#parts.gas.nextNonce("pending");
  }
}
