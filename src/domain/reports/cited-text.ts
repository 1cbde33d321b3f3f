/** Sentences over facts: a citation follows each figure, and no word has a digit of its own. */
import { type Fact, print } from "./fact.ts";

/** A text, and the ids of the facts that it cites, in order. */
export type CitedText = { text: string; facts: string[] };

const DIGIT = /\p{Nd}/u;

/** Throws where the words have a digit: nobody could verify that number. */
export function citing(words: TemplateStringsArray, ...said: (Fact | CitedText | string)[]): CitedText {
  let text = plain(words[0] ?? "");
  const facts: string[] = [];
  for (const [at, one] of said.entries()) {
    if (typeof one === "string") text += plain(one);
    else if ("facts" in one) {
      text += one.text;
      facts.push(...one.facts);
    } else {
      text += cited(one);
      facts.push(one.id);
    }
    text += plain(words[at + 1] ?? "");
  }
  return { text, facts };
}

/** A fact and its citation, on one line. */
export const cited = (fact: Fact): string => `${print(fact)}\u00a0[${fact.id}]`;

/** Joins several in one sentence: "a, b and c". */
export function joinList(said: readonly CitedText[]): CitedText {
  const joints = said.map((_, at) => (at === 0 ? "" : at === said.length - 1 ? " and " : ", "));
  return {
    text: said.map(({ text }, at) => joints[at] + text).join(""),
    facts: said.flatMap(({ facts }) => facts),
  };
}

function plain(words: string): string {
  if (DIGIT.test(words)) throw new Error(`“${words}” has a digit that is not a fact`);
  return words;
}
