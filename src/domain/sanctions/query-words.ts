/** The words of a query with their weights, and each two neighbours as one word. */

import { canJoin, type NameIndex } from "./index.ts";
import { type Word, wordOf } from "./similarity.ts";
import type { NameWords } from "./words.ts";

/** The weight of an initial relative to its word. */
export const INITIAL = 0.5;

/** A word of the query, or two neighbours as one. */
export type QueryWord = {
  word: Word;
  at: number;
  span: 1 | 2;
  weight: number;
  isKnown: boolean;
  isUnvowelled: boolean;
};

export function queryWords(
  index: NameIndex,
  texts: readonly string[],
  { skeletons }: NameWords["readings"],
): QueryWord[] {
  const weigh = (text: string) => {
    const known = index.byText.get(text);
    return text.length === 1 ? INITIAL : known === undefined ? 1 : index.weights[known]!;
  };
  const single = texts.map(
    (text, at): QueryWord => ({
      word: wordOf(text),
      at,
      span: 1,
      weight: weigh(text),
      isKnown: text.length === 1 || index.byText.has(text),
      isUnvowelled: skeletons.has(text),
    }),
  );
  const joined = texts.slice(1).map((text, at): QueryWord => {
    const both = texts[at]! + text;
    return {
      word: wordOf(both),
      at,
      span: 2,
      weight: weigh(texts[at]!) + weigh(text),
      isKnown: false,
      isUnvowelled: false,
    };
  });
  return [...single, ...joined.filter(({ at }) => canJoin(texts[at]!, texts[at + 1]!))];
}
