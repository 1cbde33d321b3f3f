/** The times of a log's anchors: no anchored event was recorded later. */
import { CLOCK_S } from "./named-blocks.ts";

/** The first `size` events were in a block of this time, in Unix seconds. */
export type TimeBound = { size: number; at: number };

export class AnchorTimes {
  /** The earliest anchor of the events up to `size`. */
  readonly #bounds: { size: number; earliest: TimeBound }[] = [];

  /** Events covered by several anchors count by the earliest. */
  constructor(bounds: readonly TimeBound[]) {
    let earliest: TimeBound | undefined;
    for (const bound of bounds.toSorted((a, b) => a.size - b.size).reverse()) {
      if (!earliest || bound.at < earliest.at) earliest = bound;
      this.#bounds.push({ size: bound.size, earliest });
    }
    this.#bounds.reverse();
  }

  /** The anchor before which this event should have been recorded, if it was not. */
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
