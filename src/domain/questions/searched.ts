/** Products that only the names of the nomenclature say. */
import { type NamesIndex, type Scored, searchNames } from "./names-index.ts";
import type { Range } from "./numbers.ts";
import { englishPhrases, isAttribute, isEveryday, isThingWord, MOST_PHRASE_WORDS } from "./vocabulary.ts";
import type { Word } from "./words.ts";

export type Reading = { code: string; name: string; score: number };

/** The codes that some words of the question may mean, the likeliest first. */
export type ProductFound = Range & {
  reading: Reading;
  rivals: Reading[];
  /** Only a position where products stand makes it one: "book", "watch". */
  is_weak: boolean;
  /** Neighbouring words that no name of the nomenclature says together: "champagne flutes". */
  unread?: string;
};

/** True if a word may describe a product: it is no everyday word, number or country. */
export const isContent = ({ folded }: Word) =>
  folded.length > 2 && !isEveryday(folded) && !/^\d+$|^\w{5,}ly$/.test(folded);

export const breaksBefore = (word: Word) => /[,;:.!?()/]/.test(word.before);

export function commonPrefix(codes: readonly string[]): string {
  const [first = "", ...others] = codes;
  let length = first.length;
  for (const code of others) while (!code.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length - (length % 2));
}

/** Runs of words that only the nomenclature knows: each whole, else by its last word. */
export function searchedIn(
  words: readonly Word[],
  index: NamesIndex,
  taken: (at: number) => boolean,
): ProductFound[] {
  const found: ProductFound[] = [];
  const searched = new Set<string>();
  for (let at = 0; at < words.length && searched.size < MOST_SEARCHED; at++) {
    if (taken(at) || !isContent(words[at]!)) continue;
    let to = at + 1;
    while (to < words.length && !taken(to) && isContent(words[to]!) && !breaksBefore(words[to]!)) to++;
    const range = { from: Math.max(at, to - MOST_PHRASE_WORDS), to };
    const text = words
      .slice(range.from, to)
      .map(({ english }) => english)
      .join(" ");
    const one = searched.has(text) ? undefined : searchedRun(words, index, range);
    searched.add(text);
    if (one) found.push(withDropped(words, index, range.from, one));
    at = to;
  }
  return found;
}

/** "Dog collars" are no collars of pork: a noun that the found name does not say. */
function withDropped(
  words: readonly Word[],
  index: NamesIndex,
  from: number,
  found: ProductFound,
): ProductFound {
  const before = words[found.from - 1];
  const isThing = before !== undefined && isThingWord(before.folded) && !breaksBefore(words[found.from]!);
  const isKnownNoun = (word: Word) => index.byTerm.has(word.english) || englishPhrases().has(word.english);
  const isDropped = isThing || (found.from > from && before && isKnownNoun(before) && !isAttribute(before));
  if (!isDropped) return found;
  const unread = words
    .slice(found.from - 1, found.to)
    .map(({ text }) => text)
    .join(" ");
  return { ...found, unread };
}

/** More runs than this are no question. */
const MOST_SEARCHED = 20;

/** Scores this near to the best are rivals. */
const NEAR = 0.9;
const LEAST_SURE = 0.5;

export function searchedRun(
  words: readonly Word[],
  index: NamesIndex,
  { from, to }: Range,
): ProductFound | undefined {
  for (let begin = from; begin < to; begin++) {
    const run = words.slice(begin, to);
    const scored = searchNames(index, run);
    const [best] = scored;
    if (!best) continue;
    const text = run.map((word) => word.text).join(" ");
    const near = scored.filter(({ score }) => score >= NEAR * best.score);
    const spread = commonPrefix(near.map(({ code }) => code));
    const isOneThing = spread.length >= 4;
    if (best.score < LEAST_SURE && !isOneThing) continue;
    const readingOf = ({ code, score }: Scored) => ({ code, name: index.nameOf(code) ?? text, score });
    if (isOneThing) {
      const reading = { code: spread.slice(0, Math.max(4, Math.min(spread.length, 6))), score: best.score };
      return { from: begin, to, reading: readingOf(reading), rivals: [], is_weak: false };
    }
    const apart = near.filter(({ code }) => !code.startsWith(best.code));
    return {
      from: begin,
      to,
      reading: readingOf(best),
      rivals: apart.slice(0, 4).map(readingOf),
      is_weak: false,
    };
  }
  return undefined;
}
