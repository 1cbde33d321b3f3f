/** An index over the names of a nomenclature: by head words, by all words, and by code. */
import { isEveryday } from "./vocabulary.ts";
import { englishStem, foldedIn, type Word } from "./words.ts";

export type ProductName = { code: string; name: string };
/** The names of codes at all levels; a code may have several. */
export type Nomenclature = readonly ProductName[];

export type NamedCode = {
  code: string;
  /** The head words of the name: "coffee" and "coffee husks" of "Coffee; coffee husks". */
  heads: readonly (readonly string[])[];
  terms: ReadonlySet<string>;
};

export type NamesIndex = {
  entries: readonly NamedCode[];
  /** The entries that have a term, outside of what they exclude. */
  byTerm: ReadonlyMap<string, readonly NamedCode[]>;
  /** Each word of any name, folded. */
  words: ReadonlySet<string>;
  nameOf(code: string): string | undefined;
  /** The entries below a code. */
  below(code: string): readonly NamedCode[];
  rarity(term: string): number;
};

/** "Sawn wood (excl. of oak)" is about oak only in what it leaves out; text in quotes explains. */
const withoutExclusions = (name: string) =>
  name.replaceAll(/\((?:excl|other than|not)[^)]*\)?/gi, " ").replaceAll(/"[^"]*"?/g, " ");

/** A phrase's head ends where it begins to say of what, for what and with what. */
const headEnds =
  /(?:^|\s)(?:of|for|with|in|on|whether|not|having|containing|weighing|whose|including|other|than|consisting|suitable|intended|used|obtained|by|from|without|put|made|excl|incl|n\.e\.s|to|as|at|thereof|being)(?:\s|$).*/i;

function headsOf(name: string): string[][] {
  const phrases = withoutExclusions(name).split(/[;,()]|\sand\s|\sor\s/i);
  const heads = phrases.map((phrase) =>
    foldedIn(phrase.replace(headEnds, " "))
      .map(englishStem)
      .filter((term) => term !== "live"),
  );
  return heads.filter(({ length }) => length > 0 && length < 5).slice(0, 6);
}

const indexes = new WeakMap<Nomenclature, NamesIndex>();

/** The index over a nomenclature, made once. */
export function indexOf(nomenclature: Nomenclature): NamesIndex {
  const ready = indexes.get(nomenclature);
  if (ready) return ready;
  const made = makeIndex(nomenclature);
  indexes.set(nomenclature, made);
  return made;
}

function makeIndex(nomenclature: Nomenclature): NamesIndex {
  const words = new Set<string>();
  const byTerm = new Map<string, NamedCode[]>();
  const entries = nomenclature.map(({ code, name }) => {
    for (const folded of foldedIn(name)) words.add(folded);
    const terms = new Set(foldedIn(withoutExclusions(name)).map(englishStem));
    const entry = { code, heads: headsOf(name), terms };
    for (const term of terms) {
      const found = byTerm.get(term);
      if (found) found.push(entry);
      else byTerm.set(term, [entry]);
    }
    return entry;
  });
  const byCode = entries.toSorted((a, b) => (a.code < b.code ? -1 : a.code > b.code ? 1 : 0));
  const names = new Map<string, string>();
  for (const { code, name } of nomenclature) if (!names.has(code)) names.set(code, name);
  return {
    entries,
    byTerm,
    words,
    nameOf: (code) => names.get(code) ?? names.get(`${code}0000`.slice(0, 8)) ?? names.get(`${code}00`),
    below: (code) => within(byCode, code),
    rarity: (term) => Math.log(1 + entries.length / (1 + (byTerm.get(term)?.length ?? 0))),
  };
}

/** The part of the sorted entries whose codes begin with `code`. */
function within(byCode: readonly NamedCode[], code: string): readonly NamedCode[] {
  let [low, high] = [0, byCode.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byCode[middle]!.code < code) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < byCode.length && byCode[end]!.code.startsWith(code)) end++;
  return byCode.slice(low, end);
}

export type Scored = { code: string; score: number };

const LEVEL: Readonly<Record<number, number>> = { 2: 1, 4: 0.95, 6: 0.8, 8: 0.7 };
/** Below this, an entry only mentions the words. */
const LEAST_SCORE = 0.5;

/** The codes whose names are about the words, the best first. Each word counts by its rarity. */
export function searchNames(index: NamesIndex, words: readonly Word[]): Scored[] {
  const terms = [...new Set(words.map(({ english }) => english))].filter((term) => index.byTerm.has(term));
  if (terms.length === 0 || terms.length < new Set(words.map(({ english }) => english)).size) return [];
  const rarest = terms.reduce((best, term) => (index.rarity(term) > index.rarity(best) ? term : best));
  const last = words.at(-1)!.english;
  const found = new Map<string, number>();
  for (const entry of index.byTerm.get(rarest) ?? []) {
    if (!terms.every((term) => entry.terms.has(term))) continue;
    const score = aboutness(index, entry, { terms, last }) * (LEVEL[entry.code.length] ?? 0.5);
    if (score >= LEAST_SCORE * 0.7) found.set(entry.code, Math.max(score, found.get(entry.code) ?? 0));
  }
  return [...found]
    .map(([code, score]) => ({ code, score }))
    .sort((a, b) => b.score - a.score || (a.code < b.code ? -1 : 1));
}

/** From 0 to 1: how much of what a name is about are the words. */
function aboutness(
  index: NamesIndex,
  entry: NamedCode,
  { terms, last }: { terms: readonly string[]; last: string },
): number {
  const weigh = (all: Iterable<string>) => [...all].reduce((sum, term) => sum + index.rarity(term), 0);
  const heads = entry.heads.map((head, at) => {
    if (!head.includes(last)) return 0;
    const share = weigh(head.filter((term) => terms.includes(term))) / weigh(head);
    return share * (head.at(-1) === last || at === 0 ? 1 : 0.7) * (1 - 0.08 * Math.min(at, 4));
  });
  const precision = weigh(terms) / weigh([...entry.terms].filter((term) => !isEveryday(term)));
  return 0.75 * Math.max(0, ...heads) + 0.25 * Math.min(1, precision);
}
