/** Words that belong together: compounds of a product and of those who make it: "cheesemakers" are makers of cheese. */
import { closedCompounds, englishPhrases } from "./vocabulary.ts";
import { englishStem, type Word, wordOf } from "./words.ts";

const compound =
  /^(\p{L}{3,}?)(makers?|growers?|producers?|builders?|exporters?|importers?|buyers?|sellers?)$/iu;

export function parted(words: readonly Word[]): Word[] {
  return words.flatMap((word) => {
    const closed = closedCompounds().get(word.folded);
    if (closed)
      return closed.map((part, at) => ({
        ...wordOf(part),
        before: at === 0 ? word.before : " ",
        is_possessive: at === closed.length - 1 && word.is_possessive,
      }));
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
  !/^(book|match)$/i.test(text) && englishPhrases().has(englishStem(text.toLowerCase()));

/** "We need to know" and "I need the figures" buy nothing. */
const isOfKnowledge = (words: readonly Word[], at: number): boolean => {
  const next = words[at]?.folded ?? "";
  const noun = /^(the|a|an|some|your|our|all|any)$/.test(next) ? (words[at + 1]?.folded ?? "") : next;
  return /^(to|data|figures?|numbers?|info|information|statistics|stats|trade|trends?|values?|volumes?|reports?|overview|list|profile|analysis|prices?|exports?|imports?)$/.test(
    noun,
  );
};

/** "Bring in" is one verb, and "by ship" says nothing about ships. */
export function phrasal(words: readonly Word[]): Word[] {
  const found: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const next = words[at + 1]?.folded ?? "";
    if (/^(bring|brings|bringing|brought)$/.test(word.folded) && next === "in") {
      found.push({ ...wordOf("import"), text: `${word.text} in`, before: word.before });
      at++;
    } else if (/^needs?$/.test(word.folded) && isOfKnowledge(words, at + 1))
      found.push({ ...wordOf("want"), text: word.text, before: word.before });
    else if (word.folded === "by" && /^(ship|sea|rail|road|air|boat|truck|train|plane|lorry)$/.test(next))
      at++;
    else found.push(word);
  }
  return found;
}
