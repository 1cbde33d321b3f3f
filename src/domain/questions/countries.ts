/** The countries that a question names, in the order of the text. */
import { isReporter, partnerName, unknownPartner } from "../trade/reporters.ts";
import { type Entry, gazetteer, MOST_NAME_WORDS } from "./gazetteer.ts";
import type { Range } from "./numbers.ts";
import { englishPhrases, everydayEnglish, isEveryday } from "./vocabulary.ts";
import type { Word } from "./words.ts";

export type Mention = Range & {
  code: string;
  /** An adjective, a possessive or a Latvian genitive describes what follows: "Dutch cheese", "Latvijas koksne". */
  form: "name" | "describing" | "dative";
  /** "Dutch", and not "the Netherlands'". */
  is_adjective: boolean;
  is_member: boolean;
  /** Other countries of the same name. */
  rivals: readonly string[];
};

/** Two capitals that mean something else more often than the country. */
const notCodes = new Set(["TV", "AI", "CD", "PM", "AM", "PC", "PS", "ID", "HS", "EV", "OK"]);
/** Names of countries that mean products in lower case, if other names have capitals. */
const commonNouns = new Set([
  "turkey",
  "china",
  "jersey",
  "guinea",
  "polish",
  "panama",
  "japan",
  "pole",
  "poles",
  "swede",
  "swedes",
]);

export function countriesIn(words: readonly Word[], taken: (at: number) => boolean): Mention[] {
  const found: Mention[] = [];
  const isShouted = words.every(({ text }) => text === text.toUpperCase());
  const isLatvian = words.some(({ text, is_capital }) => !is_capital && /[āčēģīķļņšūž]/.test(text));
  const hasCapitals = words.some(
    ({ is_capital, folded }, at) => is_capital && (at > 0 || gazetteer().names.has(folded)),
  );
  for (let at = 0; at < words.length; ) {
    const one = taken(at) ? undefined : mentionAt(words, at, { taken, isShouted, isLatvian, hasCapitals });
    if (one) found.push(one);
    at = one?.to ?? at + 1;
  }
  return found;
}

type About = { taken: (at: number) => boolean; isShouted: boolean; isLatvian: boolean; hasCapitals: boolean };

function mentionAt(words: readonly Word[], at: number, about: About): Mention | undefined {
  const { names, declined } = gazetteer();
  for (let length = Math.min(MOST_NAME_WORDS, words.length - at); length > 0; length--) {
    const run = words.slice(at, at + length);
    if (
      run.some((_, n) => about.taken(at + n)) ||
      run.slice(1).some(({ before }) => /[,;:!?()]/.test(before))
    )
      continue;
    const plain = names.get(run.map(({ folded }) => folded).join(" "));
    const first = run[0]!;
    const isOther =
      length === 1 &&
      (isCommonWord(first, about) ||
        isGoodsOf(words, at) ||
        (first.folded.endsWith("u") && at > 0 && isCapitalPeople(plain, first, about)));
    if (plain && !isOther)
      return mention(plain, at, length, run.at(-1)!.is_possessive ? "describing" : "name");
    const key = run.map(({ latvian }) => latvian).join(" ");
    const inLatvian = declined.get(key);
    const isNamed =
      length > 1 || (isLatvianName(first, key) && !(at > 0 && isCapitalPeople(inLatvian, first, about)));
    if (inLatvian && isNamed) return mention(inLatvian, at, length, caseOf(run.at(-1)!));
  }
  // "The Nederlands": a plural of a name that has none.
  const { is_capital, folded, english } = words[at]!;
  const singular = is_capital && folded.length > 6 ? names.get(english) : undefined;
  if (singular) return mention(singular, at, 1, "name");
  // In Latvian "ES" is the EU, as in "ES valstis".
  const isUnion = about.isLatvian || /^(valst|dalibvalst|tirg|savienib)/.test(words[at + 1]?.folded ?? "");
  if (words[at]!.text === "ES" && isUnion) return undefined;
  // "CN code 4401" is of the Combined Nomenclature.
  if (words[at]!.text === "CN" && /^(codes?|kods|koda|kodu|nomenclature)$/.test(words[at + 1]?.folded ?? ""))
    return undefined;
  const code = isoCode(words[at]!, about);
  return code === undefined
    ? undefined
    : mention({ code, form: "name" }, at, 1, words[at]!.is_possessive ? "describing" : "name");
}

const mention = (entry: Entry, from: number, length: number, form: Mention["form"]): Mention => ({
  code: entry.code,
  from,
  to: from + length,
  form: entry.form === "adjective" ? "describing" : form,
  is_adjective: entry.form === "adjective",
  is_member: isReporter(entry.code),
  rivals: entry.rivals ?? [],
});

/** "China from Poland" is porcelain. */
const isGoodsOf = (words: readonly Word[], at: number): boolean =>
  at === 0 && commonNouns.has(words[0]!.folded) && words[1]?.folded === "from";

const isCommonWord = ({ folded, is_capital }: Word, { hasCapitals }: About) =>
  !is_capital && ((commonNouns.has(folded) && hasCapitals) || isEveryday(folded));

/** "Turku" is a town, and "turku" Latvian for Turkish: within a sentence Latvian adjectives and peoples have no capital. */
const isCapitalPeople = (entry: Entry | undefined, { is_capital }: Word, { isShouted }: About) =>
  entry?.form === "adjective" && is_capital && !isShouted;

/** "gana" is a word and Gana a country: short names are capital. */
const isLatvianName = ({ folded, is_capital }: Word, stem: string) =>
  is_capital
    ? !isEveryday(folded) || stem.length > 3
    : stem.length >= 5 && !isEveryday(folded) && !englishPhrases().has(folded);

/** Latvijas describes, Latvijai receives. */
function caseOf({ folded }: Word): Mention["form"] {
  if (/[aeui]s$/.test(folded) && !/(u|i)s$/.test(folded)) return "describing";
  return /(ai|ei|am)$/.test(folded) ? "dative" : "name";
}

function isoCode({ text, is_capital }: Word, { isShouted }: About): string | undefined {
  if (!is_capital || !/^[A-Z]{2}$/.test(text) || notCodes.has(text)) return undefined;
  if (isShouted && everydayEnglish.has(text.toLowerCase())) return undefined;
  const code = text === "EL" ? "GR" : text === "UK" ? "GB" : text;
  return unknownPartner(code) !== undefined || partnerName(code) === code ? undefined : code;
}
