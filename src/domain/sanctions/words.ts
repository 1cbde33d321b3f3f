/** A name as words that can be held against each other: in Latin capitals, without marks, legal forms and punctuation. */
import { transliterate } from "transliteration";

/** Forms of companies, which say nothing of which company it is. */
const LEGAL_FORMS = new Set(
  `AB AG AO AS ASA BHD BV BVBA CA CC CIE CJSC CO COMPANY CORP CORPORATION CV DD DOO EOOD EURL FZC FZCO FZE FZLLC GMBH IBC INC
   INCORPORATED JSC KFT KG KK LIMITADA LIMITED LLC LLP LP LTD LTDA MCHJ NV OAO OD ODO OJSC OOD OOO OU OY OYJ PAO PJSC PLC PT PTE PTY PVT
   SA SAA SAB SAE SAL SAOC SARL SAS SCA SCP SDN SE SIA SL SLU SP SPA SPRL SPZOO SRL SRO TOO UAB ULC ZAO ZOO ZRT
   CIA COLTD SAC SCS SPR`.split(
    /\s+/,
  ),
);

/** Those of several words, of Spanish-speaking countries: S. de R.L. de C.V., S. en C. */
const LEGAL_PHRASES = /\b(?:S DE R ?L(?: DE C ?V)?|DE C ?V|S EN C(?: ?S| POR A| ?A)?)\b/g;
/** Those that are long enough to be seen at the end of the word that they are written to. */
const LONG_FORMS = [...LEGAL_FORMS].filter((form) => form.length >= 3);
const LEAST_BEFORE_FORM = 3;

const isLegalForm = (word: string): boolean =>
  LEGAL_FORMS.has(word) ||
  LONG_FORMS.some((form) => word.endsWith(form) && LONG_FORMS.includes(word.slice(0, -form.length)));

/** What is before a legal form that is written to it, where a list knows it, while it does not know both together; else the word as it is. */
export function withoutForm(word: string, isKnown: (word: string) => boolean): string {
  if (word.length < LEAST_BEFORE_FORM + 3 || isKnown(word)) return word;
  const form = LONG_FORMS.find(
    (one) =>
      word.endsWith(one) &&
      word.length - one.length >= LEAST_BEFORE_FORM &&
      isKnown(word.slice(0, -one.length)),
  );
  return form ? word.slice(0, -form.length) : word;
}

/** The words of a name in their order. Legal forms are left out unless nothing else is left. */
export function wordsOf(name: string): string[] {
  const latin = transliterate(name.normalize("NFKC"), { unknown: "" })
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toUpperCase()
    // What stands within a word is no end of it: O'Brien, Da'ud, S.A.
    .replaceAll(/['’ʻʼ`´]/g, "")
    .replaceAll(/\b([A-Z])\.(?=[A-Z]\b)/g, "$1");
  const plain = latin.replaceAll(/[^A-Z0-9]+/g, " ");
  const split = (text: string) => arabicAsOne(text.split(" ").filter((word) => word !== ""));
  const words = split(plain);
  const telling = split(plain.replaceAll(LEGAL_PHRASES, " ")).filter((word) => !isLegalForm(word));
  return telling.length > 0 ? telling : words;
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
