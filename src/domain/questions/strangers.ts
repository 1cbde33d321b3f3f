/** Names in a question that nobody knows: a word where a country or a product is expected. */

import { atFirstUse } from "../../core/model/first-use.ts";
import type { Mention } from "./countries.ts";
import { isEnglishText, isKnown, isListed } from "./known-words.ts";
import type { NamesIndex } from "./names-index.ts";
import { isAboutTrade, tradeWord } from "./trade-words.ts";
import { contextWords, englishPhrases, englishProductWords, isEveryday, realEnglish } from "./vocabulary.ts";
import type { Word } from "./words.ts";

const productWords = atFirstUse(() => new Set(englishProductWords()));
const productStems = atFirstUse(
  () => new Set([...englishPhrases().keys()].filter((key) => !key.includes(" "))),
);

type Text = {
  words: readonly Word[];
  mentions: readonly Mention[];
  index: NamesIndex;
  taken: (at: number) => boolean;
};

/**
 * Words that no list knows and that stand where a name of a country or product would. A word that only the nomenclature knows is one too,
 * if no product was found by it.
 */
export function strangersIn({ words, index, taken, mentions }: Text, hasProduct: boolean): string[] {
  const found: string[] = [];
  const is_english = isEnglishText(words);
  for (const [at, word] of words.entries()) {
    const isStranger = word.is_capital && !isKnown(word, index, is_english) && !realEnglish.has(word.folded);
    if (isStranger && isPeople(words, at, taken)) found.push(word.text);
    if (taken(at) || word.folded.length < 4 || contextWords.has(word.folded)) continue;
    // "Goose liver": each word is in a product's name, and both together name none.
    const isPart = !hasProduct && productWords().has(word.folded) && !isEveryday(word.folded);
    if (!hasProduct && isEveryday(word.folded) && isGoodsPlace(words, at)) found.push(word.text);
    if (!hasProduct && isEveryday(word.folded) && isNamedGoods(words, at, mentions)) found.push(word.text);
    if (hasProduct && mentions.length === 0 && isStranger && at > 0 && !isGreeted(words, at))
      found.push(word.text);
    if (isListed(word) && !isPart) continue;
    const isCountry =
      word.is_capital && !isKnown(word, index) && (isCountryPlace(words, at) || isPeople(words, at, taken));
    const isProduct = !hasProduct && isProductPlace(words, at, mentions);
    if (isCountry || isProduct) found.push(word.text);
  }
  return [...new Set(found)];
}

/** "Dear Mrs Berzins": names of persons are no countries. */
const isGreeted = (words: readonly Word[], at: number): boolean =>
  words
    .slice(Math.max(0, at - 3), at)
    .some(({ folded }) => /^(dear|hi|hello|hey|mr|mrs|ms|sir|regards|thanks|cheers|sincerely)$/.test(folded));

const wordAt = (words: readonly Word[], at: number) => words[at]?.folded ?? "";

function isCountryPlace(words: readonly Word[], at: number): boolean {
  if (/^the$/.test(wordAt(words, at - 1)))
    return at > 1 && isCountryPlace([...words.slice(0, at - 1), ...words.slice(at)], at - 1);
  const before = wordAt(words, at - 1);
  const next = words[at + 1];
  if (/^(to|from|into|with|between|uz|no|ar|starp)$/.test(before)) return true;
  if (before === "and" && wordAt(words, at - 3) === "between") return true;
  if (next && !/[.,;?!]/.test(next.before) && tradeWord(next) !== undefined) return true;
  return before === "of" && at > 1 && isAboutTrade(words[at - 2]!);
}

/** "Narnian wool": an adjective as those of countries are, right before a product. */
const isPeople = (words: readonly Word[], at: number, taken: (at: number) => boolean): boolean =>
  at > 0 && taken(at + 1) && /(ian|ean|ese|ish)$/.test(words[at]!.folded);

const general =
  /^(goods|products?|merchandise|everything|anything|something|this|that|these|those|their|your|ours?|which|what|whom|last|latest|recent|both|each|every|main|major|most|more|other|others|total|foreign|services|things|items|commodit(y|ies)|member|members|countr(y|ies)|states?|nations?|world|europe|union|year|years|month|months|such|same|many|some|various|different|several|small|large|biggest|largest|leading|value|volume|domestic|local|trade|trading|euro|eurozone|area)$/;

/** "Imports of rise": where goods are named, an everyday word is a slip or a thing without a code. */
function isGoodsPlace(words: readonly Word[], at: number): boolean {
  const noun = words[at - 2];
  return (
    words[at - 1]?.folded === "of" &&
    noun !== undefined &&
    /^(imports?|exports?|sales|purchases|shipments?|deliver(y|ies)|suppl(y|ies)|buyers?|sellers?|suppliers?|importers?|exporters?)$/.test(
      noun.folded,
    ) &&
    !general.test(words[at]!.folded)
  );
}

/** "Swedish match exports": a noun of products between a country and its trade. */
function isNamedGoods(words: readonly Word[], at: number, mentions: readonly Mention[]): boolean {
  const next = words[at + 1];
  return (
    mentions.some(({ to }) => to === at) &&
    next !== undefined &&
    /^(exports?|imports?|sales|shipments?|buyers?|sellers?|suppliers?)$/.test(next.folded) &&
    (productWords().has(words[at]!.folded) || productStems().has(words[at]!.english)) &&
    !general.test(words[at]!.folded)
  );
}

function isProductPlace(words: readonly Word[], at: number, mentions: readonly Mention[]): boolean {
  const [before, next] = [words[at - 1], words[at + 1]];
  const isBesideCountry = mentions.some(({ from, to }) => from === at + 1 || to === at);
  const trades = (word: Word | undefined) => word !== undefined && tradeWord(word) !== undefined;
  if (trades(before) || trades(next)) return true;
  if (before?.folded === "of" || before?.folded === "on") return trades(words[at - 2]);
  if (/^(much|many|daudz)$/.test(before?.folded ?? "")) return true;
  return isBesideCountry && words.some(trades);
}
