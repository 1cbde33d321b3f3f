/**
 * Which agents speak of which, and how much of it counts. A million pairs are walked in every round of a computation, so they stand in
 * compressed rows of plain numbers: those of agent i from start[i] to before start[i + 1].
 */
import { decayed } from "./decay.ts";
import { type Rules, TS_TRUST_1 } from "./rules.ts";

/** An attestation that is live: how much one agent says of a skill of another. Agents are passport numbers, days count from 1970-01-01. */
export type Edge = { from: number; to: number; weight_micro: number; day: number };

/** Agents of a computation, ascending by number, and the index of each. */
export type Agents = { numbers: Int32Array; indexOf: Int32Array };

/** By index. `given`: how much counts of what an attestor says, in millionths of a weight; never 0. */
export type Pairs = {
  count: number;
  heard: { start: Int32Array; from: Int32Array; given: Float64Array };
  spoken: { start: Int32Array; to: Int32Array };
};

/** Those whom anything names, by their passport numbers, which are at most a million. */
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
  const said = rowsBy(from.subarray(0, counted), to, weight, numbers.length);
  const pairs = {
    from: new Int32Array(counted),
    to: new Int32Array(counted),
    given: new Float64Array(counted),
  };
  const placeOf = new Int32Array(numbers.length).fill(-1);
  let count = 0;
  for (let attestor = 0; attestor < numbers.length; attestor++) {
    const first = count;
    for (let at = said.start[attestor]!; at < said.start[attestor + 1]!; at++) {
      const subject = said.other[at]!;
      // A place before `first` is another attestor's.
      if (placeOf[subject]! < first) {
        placeOf[subject] = count;
        pairs.to[count] = subject;
        pairs.given[count++] = 0;
      }
      pairs.given[placeOf[subject]!]! += said.value[at]!;
    }
    count = countedOf(pairs, attestor, first, count, rules);
    // What did not count has left its place to others.
    for (let at = said.start[attestor]!; at < said.start[attestor + 1]!; at++) placeOf[said.other[at]!] = -1;
  }
  const speaking = pairs.from.subarray(0, count);
  const subjects = pairs.to.subarray(0, count);
  const heard = rowsBy(subjects, speaking, pairs.given, numbers.length);
  return {
    count,
    heard: { start: heard.start, from: heard.other, given: heard.value },
    // They were made attestor by attestor.
    spoken: { start: startsBy(speaking, numbers.length), to: subjects },
  };
}

/** Turns what one attestor says, from `first` on, into what counts of it; answers where those that count end. */
function countedOf(
  { from, to, given }: { from: Int32Array; to: Int32Array; given: Float64Array },
  attestor: number,
  first: number,
  end: number,
  rules: Rules,
): number {
  let out = 0;
  for (let at = first; at < end; at++) out += given[at] = Math.min(rules.pair_most, given[at]!);
  let kept = first;
  for (let at = first; at < end; at++) {
    const counts = givenOf(given[at]!, out, rules);
    if (counts === 0) continue;
    from[kept] = attestor;
    to[kept] = to[at]!;
    given[kept++] = counts;
  }
  return kept;
}

/** What counts of a pair whose attestor says `out` of all. */
export const givenOf = (said: number, out: number, { budget }: Rules = TS_TRUST_1): number =>
  out > budget ? Math.floor((said * budget) / out) : said;

/** Where the rows of each index begin, and where the last ends. */
function startsBy(index: Int32Array, rows: number): Int32Array {
  const start = new Int32Array(rows + 1);
  for (const row of index) start[row + 1]!++;
  for (let row = 0; row < rows; row++) start[row + 1]! += start[row]!;
  return start;
}

/** Sorts by index, by counting. */
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
