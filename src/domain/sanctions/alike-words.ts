/** The listed words that are like a word of a query, by the index's ways to find them. */

import { bigramsOf, type NameIndex } from "./index.ts";
import type { QueryWord } from "./query-words.ts";
import { isAnotherName } from "./romanisation.ts";
import { alikeness, consonantsOf, isSameName, jaroWinkler, type Word, wordOf } from "./similarity.ts";
import type { NameWords } from "./words.ts";

/**
 * A word in this many listed names is a name of its own, seldom a misspelling of another: its similarity to others is
 * at most MOST_OF_OTHERS.
 */
const NAME_OF_ITS_OWN = 5;
const MOST_OF_OTHERS = 0.88;
/** The least similarity of two neighbours taken for one word. */
export const LEAST_JOINED = 0.92;
/** Joined words of no more letters have to be equal: one letter makes another name of them. */
const SHORT_JOINED = 7;
/** Fewer consonants are those of many words. */
const LEAST_JOINED_CONSONANTS = 4;
/** Another romanisation of a word is nearly as good as its first. */
export const OTHER_SPELLING = 0.98;
/** Words of the same consonants where vowels are not written, by number of consonants. */
export const MANY_CONSONANTS = 0.96;
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
export function alikeIn(index: NameIndex, word: Word, readings: NameWords["readings"]): Map<number, number> {
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
export function joinedIn(
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

/** Two neighbours are another word only where there is no more than a letter between them, and none in short ones. */
export const canBeJoined = (a: string, b: string) =>
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
