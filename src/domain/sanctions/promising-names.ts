/** The listed names that share the most weight with a query, for a closer look. */

import { LEAST_JOINED } from "./alike-words.ts";
import type { NameIndex } from "./index.ts";
import type { QueryWord } from "./query-words.ts";

/** Names that are looked at closely, the most promising first. */
const MOST_CLOSELY = 150;

/** Sums by name, which a query fills and clears again. */
class Sums {
  #sums = new Float64Array(0);
  #best = new Float64Array(0);

  /** For each candidate name: the sum, over the query's words, of its best match for each. */
  over(
    index: NameIndex,
    queried: readonly QueryWord[],
    alike: readonly Map<number, number>[],
  ): [name: number, sum: number][] {
    const count = index.names.length;
    if (this.#sums.length < count)
      [this.#sums, this.#best] = [new Float64Array(count), new Float64Array(count)];
    const [sums, best] = [this.#sums, this.#best];
    const touched: number[] = [];
    for (const [i, { span, weight: own }] of queried.entries()) {
      const seen: number[] = [];
      for (const [word, how] of alike[i]!) {
        const { single, joined } = index.places[word]!;
        const weight = how * Math.min(own, index.weights[word]!);
        for (const name of single) {
          if (best[name] === 0) seen.push(name);
          if (weight > best[name]!) best[name] = weight;
        }
        if (how < LEAST_JOINED || span === 2) continue;
        for (const name of joined) {
          if (best[name] === 0) seen.push(name);
          if (how * own > best[name]!) best[name] = how * own;
        }
      }
      for (const name of seen) {
        if (sums[name] === 0) touched.push(name);
        sums[name]! += best[name]!;
        best[name] = 0;
      }
    }
    return touched.map((name) => {
      const sum = sums[name]!;
      sums[name] = 0;
      return [name, sum];
    });
  }
}

const sums = new Sums();

/** Names that share much weight with the query, the most first. */
export function promising(
  index: NameIndex,
  queried: readonly QueryWord[],
  alike: readonly Map<number, number>[],
): number[] {
  const shares = sums.over(index, queried, alike);
  for (const share of shares) share[1] /= Math.sqrt(index.totals[share[0]]!);
  if (shares.length > MOST_CLOSELY) shares.sort((a, b) => b[1] - a[1]);
  return shares.slice(0, MOST_CLOSELY).map(([name]) => name);
}
