/**
 * Each round of a computation reads a million pairs, so they are compressed rows of plain numbers: row i from start[i]
 * to start[i + 1].
 */
import { decayed } from "./decay.ts";
import { type Rules, TS_TRUST_1 } from "./rules.ts";

/** A live attestation. Agents are passport numbers; days count from 1970-01-01. */
export type Edge = { from: number; to: number; weight_micro: number; day: number };

/** Passport numbers of a computation, ascending, and the index of each. */
export type Agents = { numbers: Int32Array; indexOf: Int32Array };

/** By index. `given`: the counted weight in millionths; never 0. */
export type Pairs = {
  count: number;
  incoming: { start: Int32Array; from: Int32Array; weight: Float64Array };
  outgoing: { start: Int32Array; to: Int32Array };
};

/** Passport numbers are at most a million, so an array indexes them. */
export function agentsAmong(named: Iterable<number>[], edges: readonly Edge[]): Agents {
  let most = 0;
  for (const { from, to } of edges) most = Math.max(most, from, to);
  for (const some of named) for (const sx of some) most = Math.max(most, sx);
  const indexOf = new Int32Array(most + 1).fill(-1);
  for (const { from, to } of edges) indexOf[from] = indexOf[to] = 0;
  for (const some of named) for (const sx of some) indexOf[sx] = 0;
  const numbers: number[] = [];
  for (let sx = 0; sx <= most; sx++) if (indexOf[sx] === 0) indexOf[sx] = numbers.push(sx) - 1;
  return { numbers: Int32Array.from(numbers), indexOf };
}

export function pairsAmong(
  { numbers, indexOf }: Agents,
  { day, edges, silent }: { day: number; edges: readonly Edge[]; silent: ReadonlySet<number> },
  rules: Rules,
): Pairs {
  const from = new Int32Array(edges.length);
  const to = new Int32Array(edges.length);
  const weight = new Float64Array(edges.length);
  let counted = 0;
  for (const edge of edges) {
    if ((edge.from === edge.to && !rules.own_voice) || silent.has(edge.from)) continue;
    const left = decayed(edge.weight_micro, day, edge.day);
    if (left === 0) continue;
    from[counted] = indexOf[edge.from]!;
    to[counted] = indexOf[edge.to]!;
    weight[counted++] = left;
  }
  const weights = rowsBy(from.subarray(0, counted), to, weight, numbers.length);
  const pairs = {
    from: new Int32Array(counted),
    to: new Int32Array(counted),
    weight: new Float64Array(counted),
  };
  const rowOf = new Int32Array(numbers.length).fill(-1);
  let count = 0;
  for (let attestor = 0; attestor < numbers.length; attestor++) {
    const first = count;
    for (let at = weights.start[attestor]!; at < weights.start[attestor + 1]!; at++) {
      const subject = weights.other[at]!;
      // A row before `first` belongs to another attestor.
      if (rowOf[subject]! < first) {
        rowOf[subject] = count;
        pairs.to[count] = subject;
        pairs.weight[count++] = 0;
      }
      pairs.weight[rowOf[subject]!]! += weights.value[at]!;
    }
    count = keepCounted(pairs, attestor, first, count, rules);
    // Pairs without a counted weight gave their rows to others.
    for (let at = weights.start[attestor]!; at < weights.start[attestor + 1]!; at++)
      rowOf[weights.other[at]!] = -1;
  }
  const speaking = pairs.from.subarray(0, count);
  const subjects = pairs.to.subarray(0, count);
  const incoming = rowsBy(subjects, speaking, pairs.weight, numbers.length);
  return {
    count,
    incoming: { start: incoming.start, from: incoming.other, weight: incoming.value },
    // Pairs were made attestor by attestor.
    outgoing: { start: startsBy(speaking, numbers.length), to: subjects },
  };
}

/** Replaces one attestor's weights, from row `first`, by their counted part; returns the end of its rows. */
function keepCounted(
  { from, to, weight }: { from: Int32Array; to: Int32Array; weight: Float64Array },
  attestor: number,
  first: number,
  end: number,
  rules: Rules,
): number {
  let out = 0;
  for (let at = first; at < end; at++) out += weight[at] = Math.min(rules.pair_most, weight[at]!);
  let kept = first;
  for (let at = first; at < end; at++) {
    const counts = countedWeight(weight[at]!, out, rules);
    if (counts === 0) continue;
    from[kept] = attestor;
    to[kept] = to[at]!;
    weight[kept++] = counts;
  }
  return kept;
}

/** The counted part of a pair if its attestor's sum is `out`. */
export const countedWeight = (weight: number, out: number, { budget }: Rules = TS_TRUST_1): number =>
  out > budget ? Math.floor((weight * budget) / out) : weight;

/** Start of each index's rows, and the end of the last. */
function startsBy(index: Int32Array, rows: number): Int32Array {
  const start = new Int32Array(rows + 1);
  for (const row of index) start[row + 1]!++;
  for (let row = 0; row < rows; row++) start[row + 1]! += start[row]!;
  return start;
}

/** A counting sort by index. */
function rowsBy(index: Int32Array, others: Int32Array, values: Float64Array, rows: number) {
  const start = startsBy(index, rows);
  const next = start.slice();
  const other = new Int32Array(index.length);
  const value = new Float64Array(index.length);
  for (let at = 0; at < index.length; at++) {
    const place = next[index[at]!]!++;
    other[place] = others[at]!;
    value[place] = values[at]!;
  }
  return { start, other, value };
}
