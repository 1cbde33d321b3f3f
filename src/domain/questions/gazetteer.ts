/** The names of countries: CLDR's in the 24 languages of the EU, and adjectives and names of peoples from a list. */
import { atFirstUse } from "../../core/model/first-use.ts";
import { cldrNames, countryCodes } from "../trade/cldr-names.ts";
import { partnerName } from "../trade/reporters.ts";
import { englishPhrases, isEveryday, namesOfCountries, sharedNames } from "./vocabulary.ts";
import { englishStem, foldedIn, latvianStem } from "./words.ts";

const LANGUAGES = "bg hr cs da nl et fi fr de el hu ga it lt mt pl pt ro sk sl es sv".split(" ");

/** `rivals`: other countries of the same name. */
export type Entry = { code: string; form: "name" | "adjective"; rivals?: readonly string[] };

export type Gazetteer = {
  /** By folded words. */
  names: ReadonlyMap<string, Entry>;
  /** By Latvian stems. */
  declined: ReadonlyMap<string, Entry>;
  /** Single words that names are misspelt from. */
  words: readonly string[];
};

export const MOST_NAME_WORDS = 6;

/** CLDR is slow to read. */
export const gazetteer = atFirstUse(gazetteerOf);

/** "Eswatini (Swaziland)" and "Myanmar (Burma)" are two names each. */
const partsOf = (name: string) => name.split(/[()]/).filter((part) => part.trim() !== "");

/** "South Afrca": a long word of a name that has several, and that is no other word. */
const partsOfNames = (names: readonly string[]) =>
  names
    .map(foldedIn)
    .filter(({ length }) => length > 1)
    .flat()
    .filter((word) => word.length > 4 && !isEveryday(word) && !englishPhrases().has(englishStem(word)));

function gazetteerOf(): Gazetteer {
  const names = new Map<string, Entry>();
  const declined = new Map<string, Entry>();
  const add = (map: Map<string, Entry>, key: string, entry: Entry) => {
    if (key !== "" && !map.has(key)) map.set(key, entry);
  };
  const plain = (text: string) => foldedIn(text).join(" ");
  const stemmed = (text: string) => foldedIn(text).map(latvianStem).join(" ");
  for (const { codes, names: shared, en, lv } of sharedNames) {
    const [code, ...rivals] = codes as [string, ...string[]];
    for (const text of shared) add(names, plain(text), { code, form: "name", rivals });
    for (const text of [...en, ...lv]) add(names, plain(text), { code, form: "adjective", rivals });
  }
  const codes = countryCodes();
  const [english, latvian] = [cldrNames("en"), cldrNames("lv")];
  for (const code of codes) {
    const texts = [english(code), partnerName(code)].flatMap((name) => (name ? partsOf(name) : []));
    for (const text of texts)
      for (const one of [text, text.replace(/&/g, " and ")]) add(names, plain(one), { code, form: "name" });
  }
  for (const { code, names: others, en, lv } of namesOfCountries) {
    for (const text of others) add(names, plain(text), { code, form: "name" });
    for (const text of en) add(names, plain(text), { code, form: "adjective" });
    // "Somu" is Finnish and "soma" a bag: adjectives in -u are read as they stand, the names of peoples and countries by their stems.
    for (const text of lv)
      if (text.endsWith("u")) add(names, plain(text), { code, form: "adjective" });
      else add(declined, stemmed(text), { code, form: text.endsWith("i") ? "adjective" : "name" });
  }
  for (const code of codes) {
    const name = latvian(code);
    if (name) add(declined, stemmed(name), { code, form: "name" });
  }
  const spelt = [...names.keys()].filter((name) => !name.includes(" "));
  const latvianNames = codes.flatMap((code) => latvian(code) ?? []).map(plain);
  for (const language of LANGUAGES) {
    const of = cldrNames(language);
    for (const code of codes) {
      const key = plain(of(code) ?? "");
      // "Man" and "Chile" are words too; a stranger's name must not hide an English one.
      if (key.length >= 4 && !isEveryday(key) && !englishPhrases().has(key))
        add(names, key, { code, form: "name" });
    }
  }
  return {
    names,
    declined,
    words: [
      ...new Set([
        ...spelt,
        ...partsOfNames(codes.flatMap((code) => english(code) ?? [])),
        ...latvianNames.filter((name) => !name.includes(" ")),
      ]),
    ],
  };
}
