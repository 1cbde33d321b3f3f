/** The codes, years and months of a question. */
import type { NamesIndex } from "./names-index.ts";
import type { Word } from "./words.ts";

/** No statistics of trade begin before. */
const FIRST_YEAR = 1988;
const LAST_YEAR = 2099;

/** Words of the question from `from` up to, and without, `to`. */
export type Range = { from: number; to: number };
export type ValueInText<Value> = Range & { value: Value };

const codeCues = new Set(
  "hs cn kn hs2 hs4 hs6 cn8 code heading kods kodu koda pozicija subheading".split(" "),
);
const chapterCues = new Set("chapter chapters ch nodala nodalas nodalu nodala hs2".split(" "));

const digits = (word: Word | undefined, ...lengths: number[]) =>
  word !== undefined && /^\d+$/.test(word.text) && lengths.includes(word.text.length);
const isYear = (text: string) =>
  /^\d{4}$/.test(text) && Number(text) >= FIRST_YEAR && Number(text) <= LAST_YEAR;
const isJoined = (word: Word | undefined) => word !== undefined && /^[ .]?$/.test(word.before);
const unitPattern =
  /^(tonn?e?s?|t|kg|eur|euros?|usd|percent|people|years?|days?|pieces)$|^(million|billion|thousand|tonn|eiro|gad)/;

/** A product code: behind a word that announces one, or digits that are no year and no amount. */
export function codeIn(words: readonly Word[]): ValueInText<string> | undefined {
  for (const [at, word] of words.entries()) {
    // "DE-CN 8542" is trade of Germany with China.
    const isPartner = word.before === "-";
    const isCue = !isPartner && (codeCues.has(word.folded) || chapterCues.has(word.folded));
    const found = isCue ? announcedCode(words, at) : undefined;
    if (found) return found;
  }
  for (const [at, word] of words.entries()) {
    const isAmount = unitPattern.test(words[at + 1]?.folded ?? "") || /[.,\d]$/.test(word.before);
    if (isAmount || !digits(word, 4, 6, 8) || word.text.startsWith("00") || isYear(word.text)) continue;
    return longestCode(words, at, at);
  }
  return undefined;
}

/** Announced codes that no nomenclature has: "HS 0000", or a code of a chapter whose codes are all loaded. */
export function unknownCodes(
  words: readonly Word[],
  index: NamesIndex,
  code: ValueInText<string> | undefined,
): string[] {
  if (code) {
    const chapter = index.below(code.value.slice(0, 2));
    const isLoaded = chapter.some((entry) => entry.code.length === 8);
    const isNone = isLoaded && index.below(code.value).length === 0;
    return isNone && !chapter.some((entry) => code.value.startsWith(entry.code)) ? [code.value] : [];
  }
  const cue = words.findIndex(
    ({ folded }, at) =>
      codeCues.has(folded) && /^\d+$/.test(words[at + 1]?.text ?? "") && !isYear(words[at + 1]!.text),
  );
  return cue < 0 ? [] : [`${words[cue]!.text} ${words[cue + 1]!.text}`];
}

function announcedCode(words: readonly Word[], cue: number): ValueInText<string> | undefined {
  const next = words[cue + 1];
  if (!next || !digits(next, 2, 4, 6, 8) || next.text.startsWith("00")) {
    // "44. nodaļa"
    const before = words[cue - 1];
    const isBefore = chapterCues.has(words[cue]!.folded) && digits(before, 2) && before!.text !== "00";
    return isBefore ? { value: before!.text, from: cue - 1, to: cue + 1 } : undefined;
  }
  // "DE to CN 2021" is a year of China, and "CN 4407" a code.
  const isCountry = /^[CK]N$/.test(words[cue]!.text) && isYear(next.text);
  return isCountry ? undefined : longestCode(words, cue, cue + 1);
}

/** "4407 11 00" and "4407.11" are one code. */
function longestCode(words: readonly Word[], from: number, first: number): ValueInText<string> {
  let value = words[first]!.text;
  let to = first + 1;
  while (value.length >= 4 && value.length < 8 && digits(words[to], 2) && isJoined(words[to]))
    value += words[to++]!.text;
  return { value, from, to };
}

/** "2020", "2018-2021", "2019-" for since, "-2020" for until. */
export function yearsIn(
  words: readonly Word[],
  taken: (at: number) => boolean,
): ValueInText<string> | undefined {
  const at = words.flatMap((word, n) => (isYear(word.text) && !taken(n) ? [n] : []));
  const [first] = at;
  if (first === undefined) return undefined;
  const years = at.map((n) => Number(words[n]!.text));
  const [least, most] = [Math.min(...years), Math.max(...years)];
  const range = { from: first, to: at.at(-1)! + 1 };
  if (at.length > 1) return { ...range, value: least === most ? `${least}` : `${least}-${most}` };
  const short = words[first + 1];
  // "2019/20", "2019-21"
  if (short && /^\d\d$/.test(short.text) && /^[-–/]$/.test(short.before) && Number(short.text) > least % 100)
    if (short.before === "/" || Number(short.text) > 12)
      return { ...range, to: first + 2, value: `${least}-${String(least).slice(0, 2)}${short.text}` };
  return { ...range, value: openRange(words, first, least) };
}

/** "Since 2019", "from 2019 on", "until 2020"; else the year alone. */
function openRange(words: readonly Word[], at: number, year: number): string {
  // "Kopš 2019. gada" and "līdz 2020. gadam" say it before the year too.
  const before = words[at - 1]?.folded ?? "";
  const after = words[at + 1]?.folded ?? "";
  const isFrom = before === "from" || before === "no";
  if (/^(since|after|kops)$/.test(before) || /^onwards?$/.test(after)) return `${year}-`;
  if (isFrom && /^(on|to|till|until|lidz)$/.test(after)) return `${year}-`;
  return /^(until|till|before|lidz)$/.test(before) ? `-${year}` : `${year}`;
}

/** How the months are called in English and Latvian, in full or short. */
const months: readonly RegExp[] = [
  /^jan(uary|var(is|i|a|u))?$/,
  /^feb(ruary|ruar(is|i|a|u))?$/,
  /^mar(ch|ts|ta|tu)?$/,
  /^apr(il|il(is|i|a))?$/,
  /^ma(y|ijs|ija|iju)$/,
  /^jun(e|ijs|ija|iju)?$/,
  /^jul(y|ijs|ija|iju)?$/,
  /^aug(ust|usts|usta|ustu)?$/,
  /^sept?(ember|embr(is|i|a))?$/,
  /^o[ck]t(ober|obr(is|i|a))?$/,
  /^nov(ember|embr(is|i|a))?$/,
  /^de[cz](ember|embr(is|i|a))?$/,
];

export const isMonth = (folded: string): boolean => months.some((month) => month.test(folded));

/** A month next to its year: "March 2024", "2024. gada marts", "2024-03". */
export function monthIn(words: readonly Word[]): ValueInText<string> | undefined {
  for (const [at, word] of words.entries()) {
    if (!isYear(word.text)) continue;
    const next = words[at + 1];
    const isNumber = next && /^(0[1-9]|1[0-2])$/.test(next.text) && next.before === "-";
    const isAlone = isNumber && word.before !== "-" && !/^[-\d]/.test(words[at + 2]?.before ?? "");
    if (isAlone) return { value: `${word.text}-${next.text}`, from: at, to: at + 2 };
    const behind = next?.folded === "gada" ? at + 2 : at + 1;
    for (const near of [at - 1, behind]) {
      const name = words[near]?.folded ?? "";
      const found = months.findIndex((month) => month.test(name));
      // "In 2025 may I" names no month.
      if (found < 0 || (near > at && name === "may")) continue;
      const value = `${word.text}-${String(found + 1).padStart(2, "0")}`;
      return { value, from: Math.min(near, at), to: Math.max(near, at) + 1 };
    }
  }
  return undefined;
}
