import { setTimeout as sleep } from "node:timers/promises";
import type { Call, Hex, Receipt } from "../../core/model/chain.ts";
import { ChainUnavailable, GasKeyEmpty, TransactionPending } from "../../core/model/ports/chain.ts";
import { aggregateCall } from "../multicall.ts";
import type { Nonces } from "../nonces.ts";
import type { FeeMarket, Fees } from "./fees.ts";
import type { GasAccount } from "./gas-account.ts";
import type { SendLimits } from "./limits.ts";
import type { NonceGaps } from "./nonce-gaps.ts";
import { gasOf, type Rider } from "./waiting-calls.ts";

const FIRST_POLL_MS = 4;
const OVERTAKEN = "another transaction of the gas key took the nonce";

export type CarriageParts = {
  gas: GasAccount;
  fees: FeeMarket;
  gaps: NonceGaps;
  nonces: Nonces;
  receipt(transaction: Hex): Promise<Receipt | undefined>;
  limits: SendLimits;
  isClosed(): boolean;
};

/**
 * A nonce and the transactions signed for it; a node accepted the newest, `raw`, at `sent_at`. `is_contested`: the
 * node has another transaction of this nonce; `foreign_since`: when the nonce was first found used by none of ours;
 * `looked_at`: when a gap below it was last checked, or when it was first sent; `is_far`: that gap was too wide.
 */
type Flight = {
  nonce: number;
  attempts: Hex[];
  raw: Hex;
  fees: Fees;
  signed_at: number;
  sent_at?: number;
  is_contested?: boolean;
  foreign_since?: number | undefined;
  looked_at?: number | undefined;
  is_far?: boolean;
};
type Unsigned = Pick<Flight, "nonce" | "attempts" | "fees" | "looked_at">;

/** `raise`: it is stuck; `overtaken`: another transaction used its nonce; `left`: its nonce is far too high. */
type Course = "go-on" | "send-again" | "raise" | "overtaken" | "left";

/** Carries one or more calls to a receipt, by one transaction or its replacements. */
export class Carriage {
  readonly #parts: CarriageParts;
  readonly #riders: readonly Rider[];
  readonly #first: Rider;
  readonly #signed: Hex[] = [];
  #call: Call;
  #gas = 0n;
  #flight: Flight | undefined;

  constructor(parts: CarriageParts, riders: readonly Rider[]) {
    this.#parts = parts;
    this.#riders = riders;
    this.#first = riders[0]!;
    this.#call = this.#first;
  }

  /** Riders past their limit are rejected, but their nonce is still brought to an end. */
  async run(): Promise<void> {
    const { limits, isClosed } = this.#parts;
    for (let pause = FIRST_POLL_MS; !isClosed(); pause = Math.min(pause * 1.5, limits.poll_ms)) {
      if ((await this.#step()) === "over") return;
      if (this.#riders.every(({ given_up }) => given_up)) return;
      await sleep(pause);
    }
    const isSigned = this.#signed.length > 0;
    this.#reject(
      isSigned ? new TransactionPending(this.#signed) : new ChainUnavailable("the queue was closed"),
    );
  }

  async #step(): Promise<"over" | "open"> {
    try {
      this.#flight ??= await this.#begin();
      return this.#flight ? await this.#follow(this.#flight) : "over";
    } catch (error) {
      for (const rider of this.#riders) rider.trouble = error;
      // It is sent again, so a pool may have it already.
      const wasNeverSent = this.#signed.length === 1 && this.#flight?.looked_at === undefined;
      if (!(error instanceof GasKeyEmpty) || !wasNeverSent) return "open";
      await this.#parts.nonces.giveBack(this.#flight!.nonce);
      return this.#reject(error);
    }
  }

  /** Takes a nonce and signs for the riders that still wait; undefined if none does. */
  async #begin(): Promise<Flight | undefined> {
    const { gas, fees: market, nonces } = this.#parts;
    const [next, fees] = await Promise.all([gas.nextNonce(), market.current()]);
    // A call that must travel alone needs a shared nonce; the chain itself prevents mining the others twice.
    const nonce = await nonces.take(next).catch((error) => {
      if (this.#first.alone) throw error;
      return next;
    });
    const isAllowed = await isConfirmed(this.#first);
    const aboard = this.#riders.filter(({ given_up }) => !given_up);
    if (aboard.length === 0 || !isAllowed) {
      await nonces.giveBack(nonce);
      return undefined;
    }
    for (const rider of aboard) rider.signed = this.#signed;
    if (!this.#first.alone) this.#call = aggregateCall(aboard);
    this.#gas = gasOf(aboard);
    return this.#sign({ nonce, attempts: [], fees }).catch(async (error) => {
      // Nothing was sent with this nonce, and before the first signature nothing at all.
      if (this.#signed.length === 0) for (const rider of aboard) rider.signed = undefined;
      await nonces.giveBack(nonce);
      throw error;
    });
  }

  async #sign({ nonce, attempts, fees, looked_at }: Unsigned): Promise<Flight> {
    const { purpose } = this.#first;
    const { raw, hash } = await this.#parts.gas.sign(this.#call, { nonce, gas: this.#gas, fees, purpose });
    for (const rider of this.#riders) rider.recorded?.();
    this.#signed.push(hash);
    return { nonce, attempts: [...attempts, hash], fees, raw, signed_at: performance.now(), looked_at };
  }

  async #follow(flight: Flight): Promise<"over" | "open"> {
    const isToSend = flight.sent_at === undefined;
    const refused = isToSend ? await this.#broadcast(flight).catch((error: Error) => error) : undefined;
    // It was sent before, so it may be mined despite the error.
    const mined = await this.#receiptOf(flight);
    if (mined) {
      for (const rider of this.#riders) rider.resolve(mined);
      return "over";
    }
    // A transaction that nodes keep refusing, for example for a low fee, is stuck too.
    if (refused && (refused instanceof GasKeyEmpty || !this.#isStuckSince(flight.signed_at))) throw refused;
    return this.#steer(flight, await this.#courseOf(flight));
  }

  async #broadcast(flight: Flight): Promise<void> {
    if ((await this.#parts.gas.broadcast(flight.raw)) === "contested") flight.is_contested = true;
    flight.sent_at = performance.now();
    flight.looked_at ??= flight.sent_at;
  }

  /** Newest first, because it is the most likely. */
  async #receiptOf({ attempts }: Flight): Promise<Receipt | undefined> {
    for (const hash of attempts.toReversed()) {
      const mined = await this.#parts.receipt(hash);
      if (mined) return mined;
    }
    return undefined;
  }

  async #courseOf(flight: Flight): Promise<Course> {
    const { gas, gaps, limits } = this.#parts;
    const now = performance.now();
    const isStuck = this.#isStuckSince(flight.sent_at ?? flight.signed_at);
    const isLookDue = now - (flight.looked_at ?? flight.signed_at) > limits.gap_ms;
    if (!isStuck && !flight.is_contested && !isLookDue) return "go-on";
    const next = await gas.nextNonce();
    if (isLookDue) {
      flight.looked_at = now;
      if (next < flight.nonce) {
        await gaps.useUp(next, now);
        if (!(await gaps.fillBelow(flight))) return "left";
      }
    }
    // A missing receipt is not evidence that another transaction used the nonce.
    if (!isStuck && !flight.is_contested) return "go-on";
    if (next > flight.nonce) {
      flight.foreign_since ??= now;
      return now - flight.foreign_since > limits.foreign_ms ? "overtaken" : "go-on";
    }
    // A reorg may have removed the foreign transaction.
    flight.foreign_since = undefined;
    if (!isStuck) return "go-on";
    // At the highest fee, or behind others, the same bytes are sent again, because a node may have dropped them.
    return next === flight.nonce && flight.fees.maxFeePerGas < limits.max_fee_wei ? "raise" : "send-again";
  }

  async #steer(flight: Flight, course: Course): Promise<"over" | "open"> {
    const { alone, renew } = this.#first;
    // The abandoned transaction may yet be mined, so a call that may be carried only once is not sent again.
    if (course === "left" && alone) return this.#reject(new TransactionPending(this.#signed));
    if (course === "overtaken" && alone && renew) return this.#reject(new ChainUnavailable(OVERTAKEN));
    if (course === "left" || course === "overtaken") this.#flight = undefined;
    if (course === "send-again") delete flight.sent_at;
    if (course === "raise") {
      await this.#renewCall();
      this.#flight = await this.#sign({ ...flight, fees: await this.#parts.fees.above(flight.fees) });
    }
    return "open";
  }

  /** Without a newer call, the nonce keeps its current one. */
  async #renewCall(): Promise<void> {
    const { alone, renew } = this.#first;
    const renewed = alone ? await renew?.().catch(() => undefined) : undefined;
    if (!renewed) return;
    this.#call = renewed;
    this.#gas = gasOf([renewed]);
  }

  #isStuckSince(at: number): boolean {
    return performance.now() - at > this.#parts.limits.stuck_ms;
  }

  #reject(error: Error): "over" {
    for (const rider of this.#riders) rider.reject(error);
    return "over";
  }
}

/** A waiting call may become invalid: then it is rejected and nothing is sent. */
async function isConfirmed({ alone, confirm, reject }: Rider): Promise<boolean> {
  if (!alone || !confirm) return true;
  return confirm().then(
    () => true,
    (error) => {
      reject(error);
      return false;
    },
  );
}
