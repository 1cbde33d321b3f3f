/** The names of all lists, indexed so that candidates are found without reading each. */

import type { ListEntry, ListedName } from "./list-entry.ts";
import { type OmissibleWords, omissibleWords } from "./omissible-words.ts";
import { type Word, wordOf } from "./similarity.ts";
import { joinableWords, readName } from "./words.ts";

/** A list and its entries. */
export type List = { list: string; entries: readonly ListEntry[] };

/** One name of one entry. `words`: the indexes of its words in the vocabulary, in order. */
export type IndexedName = {
  list: string;
  entry: ListEntry;
  name: ListedName;
  words: readonly number[];
  /** For each word but the last, the word that it forms together with the next; -1 where there is none. */
  joins: readonly number[];
  omissible: OmissibleWords;
};

/** The names that have a word; `joined`: as two neighbours. */
type Places = { single: Int32Array; joined: Int32Array };

export type NameIndex = {
  names: readonly IndexedName[];
  vocabulary: readonly Word[];
  /** Letters of each. */
  lengths: Uint16Array;
  /** The weight of each word: 1 for one in a single name, near 0 for one in every name. */
  weights: Float64Array;
  places: readonly Places[];
  /** The total weight of each name's words. */
  totals: Float64Array;
  byText: ReadonlyMap<string, number>;
  bySound: ReadonlyMap<string, readonly number[]>;
  byConsonants: ReadonlyMap<string, readonly number[]>;
  /** The same with any number of them, for words whose vowels are not written. */
  byAllConsonants: ReadonlyMap<string, readonly number[]>;
  byPlain: ReadonlyMap<string, readonly number[]>;
  byBigram: ReadonlyMap<number, Int32Array>;
  byInitial: ReadonlyMap<string, readonly number[]>;
  /** Names of several words by all their letters in the order of the alphabet. */
  byLetters: ReadonlyMap<string, readonly number[]>;
};

/** The letters of a text in the order of the alphabet: the same for its words in any order. */
export const sortedLetters = (text: string): string => [...text].sort().join("");

/** Shorter names written as one word are words of their own. */
export const LEAST_JOINED_NAME = 7;

/** The weight of a word in `count` of `all` names. */
const weightOf = (count: number, all: number): number =>
  Math.max(0.1, Math.log((all + 1) / (count + 0.5)) / Math.log((all + 1) / 1.5));

/** True if neighbours may be written as one: an initial or a number is not part of a word. */
export const canJoin = (left: string, right: string): boolean =>
  left.length > 1 && right.length > 1 && !/\d/.test(left + right);

/** The bigrams of a word, its beginning and end among them, as numbers. */
export function bigramsOf(text: string): Set<number> {
  const padded = `^${text}$`;
  const found = new Set<number>();
  for (let i = 0; i + 1 < padded.length; i++)
    found.add(padded.charCodeAt(i) * 128 + padded.charCodeAt(i + 1));
  return found;
}

/** Adds a value to those of a key. */
function add<Key>(map: Map<Key, number[]>, key: Key, value: number): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

export function indexNames(lists: readonly List[]): NameIndex {
  const byText = new Map<string, number>();
  const vocabulary: Word[] = [];
  const counts: number[] = [];
  const places: { single: number[]; joined: number[] }[] = [];
  const known = (text: string): number => {
    const found = byText.get(text);
    if (found !== undefined) return found;
    byText.set(text, vocabulary.length);
    vocabulary.push(wordOf(text));
    counts.push(0);
    places.push({ single: [], joined: [] });
    return vocabulary.length - 1;
  };
  const found: Omit<IndexedName, "joins">[] = [];
  const byLetters = new Map<string, number[]>();
  for (const { list, entries } of lists)
    for (const entry of entries)
      for (const name of entry.names) {
        const read = readName(name.name);
        const { texts } = read;
        if (texts.length === 0) continue;
        const at = found.length;
        for (const one of joinableWords(read)) {
          const letters = one.length > 1 ? sortedLetters(one.join("")) : "";
          if (letters.length >= LEAST_JOINED_NAME) add(byLetters, letters, at);
        }
        const words = texts.map(known);
        for (const word of new Set(words)) {
          counts[word]!++;
          places[word]!.single.push(at);
        }
        for (let place = 0; place + 1 < texts.length; place++) {
          const [left, right] = [texts[place]!, texts[place + 1]!];
          if (canJoin(left, right)) places[known(left + right)]!.joined.push(at);
        }
        found.push({ list, entry, name, words, omissible: omissibleWords(texts, entry.kind) });
      }
  const textOf = (word: number) => vocabulary[word]!.text;
  const names = found.map((one): IndexedName => {
    const joinOf = (right: number, place: number) => {
      const [first, second] = [textOf(one.words[place]!), textOf(right)];
      return canJoin(first, second) ? byText.get(first + second)! : -1;
    };
    return { ...one, joins: one.words.slice(1).map(joinOf) };
  });
  const weights = Float64Array.from(counts, (count) => weightOf(count, names.length));
  const bySound = new Map<string, number[]>();
  const byConsonants = new Map<string, number[]>();
  const byAllConsonants = new Map<string, number[]>();
  const byPlain = new Map<string, number[]>();
  const byInitial = new Map<string, number[]>();
  const byBigram = new Map<number, number[]>();
  vocabulary.forEach((word, at) => {
    for (const sound of word.sounds) add(bySound, sound, at);
    if (word.consonants.length >= 3) add(byConsonants, word.consonants, at);
    if (word.consonants.length >= 1 && word.text.length > 1) add(byAllConsonants, word.consonants, at);
    if (word.plain !== "") add(byPlain, word.plain, at);
    if (word.text.length === 1) add(byInitial, word.text, at);
    else if (!word.isNumber) for (const bigram of bigramsOf(word.text)) add(byBigram, bigram, at);
  });
  return {
    names,
    vocabulary,
    lengths: Uint16Array.from(vocabulary, ({ text }) => text.length),
    weights,
    places: places.map(({ single, joined }) => ({
      single: Int32Array.from(single),
      joined: Int32Array.from(joined),
    })),
    totals: Float64Array.from(names, ({ words }) => words.reduce((sum, word) => sum + weights[word]!, 0)),
    byText,
    bySound,
    byConsonants,
    byAllConsonants,
    byPlain,
    byInitial,
    byLetters,
    byBigram: new Map([...byBigram].map(([bigram, words]) => [bigram, Int32Array.from(words)])),
  };
}
