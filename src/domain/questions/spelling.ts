/** Words near to a known one: by one letter, found by the words that remain when a letter is left out, or by two. */
import { distance } from "fastest-levenshtein";

const LEAST_LETTERS = 4;

/** `text` and every text with one letter less. */
function shortened(text: string): string[] {
  const all = [text];
  for (let at = 0; at < text.length; at++) all.push(text.slice(0, at) + text.slice(at + 1));
  return all;
}

/** True if one letter was added, left out or changed, or two neighbours were swapped. */
export function isOneAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  const [restA, restB] = [a.slice(from), b.slice(from)];
  if (a.length !== b.length) return a.length > b.length ? restA.slice(1) === restB : restA === restB.slice(1);
  if (restA.slice(1) === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}

const LEAST_LETTERS_OF_TWO = 8;

/** True if two letters of a long word differ, and neither its first nor its last. */
function isTwoAway(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < LEAST_LETTERS_OF_TWO || Math.abs(a.length - b.length) > 1) return false;
  return a[0] === b[0] && a.at(-1) === b.at(-1) && distance(a, b) <= 2;
}

/** Short words are near to many: their letters change places, double, or sound alike. */
const plainly = (text: string) =>
  text
    .replaceAll(/(.)\1/g, "$1")
    .replaceAll("ck", "k")
    .replaceAll("ph", "f")
    .replaceAll("c", "k")
    .replaceAll("z", "s")
    .replaceAll("y", "i");
const lettersOf = (text: string) => [...text].sort().join("");
const MOST_SHORT = 5;
const consonantsOf = (text: string) => text.replaceAll(/[aeiouy]/g, "*");
const isLikelySlip = (a: string, b: string) =>
  a.length > MOST_SHORT ||
  plainly(a) === plainly(b) ||
  lettersOf(a) === lettersOf(b) ||
  // "Trad" lacks its end.
  (a.length > LEAST_LETTERS - 1 && b.startsWith(a)) ||
  // "Itly" lacks a letter within, and "sugur" has another vowel.
  (a.length !== b.length && a[0] === b[0] && a.at(-1) === b.at(-1)) ||
  (a.length > LEAST_LETTERS && consonantsOf(a) === consonantsOf(b));

export type Spelling = (folded: string) => string[];

/** Answers the known words one letter away from a word, in the order of `known`; of a long word without any, those two away. */
export function spellingOf(known: readonly string[]): Spelling {
  const index = new Map<string, string[]>();
  for (const word of known) {
    if (word.length < LEAST_LETTERS) continue;
    for (const key of new Set(shortened(word))) {
      const words = index.get(key);
      if (words) words.push(word);
      else index.set(key, [word]);
    }
  }
  const endsOf = (word: string) => `${word[0]}${word.at(-1)}`;
  const byEnds = new Map<string, string[]>();
  for (const word of known) {
    if (word.length < LEAST_LETTERS_OF_TWO) continue;
    const words = byEnds.get(endsOf(word));
    if (words) words.push(word);
    else byEnds.set(endsOf(word), [word]);
  }
  const byLetters = new Map<string, string[]>();
  for (const word of known)
    if (word.length > LEAST_LETTERS)
      byLetters.set(lettersOf(word), [...(byLetters.get(lettersOf(word)) ?? []), word]);
  return (folded) => {
    if (folded.length < LEAST_LETTERS - 1 || folded.length > 40) return [];
    if (folded.length < LEAST_LETTERS)
      return known.filter(
        (word) =>
          word.length === folded.length &&
          (plainly(word) === plainly(folded) ||
            (word[0] === folded[0] && lettersOf(word) === lettersOf(folded))),
      );
    const found = new Set(shortened(folded).flatMap((key) => index.get(key) ?? []));
    const near = [...found].filter((word) => isOneAway(folded, word) && isLikelySlip(folded, word));
    if (near.length > 0) return near;
    const mixed = (byLetters.get(lettersOf(folded)) ?? []).filter((word) => word[0] === folded[0]);
    return mixed.length > 0
      ? mixed
      : (byEnds.get(endsOf(folded)) ?? []).filter((word) => isTwoAway(folded, word));
  };
}
