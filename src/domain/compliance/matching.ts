/** Where the words of the lexicon stand in a sentence. They are looked up by their first words, so that many cost hardly more than few. */
import { type Concept, concepts } from "./lexicon.ts";

/** `isStem`: any letters may follow. `isFar`: up to `FAR` other words may stand before it. */
type Part = { text: string; isStem: boolean; isFar: boolean };
type Phrase = { parts: readonly Part[]; concepts: Concept[] };

const FAR = 4;
const PART = /[\p{L}\p{N}][\p{L}\p{N}']*\*?|\.\./gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}']*/gu;
/** What may stand between two words of a phrase. */
const JOINT = /^(?:[\s-]+|[&/:])$/;

function partsOf(phrase: string): Part[] {
  const parts: Part[] = [];
  let isFar = false;
  for (const [text] of phrase.matchAll(PART)) {
    if (text !== "..") parts.push({ text: text.replace("*", ""), isStem: text.endsWith("*"), isFar });
    isFar = text === "..";
  }
  return parts;
}

/** Phrases by the first word that they begin with, or by its stem. */
type Index = { exact: Map<string, Phrase[]>; stems: Map<string, Phrase[]>; longestStem: number };

/** Made at the first match: most processes never classify anything, and it is a third of the time of loading their modules. */
let index: Index | undefined;

function indexOfPhrases(): Index {
  const phrases = new Map<string, Phrase>();
  for (const [concept, list] of Object.entries(concepts) as [Concept, readonly string[]][])
    for (const text of new Set(list)) {
      const phrase = phrases.get(text) ?? { parts: partsOf(text), concepts: [] };
      phrase.concepts.push(concept);
      phrases.set(text, phrase);
    }
  const [exact, stems] = [new Map<string, Phrase[]>(), new Map<string, Phrase[]>()];
  for (const phrase of phrases.values()) {
    const [first] = phrase.parts;
    const beginnings = first!.isStem ? stems : exact;
    const phrasesOfWord = beginnings.get(first!.text);
    if (phrasesOfWord) phrasesOfWord.push(phrase);
    else beginnings.set(first!.text, [phrase]);
  }
  return { exact, stems, longestStem: Math.max(...[...stems.keys()].map((stem) => stem.length)) };
}

/** A word of a sentence. `isNext`: no comma, full stop or bracket is between it and the word before. */
type Word = { text: string; at: number; end: number; isNext: boolean };

function wordsOf(sentence: string): Word[] {
  let end = 0;
  return [...sentence.matchAll(WORD)].map(({ 0: text, index: at }) => {
    const isNext = JOINT.test(sentence.slice(end, at));
    end = at + text.length;
    return { text, at, end, isNext };
  });
}

/** "customer" is "customer's" and "customers" is "customers'", too. */
const fits = ({ text, isStem }: Part, word: string) =>
  isStem ? word.startsWith(text) : word === text || word.startsWith(`${text}'`);

/** The last word of a phrase that begins at a word; undefined: it does not stand there. */
function endOf(phrase: Phrase, words: readonly Word[], first: number): number | undefined {
  let last = first;
  for (const part of phrase.parts.slice(1)) {
    const from = last + 1;
    const until = part.isFar ? from + FAR : from;
    let found = from;
    while (found <= until && words[found] && !fits(part, words[found]!.text)) found++;
    if (found > until || !words[from]?.isNext || !words[found]) return undefined;
    last = found;
  }
  return last;
}

/** `end`: the character behind it. */
export type Match = { concept: Concept; at: number; end: number };

/** All places of all concepts, from left to right; of one concept no two overlap, and the longer counts. */
export function matchesIn(sentence: string): Match[] {
  const words = wordsOf(sentence);
  const taken = new Map<Concept, number>();
  return words.flatMap((word, first) => {
    const longest = new Map<Concept, number>();
    for (const phrase of phrasesAt(word.text)) {
      const last = endOf(phrase, words, first);
      if (last === undefined) continue;
      const { end } = words[last]!;
      for (const concept of phrase.concepts)
        if (word.at >= (taken.get(concept) ?? 0) && end > (longest.get(concept) ?? 0))
          longest.set(concept, end);
    }
    return [...longest].map(([concept, end]) => {
      taken.set(concept, end);
      return { concept, at: word.at, end };
    });
  });
}

function phrasesAt(word: string): Phrase[] {
  index ??= indexOfPhrases();
  const { exact, stems, longestStem } = index;
  const bare = word.split("'")[0]!;
  const found = [...(exact.get(word) ?? []), ...(bare === word ? [] : (exact.get(bare) ?? []))];
  for (let length = 1; length <= Math.min(word.length, longestStem); length++)
    found.push(...(stems.get(word.slice(0, length)) ?? []));
  return found;
}
