/** Which words are known, and what a misspelt one was meant to be. */
import { atFirstUse } from "../../core/model/first-use.ts";
import { gazetteer } from "./gazetteer.ts";
import type { NamesIndex } from "./names-index.ts";
import { isMonth } from "./numbers.ts";
import { type Spelling, spellingOf } from "./spelling.ts";
import { tradeWord } from "./trade-words.ts";
import {
  englishPhrases,
  englishProductWords,
  everydayEnglish,
  everydayLatvian,
  isEveryday,
  latvianProductWords,
  realEnglish,
} from "./vocabulary.ts";
import { fold, latvianStem, type Word, wordOf } from "./words.ts";

type KnownWords = {
  /** Words of Latvian products alone. */
  latvian: ReadonlySet<string>;
  words: ReadonlySet<string>;
  stems: ReadonlySet<string>;
  countries: ReadonlySet<string>;
  products: ReadonlySet<string>;
  spelling: Spelling;
};

/** Made at the first question. */
const known = atFirstUse((): KnownWords => {
  const { names, declined, words: countryNames } = gazetteer();
  const adjectives = [...names.keys()].flatMap((name) => name.split(" "));
  const products = new Set([...englishProductWords(), ...latvianProductWords()]);
  const english = new Set(englishProductWords());
  const latvian = new Set(latvianProductWords().filter((word) => !english.has(word)));
  const words = new Set([...products, ...adjectives, ...everydayEnglish, ...everydayLatvian]);
  const stems = new Set([...latvianProductWords(), ...everydayLatvian].map(latvianStem));
  for (const key of declined.keys()) for (const stem of key.split(" ")) stems.add(stem);
  const countries = new Set(countryNames.map(fold));
  const everyday = [...everydayEnglish].filter(
    (word) => word.length > 4 || tradeWord(wordOf(word)) !== undefined || shortWords.test(word),
  );
  const spelling = spellingOf([...new Set([...countries, ...products, ...everyday])]);
  return { latvian, words, stems, countries, products, spelling };
});

/** Short words without which a question asks nothing: only their letters may change places. */
const shortWords = /^(what|year|from|much|many|with|cost|hour|wage|whom|when)$/;

/** Words that have no plural: "beens" is a slip. */
const closed =
  /^(been|were|have|whom|when|with|from|than|this|that|very|them|they|into|onto|which|there|their|these|those|would|should|could)$/;

/** "Earning" is known by "earn", and "closing" by "close"; "exportes" is a slip. */
export function isInflected(folded: string): boolean {
  const [, stem, ending] = /^(\w{3,}?)(ing|ed|es|s|ly|ers?)$/.exec(folded) ?? [];
  if (stem === undefined || closed.test(stem)) return false;
  if (ending === "es" && !/(s|x|z|ch|sh|o)$/.test(stem)) return everydayEnglish.has(`${stem}e`);
  const single = /^(ing|ed)/.test(ending!) ? stem.replace(/(.)\1$/, "$1") : stem;
  return everydayEnglish.has(stem) || everydayEnglish.has(`${stem}e`) || everydayEnglish.has(single);
}

/** True if a word is in a list of this reader, or is a number. `is_english`: the words around it are English. */
export function isListed({ folded, english, latvian }: Word, is_english = false): boolean {
  const { words, stems } = known();
  return (
    folded.length < 3 ||
    isMonth(folded) ||
    /\d|\w{5,}ly$/.test(folded) ||
    ((words.has(folded) || words.has(english)) && !(is_english && isShortLatvian(folded))) ||
    (!is_english && stems.has(latvian) && (folded.length < 5 || folded !== latvian)) ||
    isInflected(folded)
  );
}

/** With English words around it, "oli" is a slip of "oil", and not Latvian for pebbles. */
const isShortLatvian = (folded: string): boolean =>
  folded.length < 5 && known().latvian.has(folded) && !everydayEnglish.has(folded);

const englishMarks =
  /^(the|of|from|to|in|and|by|with|for|who|what|which|how|does|do|is|are|our|my|exports?|imports?|buyers?|sellers?|suppliers?|you|can|could|would|will|should|tell|any|where|when|whose|whom|why|sells?|buys?|trade|on|into|was|were|has|have|had|did|this|that|their|its|we|us|want|need|please|whether|most|between|since|than|more|less|abroad|going|show|give|list|it|they|much|many)$/;

/** With English words around it, "medicins" is no Latvian word. */
export const isEnglishText = (words: readonly Word[]): boolean =>
  words.some(({ folded }) => englishMarks.test(folded)) &&
  !words.some(({ text, is_capital }) => !is_capital && /[āčēģīķļņšūž]/.test(text));

/** True if a word is listed or in a name of the nomenclature. */
export const isKnown = (word: Word, index: NamesIndex, is_english = false): boolean =>
  isListed(word, is_english) || index.words.has(word.folded) || index.byTerm.has(word.english);

const hasSameLetters = (a: string, b: string) =>
  a.length === b.length && [...a].sort().join() === [...b].sort().join();

/** "Pockets" are no "sockets": the first letter of a product is seldom wrong. */
const consonantsOf = (text: string) => text.replaceAll(/[aeiouy]/g, "*");
const hasSameConsonants = (a: string, b: string) => a.length > 4 && consonantsOf(a) === consonantsOf(b);

const hasSameFirst = (a: string, b: string) =>
  a[0] === b[0] ||
  /^(ck|kc|sz|zs|fp|pf|vw|wv)$/.test(`${a[0]}${b[0]}`) ||
  a.length !== b.length ||
  hasSameLetters(a, b);

/** The words with misspelt ones mended: each unknown word that is one letter from a known one. */
export function mended(words: readonly Word[], index: NamesIndex): Word[] {
  const { spelling, countries, products } = known();
  let most = MOST_MENDED;
  const is_english = isEnglishText(words);
  const isTitle = words.filter(({ is_capital }) => is_capital).length * 2 > words.length;
  return words.map((word, at) => {
    if (isKnown(word, index, is_english) || realEnglish.has(word.folded))
      return countryMeant(words, at) ?? word;
    if (most-- <= 0) return word;
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
      // "Wind turbins" are turbines, and no turbans.
      isPhraseWith(words, at, candidate)
        ? -1
        : // Letters that changed places are the likeliest slip.
          hasSameLetters(candidate, word.folded)
          ? 0
          : /^(exports|imports|buyers)$/.test(candidate)
            ? 0.5
            : // "From Canda" is Canada, and no candy.
              at > 0 && word.is_capital && countries.has(candidate)
              ? 0.7
              : // "Steal" has the consonants of "steel", and not those of "seal".
                products.has(candidate) && hasSameConsonants(candidate, word.folded)
                ? 0.8
                : 1,
    ];
    const [best] = spelling(word.folded)
      .filter((candidate) => !products.has(candidate) || hasSameFirst(candidate, word.folded))
      .filter((candidate) => !shortWords.test(candidate) || hasSameLetters(candidate, word.folded))
      .map((candidate) => ({ candidate, rank: rankOf(candidate) }))
      .sort((a, b) => a.rank[0]! - b.rank[0]! || a.rank[2]! - b.rank[2]! || a.rank[1]! - b.rank[1]!);
    // "Atlantis" is a name, and no slip of "Atlantic".
    const isName = word.is_capital && at > 0 && !isTitle;
    if (!best || (isName && !countries.has(best.candidate))) return word;
    const { is_possessive, is_capital, before } = word;
    return { ...wordOf(best.candidate), text: word.text, is_possessive, is_capital, before };
  });
}

/** True if a listed product has the word together with one of its neighbours. */
function isPhraseWith(words: readonly Word[], at: number, candidate: string): boolean {
  const { english } = wordOf(candidate);
  const [before, after] = [words[at - 1]?.english, words[at + 1]?.english];
  return englishPhrases().has(`${before} ${english}`) || englishPhrases().has(`${english} ${after}`);
}

/** "Of Hungry", "into Belgum": a capital where a country is expected, one letter from a country, and no other English name. */
function countryMeant(words: readonly Word[], at: number): Word | undefined {
  const { words: listed, countries, products, spelling } = known();
  const word = words[at]!;
  const isPlace = /^(of|from|to|into|by|between|and)$/.test(words[at - 1]?.folded ?? "");
  const isTitle = words.every(({ is_capital }, n) => is_capital || n === at - 1);
  if (!word.is_capital || !isPlace || isTitle || word.folded.length < 5) return undefined;
  if (listed.has(word.folded) && !everydayEnglish.has(word.folded)) return undefined;
  if (products.has(word.folded)) return undefined;
  const [meant] = spelling(word.folded).filter((one) => countries.has(one) && one[0] === word.folded[0]);
  return meant === undefined
    ? undefined
    : { ...word, ...wordOf(meant), text: word.text, before: word.before };
}

/** More unknown words than this are no slips of a question. */
const MOST_MENDED = 20;
