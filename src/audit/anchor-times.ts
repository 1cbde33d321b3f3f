/** When the first events of a log were anchored: none of them was recorded later. */
import { CLOCK_S } from "./named-blocks.ts";

/** The first `size` events stood in a block of this time, in seconds of Unix time. */
export type TimeBound = { size: number; at: number };

export class AnchorTimes {
  /** For events up to `size`, the earliest anchor that has them. */
  readonly #bounds: { size: number; earliest: TimeBound }[] = [];

  /** The earliest of several anchors counts for the events that they have in common. */
  constructor(bounds: readonly TimeBound[]) {
    let earliest: TimeBound | undefined;
    for (const bound of bounds.toSorted((a, b) => a.size - b.size).reverse()) {
      if (!earliest || bound.at < earliest.at) earliest = bound;
      this.#bounds.push({ size: bound.size, earliest });
    }
    this.#bounds.reverse();
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
    const bound = this.#bounds[low]?.earliest;
    return bound && recorded_at_us > (bound.at + CLOCK_S) * 1_000_000 ? bound : undefined;
  }
}
