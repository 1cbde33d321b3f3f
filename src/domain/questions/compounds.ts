/** Compounds of a product and of those who make it: "cheesemakers" are makers of cheese. */
import { englishPhrases } from "./vocabulary.ts";
import { englishStem, type Word, wordOf } from "./words.ts";

const compound =
  /^(\p{L}{3,}?)(makers?|growers?|producers?|builders?|exporters?|importers?|buyers?|sellers?)$/iu;

export function parted(words: readonly Word[]): Word[] {
  return words.flatMap((word) => {
    const [, product, people] = compound.exec(word.text) ?? [];
    if (!product || !people || !isProduct(product)) return [word];
    return [
      { ...wordOf(product), before: word.before },
      { ...wordOf(people), before: " ", is_possessive: word.is_possessive },
    ];
  });
}

/** Bookmakers and matchmakers make neither books nor matches. */
const isProduct = (text: string) =>
  !/^(book|match)$/i.test(text) && englishPhrases.has(englishStem(text.toLowerCase()));
