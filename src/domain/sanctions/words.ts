/** A name as comparable words: Latin capitals without marks, legal forms and punctuation. */
import { withoutFormPhrases } from "./omissible-words.ts";
import { type LatinName, romanised } from "./romanisation.ts";

/** Legal forms, which do not identify a company. */
const LEGAL_FORMS = new Set(
  `AB AG AO AS ASA BHD BV BVBA CA CC CIE CJSC CO COMPANY CORP CORPORATION CV DD DOO EOOD EURL FZC FZCO FZE FZLLC GMBH IBC INC
   INCORPORATED JSC KFT KG KK LIMITADA LIMITED LLC LLP LP LTD LTDA MCHJ NV OAO OD ODO OJSC OOD OOO OU OY OYJ PAO PJSC PLC PT PTE PTY PVT
   SA SAA SAB SAE SAL SAOC SARL SAS SCA SCP SDN SE SIA SL SLU SP SPA SPRL SPZOO SRL SRO TOO UAB ULC ZAO ZOO ZRT
   CI CIA COLTD EIRL SAC SCS SPR`.split(/\s+/),
);

/**
 * Legal forms of several words in Spanish-speaking countries: S. de R.L. de C.V., S. en C., and the DE that remains
 * where the letters are missing.
 */
const LEGAL_PHRASES = /\b(?:S DE R ?L(?: DE C ?V)?|DE C ?V|S EN C(?: ?S| POR A| ?A)?)\b|(?<! DE)(?: DE)+ ?$/g;
/** Legal forms that are long enough to be recognised as part of a word. */
const LONG_FORMS = [...LEGAL_FORMS].filter((form) => form.length >= 3);

const isLegalForm = (word: string): boolean =>
  LEGAL_FORMS.has(word) ||
  LONG_FORMS.some((form) => word.endsWith(form) && LONG_FORMS.includes(word.slice(0, -form.length)));

type IsKnown = (word: string) => boolean;

/** Removes a legal form attached to a word, at either end, where a list has the rest and not the whole. */
function withoutForm(word: string, isKnown: IsKnown): string {
  if (isKnown(word)) return word;
  for (const form of LONG_FORMS) {
    const letters = word.length - form.length;
    if (letters < (form.length > 5 ? 2 : 3)) continue;
    if (word.endsWith(form) && isKnown(word.slice(0, letters))) return word.slice(0, letters);
    if (word.startsWith(form) && isKnown(word.slice(form.length))) return word.slice(form.length);
  }
  return word;
}

/** True if an apparent legal form is part of a word: SAL of SAL VATION, where a list has SALVATION and no VATION. */
const isPiece = (word: string, before: string, after: string, isKnown: IsKnown): boolean =>
  (after !== "" && isKnown(word + after) && !isKnown(after)) ||
  (before !== "" && isKnown(before + word) && !isKnown(before));

/** A name's words. */
export type NameWords = {
  /** In order, without legal forms unless nothing else remains, and with articles as one romanisation has them. */
  texts: string[];
  /** Each word as written. */
  written: string[];
  /** Open questions of its script. */
  readings: Omit<LatinName, "text">;
};

/** Every word as written, legal forms and articles among them. */
const splitWords = (text: string): string[] => text.split(/[^A-Z0-9]+/).filter((word) => word !== "");

/** Marks within a word do not end it: O'Brien, Da'ud, S.A., M/V. */
const withoutMarks = (text: string): string =>
  text
    .replaceAll(/['’ʻʼ`´]/g, "")
    .replaceAll(/(?<![A-Z])(PH|ED|TH|LL|DR)\. ?(D|B|M|SC)(?![A-Z])/g, "$1$2")
    .replaceAll(/(?<![A-Z0-9])([A-Z])[./](?=[A-Z](?![A-Z0-9]))/g, "$1");

/** `isKnown`: the words of the lists, for a query. */
export function readName(name: string, isKnown?: IsKnown): NameWords {
  const readings = romanised(name);
  const latin = withoutMarks(readings.text);
  const written = splitWords(latin);
  const plain = latin.replaceAll(/[^A-Z0-9]+/g, " ").replaceAll(LEGAL_PHRASES, " ");
  // Chinese syllables such as CI and SA are not legal forms.
  const hasForms = !/^[\p{Script=Han}\s·]+$/u.test(name);
  const telling = arabicAsOne(withoutFormPhrases(splitWords(plain))).filter(
    (word, at, all) =>
      !hasForms ||
      !isLegalForm(word) ||
      (isKnown && isPiece(word, all[at - 1] ?? "", all[at + 1] ?? "", isKnown)),
  );
  const left = telling.length > 0 ? telling : arabicAsOne(written);
  return { texts: isKnown ? left.map((word) => withoutForm(word, isKnown)) : left, written, readings };
}

export const wordsOf = (name: string, isKnown?: IsKnown): string[] => readName(name, isKnown).texts;

/** The words that a name may be written from as one: as they stand, without legal forms, and without single letters. */
export function joinableWords({ texts, written }: NameWords): string[][] {
  const found = new Map<string, string[]>();
  for (const words of [written, texts, texts.filter((word) => word.length > 1)])
    found.set(words.join(" "), words);
  return [...found.values()];
}

/** The article and the names that begin with `servant of the`, as one romanisation has them: AL, and ABDUL with what follows it apart. */
const ARTICLES = new Set(["AL", "EL", "UL", "IL", "AR", "AS", "ASH", "AD", "AN", "AZ", "AT"]);
const SERVANTS = /^ABD[AEUO](?:[LRSZNT]|SH)$/;

function arabicAsOne(words: readonly string[]): string[] {
  const found: string[] = [];
  for (const word of words) {
    if (SERVANTS.test(word)) found.push("ABDUL");
    else if (!ARTICLES.has(word)) found.push(word);
    else if (found.at(-1) === "ABD") found[found.length - 1] = "ABDUL";
    else found.push(word === "EL" || word === "UL" ? "AL" : word);
  }
  return found;
}
