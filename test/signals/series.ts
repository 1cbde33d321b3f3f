/** Series made for tests, and a generator whose numbers are the same in each run. */
import type { Series } from "../../src/domain/signals/series.ts";

export const monthly = (values: readonly (number | null)[], more: Partial<Series> = {}): Series => ({
  dataset: "invented",
  subject: { kind: "above_last_year", reporter: "LV", flow: "IMPORT", hs: "44" },
  from: 201001,
  values,
  ...more,
});

/** Numbers from 0 to 1 by a seed: mulberry32 (Tommy Ettinger 2017, public domain). */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
