/** The part of a text that shows why a search found it. */

const MOST_LETTERS = 180;
/** Letters before the first found word of a sentence that is too long. */
const BEFORE = 60;
const SENTENCE_END = /(?<=[.!?:;])\s+/;
/** Splits a text so that every second part is a word. */
export const WORD = /([\p{L}\p{N}]+)/u;

/** The sentence with the most different found words, cut between words where it is too long. */
export function excerptOf(text: string, isMatch: (word: string) => boolean): string {
  const sentences = text.replaceAll("`", "").trim().split(SENTENCE_END);
  const counts = sentences.map((sentence) => foundIn(sentence, isMatch).size);
  const at = counts.indexOf(Math.max(...counts));
  const rest = sentences.slice(at).join(" ");
  const first = rest.split(WORD).findIndex(isMatch);
  const before = first < 0 ? 0 : rest.split(WORD).slice(0, first).join("").length;
  const from = before + BEFORE < MOST_LETTERS ? 0 : rest.indexOf(" ", before - BEFORE) + 1;
  const cut = rest.slice(from);
  const isWhole = cut.length <= MOST_LETTERS;
  const end = isWhole ? cut.length : cut.lastIndexOf(" ", MOST_LETTERS);
  return `${at > 0 || from > 0 ? "… " : ""}${cut.slice(0, end < 0 ? MOST_LETTERS : end)}${isWhole ? "" : " …"}`;
}

const foundIn = (text: string, isMatch: (word: string) => boolean): Set<string> =>
  new Set(
    text
      .split(WORD)
      .filter(isMatch)
      .map((word) => word.toLowerCase()),
  );
