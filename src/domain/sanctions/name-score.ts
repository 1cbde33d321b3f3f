/** The score of a listed name for a query: the matched weight relative to all words of both. */

import { canBeJoined, LEAST_JOINED, MANY_CONSONANTS, OTHER_SPELLING } from "./alike-words.ts";
import { hasFirstAndLast } from "./first-and-last.ts";
import type { IndexedName, NameIndex } from "./index.ts";
import type { OmissibleWords } from "./omissible-words.ts";
import { INITIAL, type QueryWord } from "./query-words.ts";
import { alikeness } from "./similarity.ts";

/** The weight of an unmatched word of a person's listed name: fathers' and middle names are often omitted. */
const LEFT_OUT = 0.5;
/** The same where all words of the query are the listed first and last name, and together rare enough. */
const LEFT_OUT_BETWEEN = 0.2;
const RARE_PAIR = 1.5;
/** The factor of two neighbours written as one: a join costs a little. */
export const JOINED = 0.97;
/** The factor on dissimilarity. */
const UNLIKE = 1.3;
/** Words at least this similar are two spellings of one name, weighed as the more common one. */
const SAME_NAME = 0.94;
/** In words of at most this many letters a different letter makes another name. */
const SHORT = 4;
/** The factor on dissimilarity in short words. */
const UNLIKE_SHORT = 2;

/** A matched pair of words, one of the query and one of the listed name, and their similarity. */
export type MatchedWord = { given: string; listed: string; alike: number };
export type Hit = { of: IndexedName; score: number; words: MatchedWord[] };

/** `alike` has, for each of the words, the listed words like it with their similarity. */
export type Query = {
  texts: readonly string[];
  words: readonly QueryWord[];
  alike: readonly ReadonlyMap<number, number>[];
  omissible: OmissibleWords;
};

type Listed = {
  of: IndexedName;
  texts: readonly string[];
  weights: readonly number[];
  isPerson: boolean;
  isOfInitials: boolean;
};

/** A word of the query and one of the listed name, or two neighbours as one. `own` and `theirs` are their weights. */
type Pair = {
  query: QueryWord;
  at: number;
  span: 1 | 2;
  how: number;
  own: number;
  theirs: number;
  listed: string;
  isInitial: boolean;
};

/** The places of the words that the chosen pairs use. */
type Chosen = { pairs: readonly Pair[]; given: ReadonlySet<number>; listed: ReadonlySet<number> };

export function scoreOf(index: NameIndex, name: number, query: Query): Hit {
  const listed = listedName(index, name);
  const { of, isPerson } = listed;
  const chosen = chosenOf(pairsOf(index, query, listed));
  const words = chosen.pairs.map(({ query: { at, span }, listed, how }) => ({
    given: query.texts.slice(at, at + span).join(" "),
    listed,
    alike: how,
  }));
  const matched = sum(chosen.pairs, (pair) => contrastOf(pair) * Math.min(pair.own, pair.theirs));
  if (matched === 0) return { of, score: 0, words };
  const unmatched = query.words.filter(
    ({ at, span }) => span === 1 && !chosen.given.has(at) && query.omissible?.[at] === undefined,
  );
  const given = sum(
    unmatched,
    ({ weight }) => weight,
    sum(chosen.pairs, ({ own }) => own),
  );
  const leftOut = !isPerson
    ? 1
    : isFirstAndLast(query, listed, { ...chosen, weight: given })
      ? LEFT_OUT_BETWEEN
      : LEFT_OUT;
  const omitted = [...listed.texts.keys()].filter(
    (at) => !chosen.listed.has(at) && of.omissible?.[at] === undefined,
  );
  const weightOf = (at: number) => (listed.texts[at]!.length === 1 ? INITIAL / 2 : listed.weights[at]!);
  const all = sum(
    omitted,
    (at) => leftOut * weightOf(at),
    sum(chosen.pairs, ({ theirs }) => theirs),
  );
  return { of, score: Math.min(1, matched / Math.sqrt(given * all)), words };
}

const sum = <T>(parts: readonly T[], of: (part: T) => number, first = 0): number =>
  parts.reduce((total, part) => total + of(part), first);

function listedName(index: NameIndex, name: number): Listed {
  const of = index.names[name]!;
  const texts = of.words.map((word) => index.vocabulary[word]!.text);
  const weights = of.words.map((word) => index.weights[word]!);
  const isOfInitials = texts.every(({ length }) => length === 1);
  return { of, texts, weights, isPerson: of.entry.kind === "person", isOfInitials };
}

const isForm = (omissible: OmissibleWords, at: number) => omissible?.[at] === "form";

function pairsOf(index: NameIndex, query: Query, listed: Listed): Pair[] {
  const pairs: Pair[] = [];
  for (const [i, word] of query.words.entries()) {
    if (isForm(query.omissible, word.at)) continue;
    const alike = query.alike[i]!;
    for (let at = 0; at < listed.texts.length; at++) {
      if (isForm(listed.of.omissible, at)) continue;
      const single = singlePair(index, word, listed, at, alike);
      if (single) pairs.push(single);
      const joined = joinedPair(index, word, listed, at, alike);
      if (joined) pairs.push(joined);
    }
  }
  return pairs;
}

function singlePair(
  index: NameIndex,
  query: QueryWord,
  name: Listed,
  at: number,
  alike: ReadonlyMap<number, number>,
): Pair | undefined {
  const how = initialAware(index, query, name, at, alike);
  if (how === 0) return undefined;
  const listed = name.texts[at]!;
  const isInitial = query.word.text.length === 1 || listed.length === 1;
  const listedAs = isInitial ? INITIAL : name.weights[at]!;
  const givenAs = isInitial ? INITIAL : query.isKnown ? query.weight : listedAs;
  const isSame = how >= SAME_NAME;
  const own = isSame ? Math.min(listedAs, givenAs) : givenAs;
  const theirs = isSame ? own : listedAs;
  return { query, at, span: 1, how: query.span === 2 ? how * JOINED : how, own, theirs, listed, isInitial };
}

/** The query's word and two neighbours of the listed name as one. */
function joinedPair(
  index: NameIndex,
  query: QueryWord,
  name: Listed,
  at: number,
  alike: ReadonlyMap<number, number>,
): Pair | undefined {
  if (query.span === 2 || at + 1 === name.texts.length) return undefined;
  const both = name.of.joins[at]!;
  const how = alike.get(both) ?? 0;
  const isJoined =
    (how >= MANY_CONSONANTS && query.isUnvowelled) ||
    (how > 0 && canBeJoined(query.word.text, index.vocabulary[both]!.text));
  if (!isJoined || how < LEAST_JOINED) return undefined;
  const weight = name.weights[at]! + name.weights[at + 1]!;
  const listed = `${name.texts[at]} ${name.texts[at + 1]}`;
  return { query, at, span: 2, how: how * JOINED, own: weight, theirs: weight, listed, isInitial: false };
}

/**
 * An initial of the query matches every word that begins with it, so no index is needed. Names of initials alone are
 * not matched, nor single letters in names of non-persons.
 */
function initialAware(
  index: NameIndex,
  { word, span }: QueryWord,
  { of, texts, isPerson, isOfInitials }: Listed,
  at: number,
  alike: ReadonlyMap<number, number>,
): number {
  const listed = of.words[at]!;
  if (isOfInitials || (!isPerson && texts[at]!.length === 1)) return word.text === texts[at] ? 1 : 0;
  if (span === 1 && word.text.length === 1) return alikeness(word, index.vocabulary[listed]!);
  return alike.get(listed) ?? 0;
}

/** Uses each word once, whole words first: an initial may only match a remaining word. */
function chosenOf(pairs: Pair[]): Chosen {
  const worth = ({ how, own, theirs }: Pair) => how * Math.min(own, theirs);
  pairs.sort((a, b) => Number(a.isInitial) - Number(b.isInitial) || worth(b) - worth(a) || a.at - b.at);
  const [given, listed] = [new Set<number>(), new Set<number>()];
  const isUsed = (used: Set<number>, at: number, span: 1 | 2) =>
    used.has(at) || (span === 2 && used.has(at + 1));
  const use = (used: Set<number>, at: number, span: 1 | 2) => {
    used.add(at);
    if (span === 2) used.add(at + 1);
  };
  const chosen = pairs.filter(({ query, at, span }) => {
    if (isUsed(given, query.at, query.span) || isUsed(listed, at, span)) return false;
    use(given, query.at, query.span);
    use(listed, at, span);
    return true;
  });
  return { pairs: chosen, given, listed };
}

/** Unlikeness counts more than the measure has it: words of other names are seldom below 0.8. */
function contrastOf({ how, query: { word, isUnvowelled }, listed }: Pair): number {
  const letters = Math.min(word.text.length, listed.length);
  const isShort = letters > 1 && letters <= SHORT && !isUnvowelled;
  return Math.max(0, 1 - (1 - how) * (isShort ? UNLIKE_SHORT : UNLIKE));
}

/** True where the whole query is a person's listed first and last name, and together they are rare enough. */
function isFirstAndLast(
  query: Query,
  { of }: Listed,
  { pairs, given, listed, weight }: Chosen & { weight: number },
): boolean {
  return (
    query.words.every(
      ({ at, word }) => query.omissible?.[at] !== undefined || (given.has(at) && word.text.length > 1),
    ) &&
    pairs.length > 1 &&
    weight >= RARE_PAIR &&
    pairs.every(({ how }) => how >= OTHER_SPELLING) &&
    hasFirstAndLast(of, listed)
  );
}
