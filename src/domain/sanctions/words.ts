/** A name as comparable words: Latin capitals without marks, legal forms and punctuation. */
import { transliterate } from "transliteration";

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

/**
 * The words of a name in order, without legal forms unless nothing else remains. `isKnown`: the words of the lists,
 * for a query.
 */
export function wordsOf(name: string, isKnown?: IsKnown): string[] {
  const latin = transliterate(name.normalize("NFKC"), { unknown: "" })
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toUpperCase()
    // Marks within a word do not end it: O'Brien, Da'ud, S.A.
    .replaceAll(/['’ʻʼ`´]/g, "")
    .replaceAll(/\b([A-Z])\.(?=[A-Z]\b)/g, "$1");
  const plain = latin.replaceAll(/[^A-Z0-9]+/g, " ");
  const split = (text: string) => arabicAsOne(text.split(" ").filter((word) => word !== ""));
  const words = split(plain);
  const telling = split(plain.replaceAll(LEGAL_PHRASES, " ")).filter(
    (word, at, all) =>
      !isLegalForm(word) || (isKnown && isPiece(word, all[at - 1] ?? "", all[at + 1] ?? "", isKnown)),
  );
  const left = telling.length > 0 ? telling : words;
  return isKnown ? left.map((word) => withoutForm(word, isKnown)) : left;
}

/** The article and the names that begin with `servant of the`, as one romanisation has them: AL, and ABDUL with what follows it apart. */
const ARTICLES = new Set(["AL", "EL", "UL", "IL", "AR", "AS", "ASH", "AD", "AN", "AZ", "AT"]);
const SERVANTS = /^ABD[AEUO]L$/;

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
