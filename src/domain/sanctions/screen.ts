/**
 * Compares a name with listed ones: method names/3. Words match by spelling (Jaro–Winkler), by sound (Double
 * Metaphone, Philips 2000), by the habits of romanisations or by their consonants; each is used once, and weighs by
 * its rarity in the lists.
 */

import { hasFirstAndLast } from "./first-and-last.ts";
import {
  bigramsOf,
  canJoin,
  type IndexedName,
  LEAST_JOINED_NAME,
  type NameIndex,
  sortedLetters,
} from "./index.ts";
import { type ListedKind, listedKinds } from "./list-entry.ts";
import { type OmissibleWords, omissibleWords } from "./omissible-words.ts";
import { otherWaysToWrite, rejoined } from "./other-spellings.ts";
import { isAnotherName } from "./romanisation.ts";
import { alikeness, consonantsOf, isSameName, jaroWinkler, type Word, wordOf } from "./similarity.ts";
import { joinableWords, type NameWords, readName } from "./words.ts";

export const METHOD = "names/3";

/** The lowest score of a hit, unless the caller asks for less. */
export const THRESHOLD = 0.85;

/** The weight of an unmatched word of a person's listed name: fathers' and middle names are often omitted. */
const LEFT_OUT = 0.5;
/** The same where all words of the query are the listed first and last name, and together rare enough. */
const LEFT_OUT_BETWEEN = 0.2;
const RARE_PAIR = 1.5;
/**
 * A word in this many listed names is a name of its own, seldom a misspelling of another: its similarity to others is
 * at most MOST_OF_OTHERS.
 */
const NAME_OF_ITS_OWN = 5;
const MOST_OF_OTHERS = 0.88;
/** The weight of an initial relative to its word. */
const INITIAL = 0.5;
/** The factor of two neighbours written as one: a join costs a little. */
const JOINED = 0.97;
/** The factor on dissimilarity. */
const UNLIKE = 1.3;
/** The least similarity of two neighbours taken for one word. */
const LEAST_JOINED = 0.92;
/** Words at least this similar are two spellings of one name, weighed as the more common one. */
const SAME_NAME = 0.94;
/** Joined words of no more letters have to be equal: one letter makes another name of them. */
const SHORT_JOINED = 7;
/** In words of at most this many letters a different letter makes another name. */
const SHORT = 4;
/** The factor on dissimilarity in short words. */
const UNLIKE_SHORT = 2;
/** Names that are looked at closely, the most promising first. */
const MOST_CLOSELY = 150;
/** Longer names than any list has are cut. */
const MOST_WORDS = 24;

/** A matched pair of words, one of the query and one of the listed name, and their similarity. */
export type MatchedWord = { given: string; listed: string; alike: number };
export type Hit = { of: IndexedName; score: number; words: MatchedWord[] };

/** A word of the query, or two neighbours as one. */
type QueryWord = {
  word: Word;
  at: number;
  span: 1 | 2;
  weight: number;
  isKnown: boolean;
  isUnvowelled: boolean;
};

/** Names that may be meant, the best of each entry, the most alike first. */
export function screen(index: NameIndex, name: string, threshold = THRESHOLD, limit = 20): Hit[] {
  const best = new Map<object, Hit>();
  const search = (way: string, factor: number) => {
    for (const hit of hitsOf(index, way)) {
      const known = best.get(hit.of.entry);
      const score = hit.score * factor;
      if (score >= threshold && (!known || known.score < score)) best.set(hit.of.entry, { ...hit, score });
    }
  };
  for (const way of otherWaysToWrite(name)) search(way, 1);
  const joined = rejoined(name, (text) => isListedWord(index, text));
  if (joined !== undefined) search(joined, JOINED);
  return [...best.values()]
    .sort((a, b) => b.score - a.score || (a.of.entry.entry_id < b.of.entry.entry_id ? -1 : 1))
    .slice(0, limit);
}

/** True for one word of a listed name, false for two neighbours joined. */
function isListedWord(index: NameIndex, text: string): boolean {
  const at = index.byText.get(text);
  return at !== undefined && index.places[at]!.single.length > 0;
}

function* hitsOf(index: NameIndex, name: string): Iterable<Hit> {
  const read = readName(name, (word) => index.byText.has(word));
  const { readings } = read;
  const texts = read.texts.slice(0, MOST_WORDS);
  if (texts.length === 0) return;
  const queried = queryWords(index, texts, readings);
  const alike = queried.map((one) =>
    one.span === 1 ? alikeIn(index, one.word, readings) : joinedIn(index, one, texts, readings),
  );
  const omissible = Object.fromEntries(
    listedKinds.map((kind) => [kind, withParticles(texts, omissibleWords(texts, kind), readings.particles)]),
  ) as Record<ListedKind, OmissibleWords>;
  for (const candidate of promising(index, queried, alike)) {
    const kind = index.names[candidate]!.entry.kind;
    yield judge(index, candidate, { texts, queried, alike, omissible: omissible[kind] });
  }
  yield* wholeNames(index, read, omissible.person);
}

const withParticles = (
  texts: readonly string[],
  omissible: OmissibleWords,
  particles: ReadonlySet<string>,
): OmissibleWords =>
  particles.size === 0
    ? omissible
    : texts.map((text, at) => omissible?.[at] ?? (particles.has(text) ? "address" : undefined));

function queryWords(
  index: NameIndex,
  texts: readonly string[],
  { skeletons }: NameWords["readings"],
): QueryWord[] {
  const weigh = (text: string) => {
    const known = index.byText.get(text);
    return text.length === 1 ? INITIAL : known === undefined ? 1 : index.weights[known]!;
  };
  const single = texts.map(
    (text, at): QueryWord => ({
      word: wordOf(text),
      at,
      span: 1,
      weight: weigh(text),
      isKnown: text.length === 1 || index.byText.has(text),
      isUnvowelled: skeletons.has(text),
    }),
  );
  const joined = texts.slice(1).map((text, at): QueryWord => {
    const both = texts[at]! + text;
    return {
      word: wordOf(both),
      at,
      span: 2,
      weight: weigh(texts[at]!) + weigh(text),
      isKnown: false,
      isUnvowelled: false,
    };
  });
  return [...single, ...joined.filter(({ at }) => canJoin(texts[at]!, texts[at + 1]!))];
}

/** Names of several words that the query has as one: each word once, in any order. */
function* wholeNames(
  index: NameIndex,
  { texts, written }: NameWords,
  omissible: OmissibleWords,
): Iterable<Hit> {
  const words = texts.filter((_, at) => omissible?.[at] === undefined);
  if (words.length !== 1 || words[0]!.length < LEAST_JOINED_NAME) return;
  for (const given of new Set([words[0]!, ...(written.length === 1 ? written : [])]))
    for (const at of index.byLetters.get(sortedLetters(given)) ?? []) {
      const of = index.names[at]!;
      const listed = joinableWords(readName(of.name.name)).find((one) => isJoinOf(given, one));
      if (listed) yield { of, score: JOINED, words: [{ given, listed: listed.join(" "), alike: JOINED }] };
    }
}

const isJoinOf = (text: string, words: readonly string[]): boolean =>
  words.length === 0
    ? text === ""
    : words.some(
        (word, at) => text.startsWith(word) && isJoinOf(text.slice(word.length), words.toSpliced(at, 1)),
      );

/** Another romanisation of a word is nearly as good as its first. */
const OTHER_SPELLING = 0.98;
/** Words of the same consonants where vowels are not written, by number of consonants. */
const MANY_CONSONANTS = 0.96;
const UNVOWELLED = [0, 0.88, 0.93, 0.95, MANY_CONSONANTS];
/** A word with more spellings is a syllable, whose spellings are looked up as they stand. */
const MOST_SPELLINGS = 2;

const NO_READINGS: NameWords["readings"] = {
  spellings: new Map(),
  skeletons: new Map(),
  shapes: new Map(),
  particles: new Set(),
};

/** The words of the lists that are alike one, with how alike. */
function alikeIn(index: NameIndex, word: Word, readings: NameWords["readings"]): Map<number, number> {
  const found = new Map<number, number>();
  const skeletons = readings.skeletons.get(word.text);
  const shape = readings.shapes.get(word.text);
  const spellings = readings.spellings.get(word.text) ?? [];
  const put = (at: number | undefined, how: number) => {
    if (at !== undefined && how > (found.get(at) ?? 0)) found.set(at, how);
  };
  const ofArabicName = readings.particles.size > 0 && spellings.length > 0;
  const isAnother = (at: number) =>
    ofArabicName && isAnotherName(index.vocabulary[at]!.text, [word.text, ...spellings]);
  put(index.byText.get(word.text), 1);
  for (const spelling of spellings) put(index.byText.get(spelling), OTHER_SPELLING);
  for (const skeleton of skeletons ?? [])
    for (const at of index.byAllConsonants.get(skeleton) ?? [])
      if (!shape || shape.test(index.vocabulary[at]!.text))
        put(at, UNVOWELLED[Math.min(skeleton.length, UNVOWELLED.length - 1)]!);
  if (skeletons) return found;
  if (spellings.length > 0 && spellings.length <= MOST_SPELLINGS)
    for (const spelling of spellings)
      for (const [at, how] of alikeIn(index, wordOf(spelling), NO_READINGS))
        if (!isAnother(at)) put(at, how * OTHER_SPELLING);
  const same = index.byText.get(word.text);
  const isOfItsOwn = same !== undefined && index.places[same]!.single.length >= NAME_OF_ITS_OWN;
  const look = (at: number, mayBeKin: boolean) => {
    if (found.has(at)) return;
    const other = index.vocabulary[at]!;
    if (isAnother(at)) return;
    const how = alikeness(word, other, mayBeKin);
    if (how === 0) return;
    const isOther = isOfItsOwn && how > MOST_OF_OTHERS && other.text.length > 1 && !isSameName(word, other);
    found.set(at, isOther ? MOST_OF_OTHERS : how);
  };
  if (same !== undefined) look(same, true);
  if (word.isNumber || word.text.length === 1) return found;
  for (const at of index.byConsonants.get(word.consonants) ?? []) look(at, true);
  for (const at of index.byPlain.get(word.plain) ?? []) look(at, true);
  for (const at of index.byInitial.get(word.text[0]!) ?? []) look(at, false);
  for (const sound of word.sounds) for (const at of index.bySound.get(sound) ?? []) look(at, false);
  for (const at of sharing(index, word.text, 0.4)) look(at, false);
  return found;
}

/** The same for two neighbours taken for one word, which have to match almost to the letter. */
function joinedIn(
  index: NameIndex,
  { word, at: place }: QueryWord,
  texts: readonly string[],
  { skeletons }: NameWords["readings"],
): Map<number, number> {
  const found = new Map<number, number>();
  const parts = [texts[place]!, texts[place + 1]!];
  if (parts.some((part) => skeletons.has(part))) {
    const [first, last] = parts.map(
      (part) => skeletons.get(part) ?? (part === "ABDUL" ? ["BDL", "BD"] : [consonantsOf(part)]),
    );
    for (const one of first!)
      for (const other of last!) {
        const skeleton = (one + other).replaceAll(/(.)\1+/g, "$1");
        if (skeleton.length < LEAST_JOINED_CONSONANTS) continue;
        for (const at of index.byAllConsonants.get(skeleton) ?? []) found.set(at, LEAST_JOINED);
      }
    for (const at of index.byAllConsonants.get(word.consonants) ?? [])
      if (word.consonants.length >= LEAST_JOINED_CONSONANTS) found.set(at, LEAST_JOINED);
  }
  for (const at of sharing(index, word.text, 0.6)) {
    const { text } = index.vocabulary[at]!;
    const how = canBeJoined(word.text, text) ? jaroWinkler(word.text, text) : 0;
    if (how >= LEAST_JOINED) found.set(at, how);
  }
  return found;
}

/** Fewer consonants are those of many words. */
const LEAST_JOINED_CONSONANTS = 4;

/** Two neighbours are another word only where there is no more than a letter between them, and none in short ones. */
const canBeJoined = (a: string, b: string) =>
  a === b || (Math.min(a.length, b.length) > SHORT_JOINED && Math.abs(a.length - b.length) <= 1);

let shared = new Uint8Array(0);
let touched = new Int32Array(0);
const NONE = new Int32Array(0);

/** Words that share so many bigrams that they may be alike. */
function sharing(index: NameIndex, text: string, least: number): number[] {
  const size = index.vocabulary.length;
  if (shared.length < size) [shared, touched] = [new Uint8Array(size), new Int32Array(size)];
  const bigrams = bigramsOf(text);
  const rarest = [...bigrams].map((bigram) => index.byBigram.get(bigram) ?? NONE);
  rarest.sort((a, b) => a.length - b.length);
  // A name that shares enough bigrams shares one of the rarest, so the common ones alone find none.
  const finding = bigrams.size - Math.ceil(bigrams.size * least) + 1;
  let count = 0;
  for (const [place, words] of rarest.entries()) {
    // By index: for this many, an iterator would take most of the time.
    if (place < finding)
      for (let i = 0; i < words.length; i++) {
        const at = words[i]!;
        if (shared[at] === 0) touched[count++] = at;
        shared[at]!++;
      }
    else
      for (let i = 0; i < words.length; i++) {
        const at = words[i]!;
        if (shared[at] !== 0) shared[at]!++;
      }
  }
  const fewest = bigrams.size * least;
  const found: number[] = [];
  for (let i = 0; i < count; i++) {
    const at = touched[i]!;
    // Most share too few whatever their length, which is elsewhere in memory: it is read last.
    const common = shared[at]!;
    if (common >= fewest && common >= (index.lengths[at]! + 1) * least) found.push(at);
    shared[at] = 0;
  }
  return found;
}

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
function promising(
  index: NameIndex,
  queried: readonly QueryWord[],
  alike: readonly Map<number, number>[],
): number[] {
  const shares = sums.over(index, queried, alike);
  for (const share of shares) share[1] /= Math.sqrt(index.totals[share[0]]!);
  if (shares.length > MOST_CLOSELY) shares.sort((a, b) => b[1] - a[1]);
  return shares.slice(0, MOST_CLOSELY).map(([name]) => name);
}

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

/** Unlikeness counts more than the measure has it: words of other names are seldom below 0.8. */
function contrastOf({ how, query: queried, listed }: Pair): number {
  const letters = Math.min(queried.word.text.length, listed.length);
  const isShort = letters > 1 && letters <= SHORT && !queried.isUnvowelled;
  return Math.max(0, 1 - (1 - how) * (isShort ? UNLIKE_SHORT : UNLIKE));
}

/** The similarity of the query to one name: the matched weight relative to all words of both. */
function judge(
  index: NameIndex,
  candidate: number,
  {
    texts,
    queried,
    alike,
    omissible,
  }: {
    texts: readonly string[];
    queried: readonly QueryWord[];
    alike: readonly Map<number, number>[];
    omissible: OmissibleWords;
  },
): Hit {
  const of = index.names[candidate]!;
  const { words } = of;
  const listedWeight = (at: number) => index.weights[words[at]!]!;
  const textOf = (at: number) => index.vocabulary[words[at]!]!.text;
  const isOfInitials = words.every((_, at) => textOf(at).length === 1);
  const isPerson = of.entry.kind === "person";
  const pairs: Pair[] = [];
  const isForm = (omissibles: OmissibleWords, at: number) => omissibles?.[at] === "form";
  queried.forEach((one, i) => {
    if (isForm(omissible, one.at)) return;
    for (let at = 0; at < words.length; at++) {
      if (isForm(of.omissible, at)) continue;
      const how = initialAware(index, one, words[at]!, { alike: alike[i]!, isOfInitials, isPerson });
      const listed = textOf(at);
      if (how > 0) {
        const isInitial = one.word.text.length === 1 || listed.length === 1;
        const listedAs = isInitial ? INITIAL : listedWeight(at);
        const givenAs = isInitial ? INITIAL : one.isKnown ? one.weight : listedAs;
        const isSame = how >= SAME_NAME;
        const own = isSame ? Math.min(listedAs, givenAs) : givenAs;
        const theirs = isSame ? own : listedAs;
        pairs.push({
          query: one,
          at,
          span: 1,
          how: one.span === 2 ? how * JOINED : how,
          own,
          theirs,
          listed,
          isInitial,
        });
      }
      if (one.span === 2 || at + 1 === words.length) continue;
      const both = of.joins[at]!;
      const joint = alike[i]!.get(both) ?? 0;
      const isJoined =
        (joint >= MANY_CONSONANTS && one.isUnvowelled) ||
        (joint > 0 && canBeJoined(one.word.text, index.vocabulary[both]!.text));
      const joined = isJoined ? joint : 0;
      const theirs = listedWeight(at) + listedWeight(at + 1);
      if (joined >= LEAST_JOINED)
        pairs.push({
          ...{ query: one, at, span: 2, how: joined * JOINED, own: theirs, theirs, isInitial: false },
          listed: `${listed} ${textOf(at + 1)}`,
        });
    }
  });
  const worth = ({ how, own, theirs }: Pair) => how * Math.min(own, theirs);
  // Whole words first: an initial may only match a remaining word.
  pairs.sort((a, b) => Number(a.isInitial) - Number(b.isInitial) || worth(b) - worth(a) || a.at - b.at);
  const [usedAsked, usedListed] = [new Set<number>(), new Set<number>()];
  let matched = 0;
  let [askedTotal, listedTotal] = [0, 0];
  const matches: MatchedWord[] = [];
  for (const pair of pairs) {
    const mine = pair.query.span === 2 ? [pair.query.at, pair.query.at + 1] : [pair.query.at];
    const theirs = pair.span === 2 ? [pair.at, pair.at + 1] : [pair.at];
    if (mine.some((at) => usedAsked.has(at)) || theirs.some((at) => usedListed.has(at))) continue;
    for (const at of mine) usedAsked.add(at);
    for (const at of theirs) usedListed.add(at);
    matched += contrastOf(pair) * Math.min(pair.own, pair.theirs);
    askedTotal += pair.own;
    listedTotal += pair.theirs;
    matches.push({ given: mine.map((at) => texts[at]).join(" "), listed: pair.listed, alike: pair.how });
  }
  if (matched === 0) return { of, score: 0, words: matches };
  for (const one of queried)
    if (one.span === 1 && !usedAsked.has(one.at) && omissible?.[one.at] === undefined)
      askedTotal += one.weight;
  const isComplete = queried.every(
    ({ at, word }) => omissible?.[at] !== undefined || (usedAsked.has(at) && word.text.length > 1),
  );
  const isFirstAndLast =
    isPerson &&
    isComplete &&
    matches.length > 1 &&
    askedTotal >= RARE_PAIR &&
    matches.every(({ alike }) => alike >= OTHER_SPELLING) &&
    hasFirstAndLast(of, usedListed);
  const leftOut = !isPerson ? 1 : isFirstAndLast ? LEFT_OUT_BETWEEN : LEFT_OUT;
  for (let at = 0; at < words.length; at++)
    if (!usedListed.has(at) && of.omissible?.[at] === undefined)
      listedTotal += leftOut * (textOf(at).length === 1 ? INITIAL / 2 : listedWeight(at));
  const score = matched / Math.sqrt(askedTotal * listedTotal);
  return { of, score: Math.min(1, score), words: matches };
}

/**
 * An initial of the query matches every word that begins with it, so no index is needed. Names of initials alone are
 * not matched, nor single letters in names of non-persons.
 */
function initialAware(
  index: NameIndex,
  { word, span }: QueryWord,
  listed: number,
  {
    alike,
    isOfInitials,
    isPerson,
  }: { alike: ReadonlyMap<number, number>; isOfInitials: boolean; isPerson: boolean },
): number {
  const other = index.vocabulary[listed]!;
  if (isOfInitials || (!isPerson && other.text.length === 1)) return word.text === other.text ? 1 : 0;
  if (span === 1 && word.text.length === 1) return alikeness(word, other);
  return alike.get(listed) ?? 0;
}
