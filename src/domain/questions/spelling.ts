/** Words that are one letter away from a known one: found by the words that remain when a letter is left out. */

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

export type Spelling = (folded: string) => string[];

/** Answers the known words one letter away from a word, in the order of `known`. */
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
  return (folded) => {
    if (folded.length < LEAST_LETTERS || folded.length > 40) return [];
    const found = new Set(shortened(folded).flatMap((key) => index.get(key) ?? []));
    return [...found].filter((word) => isOneAway(folded, word));
  };
}
