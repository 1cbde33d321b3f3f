import type { Nonces } from "../nonces.ts";
import type { FeeMarket, Fees } from "./fees.ts";
import type { GasAccount } from "./gas-account.ts";
import type { SendLimits } from "./limits.ts";

/** Processes that died leave no wider gap of nonces below a transaction: an endpoint lied, or the chain went far back. */
const WIDEST_GAP = 64;
/** So many times as long as a transaction of one's own is waited for, one of another process is. */
const LONG_STUCK = 3;

type Parts = { gas: GasAccount; fees: FeeMarket; nonces: Nonces; limits: SendLimits };

/** `is_far`: the gap below the nonce was too wide when it was last looked at. */
type Above = { readonly nonce: number; is_far?: boolean };

/** The nonces below a transaction that nobody uses up, without which it is not mined. */
export class NonceGaps {
  readonly #parts: Parts;
  /** The nonce that all others wait for, since when, and what was last paid to have it used up. */
  #awaited: { nonce: number; since: number; fees?: Fees } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * A dead process's transaction may pay too little by now, and nobody would raise it. After a long while it is replaced by one that does
   * nothing and pays more.
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
   * The process that took a nonce below uses it, unless it died before it sent; a reorg or a lying endpoint may have left a gap too. The
   * transaction above keeps its nonce, and transactions that do nothing go below it: all below a nonce that was used up is used up.
   * Answers false where the gap is too wide, twice in a row: a nonce so high is not waited for, and the nonces from the gap on are free.
   */
  async fillBelow(above: Above): Promise<boolean> {
    const { gas, fees, nonces, limits } = this.#parts;
    const end = performance.now() + limits.gap_ms;
    let filled = -1;
    // A node counts what waits in its pool up to the first gap.
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
