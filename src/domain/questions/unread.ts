/** Words of a question that its reading leaves over: what they say is no part of the answer. */
import { isEnglishText, isKnown } from "./known-words.ts";
import type { NamesIndex } from "./names-index.ts";
import { isAboutTrade } from "./trade-words.ts";
import { contextWords, isAttribute, isEveryday, realEnglish } from "./vocabulary.ts";
import type { Word } from "./words.ts";

export type Unread = {
  /** Words of no list, as written. */
  unknown: string[];
  /** English nouns and verbs, folded, that no list of the reader has. */
  words: string[];
};

type Text = { words: readonly Word[]; index: NamesIndex; taken: (at: number) => boolean };

/** Names of persons and towns begin with a capital; they are neither. */
export function unreadIn({ words, index, taken }: Text): Unread {
  const is_english = isEnglishText(words);
  const left = words.filter(
    (word, at) =>
      !taken(at) &&
      word.folded.length > 3 &&
      !/\d/.test(word.folded) &&
      !isEveryday(word.folded) &&
      !contextWords.has(word.folded) &&
      !isAboutTrade(word) &&
      !isAttribute(word),
  );
  const isUnknown = (word: Word) => !isKnown(word, index, is_english) && !realEnglish.has(word.folded);
  const [unknown, known] = [left.filter(isUnknown), left.filter((word) => !isUnknown(word))];
  return {
    unknown: is_english ? unknown.filter(({ is_capital }) => !is_capital).map(({ text }) => text) : [],
    words: is_english ? known.map(({ folded }) => folded) : [],
  };
}
