/** Hebrew, which writes few vowels, and katakana, which adds vowels to foreign names. */
import { transliterate } from "transliteration";
import { consonantsOf } from "./similarity.ts";
import { type Readings, readings, unvowelled, withoutDoubles } from "./unvowelled.ts";

/** Hebrew letters by consonant, as unvowelled reads them. */
const HEBREW: Readonly<Record<string, string>> = Object.fromEntries(
  "אA בβ גG דD הH וW זZ חX טT יY כκ ךκ לL מM םM נN ןN סS עᴴ פφ ףφ צS ץS קQ רR שŠ תT"
    .split(" ")
    .map((pair) => [pair[0]!, pair.slice(1)]),
);
/** Letters with a geresh are sounds of foreign names. */
const WITH_GERESH: Readonly<Record<string, string>> = { צ: "C", ץ: "C", ג: "J", ז: "J", ת: "θ", ד: "δ" };
const HEBREW_WORDS: Readonly<Record<string, string>> = { אל: "AL", בן: "BEN", אבו: "ABU" };

export function hebrewWord(word: string, found: Readings): string {
  const letters = word.replaceAll(/\p{M}/gu, "").replaceAll("׳", "'");
  const known = HEBREW_WORDS[letters];
  if (known !== undefined) return known;
  const read = letters
    .replaceAll(/([צץגזתד])'/gu, (_, letter: string) => WITH_GERESH[letter]!)
    .replaceAll(/\p{Script=Hebrew}/gu, (letter) => HEBREW[letter] ?? "")
    .replaceAll("'", "");
  if (read === "") return "";
  const shown = unvowelled(read, found);
  // Hebrew's letters do not distinguish vowels.
  found.shapes.delete(shown);
  return shown;
}

/** Hepburn's spelling, which names are listed in; the library writes kana in Kunrei. */
const HEPBURN: readonly (readonly [RegExp, string])[] = [
  [/([kgnhbpmr])iy(?=[auo])/g, "$1y"],
  [/si?y(?=[auo])/g, "sh"],
  [/ti?y(?=[auo])/g, "ch"],
  [/zi?y(?=[auo])/g, "j"],
  [/si/g, "shi"],
  [/ti/g, "chi"],
  [/tu/g, "tsu"],
  [/hu/g, "fu"],
  [/zi/g, "ji"],
];

const replaced = (text: string) => HEPBURN.reduce((known, [from, to]) => known.replaceAll(from, to), text);

export const hepburn = (kana: string): string =>
  replaced(transliterate(kana, { unknown: "" }).toLowerCase()).toUpperCase();

/** Sounds of foreign names that katakana does not tell apart, as consonantsOf folds them. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  R: ["R", "L"],
  B: ["B", "V"],
  N: ["N", "NG"],
  J: ["J", "S"],
  F: ["F", "H", "V"],
  M: ["M", "N"],
};

const KATAKANA_WORDS: Readonly<Record<string, string>> = { アル: "AL", エル: "EL", ビン: "BIN", アブ: "ABU" };

/** A word in katakana: Japanese as it sounds, or a foreign one by its consonants. */
export function katakanaWord(word: string, { skeletons, shapes }: Readings): string {
  const known = KATAKANA_WORDS[word];
  if (known !== undefined) return known;
  const shown = hepburn(word.replaceAll("ー", "")).replaceAll(/[^A-Z]/g, "");
  const consonants = consonantsOf(shown);
  if (consonants.length < LEAST_FOREIGN) return shown;
  const ways = readings([...consonants].map((one) => FOREIGN[one] ?? [one]));
  skeletons.set(shown, [...new Set(ways.map(withoutDoubles))]);
  shapes.set(shown, /^[AIUEO]/.test(shown) ? /^[AEIOUY]/ : /^[^AEIOU]/);
  return shown;
}
/** A shorter word is that of many names. */
const LEAST_FOREIGN = 2;
