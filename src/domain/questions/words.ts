/** The words of a question: their text, folded form and stems. */
import { british } from "./british.ts";

export type Word = {
  /** As typed, without a possessive ending. */
  text: string;
  /** Lower case, without accents. */
  folded: string;
  english: string;
  latvian: string;
  is_possessive: boolean;
  is_capital: boolean;
  /** The text between the word before and this one. */
  before: string;
};

/** Longer texts are cut: a question has 500 characters. */
const MOST_CHARACTERS = 2_000;
const MOST_WORDS = 200;

/** Lower case, without accents. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!/[^ -~]/.test(lower)) return lower;
  return lower.normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll("ß", "ss").replaceAll("ł", "l");
}

/** English words in the singular and in British spelling. */
export const englishStem = (folded: string): string => stemOf(british(folded));

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  "geese goose|mice mouse|teeth tooth|feet foot|leaves leaf|loaves loaf|knives knife|halves half|calves calf|oxen ox|shelves shelf|hooves hoof"
    .split("|")
    .map((pair) => pair.split(" ") as [string, string]),
);

function stemOf(folded: string): string {
  const irregular = IRREGULAR.get(folded);
  if (irregular !== undefined) return irregular;
  if (folded.length < 4 || /(ss|us|is)$/.test(folded)) return folded;
  if (folded.length > 4 && folded.endsWith("ies")) return `${folded.slice(0, -3)}y`;
  return folded.replace(/(?<=[sxz]|ch|sh)es$|s$/, "");
}

const LATVIAN_ENDINGS =
  "ajiem ajam ajai ajas ajos ajam iem ies ajs ais ami as am ai aj es em ei is im ij us um os ie s a e i u o".split(
    " ",
  );

/** The longest ending that leaves three letters goes; so does the softening of lips: zivju, zivis. */
export function latvianStem(folded: string): string {
  const ending = LATVIAN_ENDINGS.find(
    (one) => folded.endsWith(one) && folded.length - one.length >= Math.max(3, one.length),
  );
  const stem = ending === undefined ? folded : folded.slice(0, -ending.length);
  return stem.length > 3 ? stem.replace(/(?<=[bmpv])j$/, "") : stem;
}

/** The folded words of a text, for indexes over many texts. */
export const foldedIn = (text: string): string[] => fold(text).match(wordPattern) ?? [];

/** The words of a text, in lower case and without accents. */
export const foldedWords = (text: string): string[] =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/** `text` in words, at most 200 of them. */
export function wordsIn(text: string): Word[] {
  const plain = text
    .slice(0, MOST_CHARACTERS)
    .normalize("NFC")
    .replaceAll(/[-–=]+>|→|➔|⇒|(?<=\s)>+(?=\s)/g, " to ")
    .replaceAll(/[’ʼ`´]/g, "'");
  const words: Word[] = [];
  let end = 0;
  for (const match of plain.matchAll(wordPattern)) {
    if (words.length === MOST_WORDS) break;
    const between = plain.slice(end, match.index);
    end = match.index + match[0].length;
    const last = words.at(-1);
    if (last && between === "'" && /^(s|d|m|t|ll|ve|re)$/i.test(match[0])) {
      if (/^s$/i.test(match[0])) last.is_possessive = true;
      continue;
    }
    if (last && /^'(?!\p{L})/u.test(between) && /s$/i.test(last.text)) last.is_possessive = true;
    words.push({ ...wordOf(match[0]), before: between });
  }
  return words;
}

export function wordOf(text: string): Word {
  const folded = fold(text);
  return {
    text,
    folded,
    english: englishStem(folded),
    latvian: latvianStem(folded),
    is_possessive: false,
    is_capital: /^\p{Lu}/u.test(text),
    before: "",
  };
}
