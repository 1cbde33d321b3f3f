/** The similarity of two words of names, from 0 to 1. */
import { doubleMetaphone } from "double-metaphone";

/** Words less alike than this are different ones. */
const LEAST_ALIKE = 0.8;
/** Words that only sound alike are never as good as equal. */
const MOST_BY_SOUND = 0.92;
/** The bonus for the same sound, by number of consonants: a sound of two is that of hundreds of names. */
const BY_SOUND = [0, 0, 0.04, 0.06, 0.08];
/** From this ratio of lengths on, letters that only one word has count for more than the measure gives them. */
const ABOUT_AS_LONG = 0.8;
/**
 * For words with the same consonants: Arabic and Hebrew write no others, and romanisations differ in vowels, though
 * about as many.
 */
const BY_CONSONANTS = 0.9;
/** For four or more of them, in as many syllables. */
const BY_MANY_CONSONANTS = 0.94;
/**
 * For words that differ only in the habits of romanisations: Saeed and Said, Mahmoud and Mahmud, Husayn and Husain,
 * Win and Vin, Agha and Aqa.
 */
const BY_HABIT = 0.95;
/** An initial is a word whose remaining letters are omitted. */
const BY_INITIAL = 0.94;

/** A word with what is worked out of it once. */
export type Word = {
  text: string;
  sounds: readonly string[];
  consonants: string;
  /**
   * The word with variants of romanisation unified: long vowels, doubled letters, Y and W. Empty for numbers and
   * short words.
   */
  plain: string;
  syllables: number;
  isNumber: boolean;
};

/** Of shorter words, these letters tell names apart. */
const LEAST_PAIRED = 5;

/** Müller is Mueller and Muller, Šmits is Shmits and Smits. */
const withoutLetterPairs = (text: string) =>
  text.length < LEAST_PAIRED
    ? text
    : text
        .replaceAll(/([AOU])E(?!E)/g, "$1")
        .replaceAll(/(SC?|Z|C|K)H/g, (pair) => (pair === "KH" ? "H" : pair[0]!));

/** One way to write the sounds of SH and CH, which German, French and Polish write in ways of their own. */
const hushed = (text: string) =>
  text
    .replaceAll(/SCHTSCH|SZCZ|CHTCH/g, "SHCH")
    .replaceAll(/TSCH|TCH|CZ/g, "CH")
    .replaceAll("SZ", "SH");

export function wordOf(text: string): Word {
  const isNumber = /\d/.test(text);
  const sounds = isNumber ? [] : [...new Set(doubleMetaphone(text))].filter((sound) => sound.length >= 2);
  const plain = withoutLetterPairs(hushed(text))
    .replaceAll(/E[IY]/g, "AI")
    .replaceAll("EE", "I")
    .replaceAll(/O[OU]/g, "U")
    .replaceAll(/GH|Q/g, "G")
    .replaceAll(/[YJ]/g, "I")
    .replaceAll("W", "V")
    .replaceAll(/(?<=.)X/g, "KS")
    .replaceAll(/(.)\1+/g, "$1");
  const syllables = text.match(/[AEIOUY]+/g)?.length ?? 0;
  return {
    ...{ text, sounds, syllables, isNumber },
    consonants: isNumber ? "" : consonantsOf(text),
    plain: isNumber || plain.length < 3 ? "" : plain,
  };
}

/** Three consonants are those of many words, so that their syllables have to be as many; of more, one may be swallowed. */
function alikeByConsonants(a: Word, b: Word): number {
  const count = a.consonants.length;
  const apart = Math.abs(a.syllables - b.syllables);
  if (count < 3 || a.consonants !== b.consonants || apart > (count > 3 ? 1 : 0)) return 0;
  return count > 3 && apart === 0 ? BY_MANY_CONSONANTS : BY_CONSONANTS;
}

/** True if two words may be one name by the habits of romanisations, rather than by an error. */
export const isSameName = (a: Word, b: Word): boolean =>
  a.text === b.text || (a.plain !== "" && a.plain === b.plain) || alikeByConsonants(a, b) > 0;

/** The consonants of a word, doubled ones once, those that romanisations take for each other as one. */
export function consonantsOf(text: string): string {
  const folded = hushed(text)
    .replace(/^X/, "S")
    .replaceAll("X", "KS")
    .replaceAll(/(?<=.)T[SZ](?!H)/g, "S")
    .replace(/^TS(?!H)/, "S")
    .replaceAll("KH", "H")
    .replaceAll(/[GD]?J|DZH|ZH/g, "J")
    .replaceAll(/Q|CK|C(?![EIH])/g, "K")
    .replaceAll(/SCH|SH|CH/g, "S")
    .replaceAll(/[ZC]/g, "S")
    .replaceAll(/[TD]H/g, "T")
    .replaceAll("PH", "F")
    .replaceAll(/[VW]/g, "V");
  return folded.replaceAll(/[AEIOUY]/g, "").replaceAll(/(.)\1+/g, "$1");
}

/**
 * Numbers are equal or different; a single letter is an initial. `mayBeKin`: false where neither consonants nor
 * habits are the same.
 */
export function alikeness(a: Word, b: Word, mayBeKin = true): number {
  if (a.text === b.text) return 1;
  if (a.isNumber || b.isNumber) return 0;
  if (a.text.length === 1 || b.text.length === 1) return a.text[0] === b.text[0] ? BY_INITIAL : 0;
  const [short, long] =
    a.text.length < b.text.length ? [a.text.length, b.text.length] : [b.text.length, a.text.length];
  const spelling = jaroWinkler(a.text, b.text) - 0.5 * Math.max(0, ABOUT_AS_LONG - short / long);
  let commonSounds = 0;
  for (const sound of a.sounds)
    if (sound.length > commonSounds && b.sounds.includes(sound)) commonSounds = sound.length;
  const bySound =
    commonSounds > 0 ? Math.min(MOST_BY_SOUND, spelling + BY_SOUND[Math.min(commonSounds, 4)]!) : 0;
  let best = Math.max(spelling, bySound);
  if (mayBeKin) {
    const byHabit = a.plain !== "" && a.plain === b.plain ? BY_HABIT : 0;
    best = Math.max(best, byHabit, alikeByConsonants(a, b));
  }
  return best >= LEAST_ALIKE ? best : 0;
}

const usedA = new Uint8Array(256);
const usedB = new Uint8Array(256);

/**
 * Jaro's measure with Winkler's bonus for a common prefix of up to four letters (Winkler 1990, with 0.1 a letter).
 * Only the first 255 letters of a word are compared.
 */
export function jaroWinkler(a: string, b: string): number {
  const [n, m] = [Math.min(a.length, 255), Math.min(b.length, 255)];
  if (n === 0 || m === 0) return 0;
  const reach = Math.max(0, Math.floor(Math.max(n, m) / 2) - 1);
  usedA.fill(0, 0, n);
  usedB.fill(0, 0, m);
  let common = 0;
  for (let i = 0; i < n; i++) {
    const code = a.charCodeAt(i);
    for (let j = Math.max(0, i - reach); j < Math.min(m, i + reach + 1); j++) {
      if (usedB[j] || b.charCodeAt(j) !== code) continue;
      usedA[i] = 1;
      usedB[j] = 1;
      common++;
      break;
    }
  }
  if (common === 0) return 0;
  let swapped = 0;
  for (let i = 0, j = 0; i < n; i++) {
    if (!usedA[i]) continue;
    while (!usedB[j]) j++;
    if (a.charCodeAt(i) !== b.charCodeAt(j)) swapped++;
    j++;
  }
  const jaro = (common / n + common / m + (common - swapped / 2) / common) / 3;
  let prefix = 0;
  while (prefix < 4 && prefix < n && prefix < m && a[prefix] === b[prefix]) prefix++;
  return jaro + prefix * 0.1 * (1 - jaro);
}
