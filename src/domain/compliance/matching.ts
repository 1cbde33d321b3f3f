/** Finds the phrases of the lexicon in a sentence, by an index of their first words. */
import { atFirstUse } from "../../core/model/first-use.ts";
import { type Concept, lexicon } from "./lexicon.ts";

/** `isStem`: any letters may follow. `isFar`: up to `FAR` other words may precede it. */
type Part = { text: string; isStem: boolean; isFar: boolean };
type Phrase = { parts: readonly Part[]; concepts: Concept[] };

const FAR = 4;
const PART = /[\p{L}\p{N}][\p{L}\p{N}']*\*?|\.\./gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}']*/gu;
/** The text that may separate two words of a phrase. */
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

/** Phrases by their first word or its stem. */
type Index = { exact: Map<string, Phrase[]>; stems: Map<string, Phrase[]>; longestStem: number };

/** Building takes time. */
const index = atFirstUse(indexOfPhrases);

function indexOfPhrases(): Index {
  const phrases = new Map<string, Phrase>();
  for (const [concept, list] of Object.entries(lexicon().concepts) as [Concept, readonly string[]][])
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

/** `isNext`: no comma, full stop or bracket separates it from the previous word. */
type Word = { text: string; at: number; end: number; isNext: boolean };

function wordsOf(sentence: string): Word[] {
  let end = 0;
  return [...sentence.matchAll(WORD)].map(({ 0: text, index: at }) => {
    const isNext = JOINT.test(sentence.slice(end, at));
    end = at + text.length;
    return { text, at, end, isNext };
  });
}

/** "customer" also matches "customer's", and "customers" matches "customers'". */
const fits = ({ text, isStem }: Part, word: string) =>
  isStem ? word.startsWith(text) : word === text || word.startsWith(`${text}'`);

/** The index of the last word of a phrase that begins at `first`; undefined: no match. */
function endOf(phrase: Phrase, words: readonly Word[], first: number): number | undefined {
  let last = first;
  for (const part of phrase.parts.slice(1)) {
    const from = last + 1;
    const until = part.isFar ? from + FAR : from;
    let index = from;
    while (index <= until && words[index] && !fits(part, words[index]!.text)) index++;
    if (index > until || !words[from]?.isNext || !words[index]) return undefined;
    last = index;
  }
  return last;
}

/** `at` and `end` are offsets in the sentence; `end` is exclusive. */
export type Match = { concept: Concept; at: number; end: number };

/** All matches from left to right. Matches of one concept do not overlap; the longer one counts. */
export function matchesIn(sentence: string): Match[] {
  const words = wordsOf(sentence);
  const endOfConcept = new Map<Concept, number>();
  return words.flatMap((word, first) => {
    const longest = new Map<Concept, number>();
    for (const phrase of phrasesAt(word.text)) {
      const last = endOf(phrase, words, first);
      if (last === undefined) continue;
      const { end } = words[last]!;
      for (const concept of phrase.concepts)
        if (word.at >= (endOfConcept.get(concept) ?? 0) && end > (longest.get(concept) ?? 0))
          longest.set(concept, end);
    }
    return [...longest].map(([concept, end]) => {
      endOfConcept.set(concept, end);
      return { concept, at: word.at, end };
    });
  });
}

function phrasesAt(word: string): Phrase[] {
  const { exact, stems, longestStem } = index();
  const bare = word.split("'")[0]!;
  const phrases = [...(exact.get(word) ?? []), ...(bare === word ? [] : (exact.get(bare) ?? []))];
  for (let length = 1; length <= Math.min(word.length, longestStem); length++)
    phrases.push(...(stems.get(word.slice(0, length)) ?? []));
  return phrases;
}
