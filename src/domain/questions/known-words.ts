/** Which words are known, and what a misspelt one was meant to be. */
import { gazetteer } from "./gazetteer.ts";
import type { NamesIndex } from "./names-index.ts";
import { type Spelling, spellingOf } from "./spelling.ts";
import { everydayEnglish, everydayLatvian, isEveryday, productVocabulary } from "./vocabulary.ts";
import { fold, latvianStem, type Word, wordOf } from "./words.ts";

type KnownWords = {
  words: ReadonlySet<string>;
  stems: ReadonlySet<string>;
  countries: ReadonlySet<string>;
  products: ReadonlySet<string>;
  spelling: Spelling;
};

let made: KnownWords | undefined;

/** Made at the first question. */
function known(): KnownWords {
  if (made) return made;
  const { names, declined, words: countryNames } = gazetteer();
  const adjectives = [...names.keys()].flatMap((name) => name.split(" "));
  const words = new Set([...productVocabulary, ...adjectives, ...everydayEnglish, ...everydayLatvian]);
  const stems = new Set([...productVocabulary, ...everydayLatvian].map(latvianStem));
  for (const key of declined.keys()) for (const stem of key.split(" ")) stems.add(stem);
  const countries = new Set(countryNames.map(fold));
  const everyday = [...everydayEnglish].filter((word) => word.length > 4);
  const spelling = spellingOf([...new Set([...countries, ...productVocabulary, ...everyday])]);
  made = { words, stems, countries, products: new Set(productVocabulary), spelling };
  return made;
}

/** True if a word is in any list or in a name of the nomenclature, or is a number. */
export function isKnown({ folded, english, latvian }: Word, index: NamesIndex): boolean {
  const { words, stems } = known();
  return (
    folded.length < 3 ||
    /\d/.test(folded) ||
    words.has(folded) ||
    words.has(english) ||
    index.words.has(folded) ||
    index.byTerm.has(english) ||
    stems.has(latvian)
  );
}

/** The words with misspelt ones mended: each unknown word that is one letter from a known one. */
export function mended(words: readonly Word[], index: NamesIndex): Word[] {
  const { spelling, countries, products } = known();
  let most = MOST_MENDED;
  return words.map((word, at) => {
    if (isKnown(word, index) || most-- <= 0) return word;
    const rankOf = (candidate: string) => [
      Number(candidate[0] !== word.folded[0]),
      // A question begins with a question word.
      at === 0 && /^wh|^ho/.test(candidate)
        ? -1
        : countries.has(candidate)
          ? word.is_capital
            ? 0
            : 2
          : products.has(candidate)
            ? 1
            : isEveryday(candidate)
              ? 3
              : 2,
      // Letters that changed places are the likeliest slip.
      candidate.length === word.folded.length &&
      [...candidate].sort().join() === [...word.folded].sort().join()
        ? 0
        : 1,
    ];
    const [best] = spelling(word.folded)
      .map((candidate) => ({ candidate, rank: rankOf(candidate) }))
      .sort((a, b) => a.rank[0]! - b.rank[0]! || a.rank[2]! - b.rank[2]! || a.rank[1]! - b.rank[1]!);
    if (!best) return word;
    const { is_possessive, is_capital, before } = word;
    return { ...wordOf(best.candidate), text: word.text, is_possessive, is_capital, before };
  });
}

/** More unknown words than this are no slips of a question. */
const MOST_MENDED = 20;
