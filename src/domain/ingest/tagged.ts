/** A sentence as patterns read it: folded words, with a mark in the place of each country and each product. */
import { countriesIn as mentionsIn } from "../questions/countries.ts";
import type { Range } from "../questions/numbers.ts";
import { phrasesIn } from "../questions/products.ts";
import { isWeakWord } from "../questions/vocabulary.ts";
import { type Word, wordsIn } from "../questions/words.ts";

export type TaggedSentence = {
  /** The words with `_c` for a country and `_p` for a product, parted by spaces; `,` and `;` part clauses. */
  tagged: string;
  /** The words themselves, parted in the same way. */
  plain: string;
  countries: string[];
  hs: string[];
};

const MOST_EACH = 5;
/** Other capitals of two letters may be any word of a headline. */
const SHORT_NAMES = /^(?:US|UK)$/;

type Tag = Range & { mark: "_c" | "_p"; codes: readonly string[] };

export function tagSentence(sentence: string): TaggedSentence {
  const words = wordsIn(sentence.replaceAll(/\bU\.S\.(?:A\.)?/g, "US").replaceAll(/\bU\.K\./g, "UK"));
  const codes = codesIn(words);
  const phrases = phrasesIn(words, takenBy(codes)).filter((hit) => !isWeakHit(words, hit));
  // "Turkey" is a country here, and "turkey meat" a product.
  const fixed = phrases.filter(({ from, to }) => to - from > 1);
  const countries = mentionsIn(words, takenBy([...codes, ...fixed]))
    .filter(({ from, to }) => to - from > 1 || !isCode(words[from]!))
    .map(({ from, to, code }): Tag => ({ from, to, mark: "_c", codes: [code] }));
  const isCountry = takenBy(countries);
  const products = [
    ...codes,
    ...phrases
      .filter(({ from }) => !isCountry(from))
      .map(({ from, to, phrase }): Tag => ({ from, to, mark: "_p", codes: phrase.codes })),
  ];
  return {
    tagged: joined(words, [...countries, ...products]),
    plain: joined(words, []),
    countries: distinct(countries),
    hs: distinct(products),
  };
}

const isCode = ({ text }: Word) => /^[A-Z]{2}$/.test(text) && !SHORT_NAMES.test(text);

const isWeakHit = (words: readonly Word[], { from, to }: Range) =>
  to - from === 1 && isWeakWord(words[from]!.folded);

const takenBy =
  (ranges: readonly Range[]) =>
  (at: number): boolean =>
    ranges.some(({ from, to }) => at >= from && at < to);

const distinct = (tags: readonly Tag[]) =>
  [...new Set(tags.toSorted((a, b) => a.from - b.from).flatMap(({ codes }) => codes))].slice(0, MOST_EACH);

/** "HS 4407 11" is a product. */
function codesIn(words: readonly Word[]): Tag[] {
  return words.flatMap(({ text }, at) => {
    if (!/^(?:HS|CN)$/.test(text) || !/^\d{4}(?:\d{2}){0,2}$/.test(words[at + 1]?.text ?? "")) return [];
    let code = words[at + 1]!.text;
    let to = at + 2;
    while (code.length < 6 && /^\d{2}$/.test(words[to]?.text ?? "")) code += words[to++]!.text;
    return [{ from: at, to, mark: "_p" as const, codes: [code.slice(0, 6)] }];
  });
}

function joined(words: readonly Word[], tags: readonly Tag[]): string {
  const byStart = new Map(tags.map((tag) => [tag.from, tag]));
  const parts: string[] = [];
  for (let at = 0; at < words.length; ) {
    const { before, folded } = words[at]!;
    if (before.includes("%")) parts.push("percent");
    if (/[;:()–—]|\s-\s/.test(before)) parts.push(";");
    else if (before.includes(",")) parts.push(",");
    if (/[$€£¥]/.test(before)) parts.push("dollars");
    const tag = byStart.get(at);
    parts.push(tag?.mark ?? folded);
    at = tag?.to ?? at + 1;
  }
  return ` ${parts.join(" ")} `;
}
