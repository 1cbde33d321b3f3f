/** When the first events of a log were anchored: none of them was recorded later. */
import { CLOCK_S } from "./named-blocks.ts";

/** The first `size` events stood in a block of this time, in seconds of Unix time. */
export type TimeBound = { size: number; at: number };

export class AnchorTimes {
  readonly #bounds: TimeBound[] = [];

  /** The earliest of several anchors counts for the events that they have in common. */
  constructor(bounds: readonly TimeBound[]) {
    let at = Number.POSITIVE_INFINITY;
    for (const bound of bounds.toSorted((a, b) => b.size - a.size)) {
      at = Math.min(at, bound.at);
      this.#bounds.unshift({ size: bound.size, at });
    }
  }

  /** The anchor that an event at this position comes too late for. */
  missedBy(position: number, recorded_at_us: number): TimeBound | undefined {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#bounds[middle]!.size < position) low = middle + 1;
      else high = middle;
    }
    const bound = this.#bounds[low];
    return bound && recorded_at_us > (bound.at + CLOCK_S) * 1_000_000 ? bound : undefined;
  }
}
