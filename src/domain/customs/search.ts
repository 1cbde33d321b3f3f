/** Finding products by words of their names, by words of the trade, and by a code. */
import { british } from "../questions/british.ts";
import { spellingOf } from "../questions/spelling.ts";
import { englishPhrases, latvianPhrases } from "../questions/vocabulary.ts";
import { foldedWords, wordsIn } from "../questions/words.ts";

/** A name made ready for searching: words in lower case without accents, a space around each. */
export type Searchable = {
  code: string;
  /** The name without its exclusions. */
  main: string;
  whole: string;
};

const spaced = (text: string) => ` ${foldedWords(text).join(" ")} `;

/** "Sawn wood (excl. of oak)" is about sawn wood, and about oak only on second thoughts. */
const withoutExclusions = (name: string) => name.replaceAll(/\(excl\.[^)]*\)?/gi, " ");

export const searchable = ({ code, name }: { code: string; name: string }): Searchable => ({
  code,
  main: spaced(withoutExclusions(name)),
  whole: spaced(name),
});

/** "T-shirts" are written as two words. */
const writtenWords = (q: string) =>
  foldedWords(q.replaceAll(/\bt[ee]{0,2}[- ]?shirt(?=s?\b)/gi, "t shirt")).map(british);

/**
 * The codes whose names have every word of `q`, the last as a prefix. Names with them outside of exclusions come
 * first, then whole words, then names that begin with them, then `meant` codes, shorter names and coarser codes.
 */
export function searchCodes(
  q: string,
  products: readonly Searchable[],
  meant: readonly string[] = [],
): string[] {
  const words = writtenWords(q);
  const last = words.at(-1)!;
  const others = words.slice(0, -1).map((word) => ` ${word} `);
  const holds = (text: string) => text.includes(` ${last}`) && others.every((word) => text.includes(word));
  const begin = ` ${words.join(" ")}`;
  return products
    .filter(({ whole }) => holds(whole))
    .map(({ code, main, whole }) => {
      const inMain = holds(main);
      const text = inMain ? main : whole;
      const order = [
        inMain ? 0 : 1,
        text.includes(` ${last} `) ? 0 : 1,
        text.startsWith(begin) ? 0 : 1,
        meant.includes(code) ? 0 : 1,
        text.split(" ").length,
        code.length,
      ];
      return { code, order };
    })
    .sort((a, b) => byOrder(a.order, b.order) || (a.code < b.code ? -1 : 1))
    .map(({ code }) => code);
}

function byOrder(a: number[], b: number[]): number {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at === -1 ? 0 : a[at]! - b[at]!;
}

export type ProductSearch = {
  codes: string[];
  /** Why these codes, where no name has the words; null where names have them. */
  hint: string | null;
};

/** Digits with the points and spaces of a tariff, and the word that announces them. */
const CODE = /^(?:(?:hs|cn|kn|taric|heading|subheading|chapter|code|kods)\b[\s:#.]*)*(\d[\d .]*)$/i;
/** A longer code is one of TARIC. */
const MOST_DIGITS = 8;

/** The codes that a search means: those that begin with a code, have the words, or are meant by words of the trade. */
export function findProducts(q: string, products: readonly Searchable[]): ProductSearch {
  const typed = CODE.exec(q.trim())?.[1]?.replaceAll(/[ .]/g, "") ?? "";
  if (typed.length > 1) {
    for (let digits = Math.min(typed.length, MOST_DIGITS); digits > 1; digits--) {
      const begin = typed.slice(0, digits);
      const codes = products.flatMap(({ code }) => (code.startsWith(begin) ? code : []));
      const hint =
        digits === typed.length ? null : `No code begins with ${typed}; these begin with ${begin}.`;
      if (codes.length > 0) return { codes: codes.sort(), hint };
    }
  }
  const terms = tradeCodes(q);
  const named = searchCodes(q, products, terms);
  const meant = terms.flatMap((begin) =>
    products.flatMap(({ code }) => (code.startsWith(begin) ? code : [])),
  );
  if (meant.length === 0) return { codes: named, hint: named.length === 0 ? hintOf(q, products) : null };
  if (named.some((code) => meant.includes(code))) return { codes: named, hint: null };
  const first = [...new Set(meant)];
  const hint = `No official name of these codes has your words; the first ${first.length} match them as terms of the trade.`;
  return { codes: [...first, ...named.filter((code) => !first.includes(code))], hint };
}

/** The codes that a whole search means as a word of the trade, in English or Latvian. */
function tradeCodes(q: string): readonly string[] {
  const words = wordsIn(q);
  const phrase =
    englishPhrases().get(words.map(({ english }) => english).join(" ")) ??
    latvianPhrases().get(words.map(({ latvian }) => latvian).join(" "));
  return phrase?.codes ?? [];
}

const vocabularies = new WeakMap<readonly Searchable[], ReadonlySet<string>>();

function vocabularyOf(products: readonly Searchable[]): ReadonlySet<string> {
  const known =
    vocabularies.get(products) ?? new Set(products.flatMap(({ whole }) => whole.trim().split(" ")));
  vocabularies.set(products, known);
  return known;
}

/** A remedy: another spelling, or fewer words. */
function hintOf(q: string, products: readonly Searchable[]): string {
  const known = vocabularyOf(products);
  const words = writtenWords(q);
  const isBeginning = (word: string) => [...known].some((one) => one.startsWith(word));
  const strange = words.filter(
    (word, at) => !(known.has(word) || (at === words.length - 1 && isBeginning(word))),
  );
  if (strange.length === 0)
    return `Each of these words is in some name, but no name has all of them: search for fewer, such as "${words.at(-1)}".`;
  const spelling = spellingOf([...known]);
  const hints = strange.map((word) => {
    const [near] = spelling(word);
    return near === undefined ? `"${word}"` : `"${word}" (did you mean "${near}"?)`;
  });
  return `No name has ${hints.join(" or ")}: use the tariff's words, a more general word, or a code such as 4407.`;
}
