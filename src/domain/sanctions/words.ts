/** A name as words that can be held against each other: in Latin capitals, without marks, legal forms and punctuation. */
import { transliterate } from "transliteration";

/** Forms of companies, which say nothing of which company it is. */
const LEGAL_FORMS = new Set(
  `AB AG AO AS ASA BHD BV BVBA CA CC CIE CJSC CO COMPANY CORP CORPORATION CV DD DOO EOOD EURL FZC FZCO FZE FZLLC GMBH IBC INC
   INCORPORATED JSC KFT KG KK LIMITADA LIMITED LLC LLP LP LTD LTDA MCHJ NV OAO OD ODO OJSC OOD OOO OU OY OYJ PAO PJSC PLC PT PTE PTY PVT
   SA SAA SAB SAE SAL SAOC SARL SAS SCA SCP SDN SE SIA SL SLU SP SPA SPRL SPZOO SRL SRO TOO UAB ULC ZAO ZOO ZRT`.split(
    /\s+/,
  ),
);

/** The words of a name in their order. Legal forms are left out unless nothing else is left. */
export function wordsOf(name: string): string[] {
  const latin = transliterate(name.normalize("NFKC"), { unknown: "" })
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toUpperCase()
    // What stands within a word is no end of it: O'Brien, Da'ud, S.A.
    .replaceAll(/['’ʻʼ`´]/g, "")
    .replaceAll(/\b([A-Z])\.(?=[A-Z]\b)/g, "$1");
  const words = arabicAsOne(latin.split(/[^A-Z0-9]+/).filter((word) => word !== ""));
  const telling = words.filter((word) => !LEGAL_FORMS.has(word));
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
