/** The word lists of the reader, each with its sources. */
import countryWords from "./data/country-words.json" with { type: "json" };
import everyday from "./data/everyday-words.json" with { type: "json" };
import productWords from "./data/product-words.json" with { type: "json" };
import { fold, foldedIn, wordsIn } from "./words.ts";

/** Everyday words: none of them names a product or a country. */
export const everydayEnglish: ReadonlySet<string> = new Set(everyday.en.split(" "));
export const everydayLatvian: ReadonlySet<string> = new Set(everyday.lv.split(" "));
export const isEveryday = (folded: string) => everydayEnglish.has(folded) || everydayLatvian.has(folded);

/** Further names of countries besides CLDR's: other names, adjectives and peoples, and all of these in Latvian. */
export const namesOfCountries: readonly {
  code: string;
  names: readonly string[];
  en: readonly string[];
  lv: readonly string[];
}[] = countryWords.rows;

/** Names that two countries share. */
export const sharedNames: readonly {
  codes: readonly string[];
  names: readonly string[];
  en: readonly string[];
  lv: readonly string[];
}[] = countryWords.shared;

/** A phrase that names a product, and the codes that it may mean. */
export type Phrase = {
  codes: readonly string[];
  length: number;
  text: string;
  /** The single words that it is listed by, folded as written. */
  spelt: Set<string>;
};

/** Phrases by the stems of their words. */
export type Phrases = ReadonlyMap<string, Phrase>;

export const MOST_PHRASE_WORDS = 5;

function phrasesOf(language: "en" | "lv"): Phrases {
  const found = new Map<string, Phrase>();
  for (const { hs, [language]: texts } of productWords.rows)
    for (const text of texts) {
      const words = wordsIn(text);
      const key = words.map((word) => (language === "en" ? word.english : word.latvian)).join(" ");
      const phrase = found.get(key) ?? { codes: hs, length: words.length, text, spelt: new Set() };
      phrase.spelt.add(fold(text));
      found.set(key, phrase);
    }
  return found;
}

export const englishPhrases = phrasesOf("en");
export const latvianPhrases = phrasesOf("lv");

const wordsOf = (texts: readonly string[]) => [...new Set(texts.flatMap(foldedIn))];

/** Each word of the product phrases, folded as written. */
export const englishProductWords = wordsOf(productWords.rows.flatMap(({ en }) => en));
export const latvianProductWords = wordsOf(productWords.rows.flatMap(({ lv }) => lv));
