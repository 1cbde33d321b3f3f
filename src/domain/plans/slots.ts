/** Reads the slots of a question from its words without a model: countries, products, years, a flow. */
import { type Searchable, searchable } from "../customs/search.ts";
import { isReporter, partnerName, unknownPartner } from "../trade/reporters.ts";
import type { Flow } from "../trade/units.ts";
import { countryNames } from "./country-names.ts";

export const slotNames = ["country", "partner", "hs", "year", "years", "flow", "chapter", "month"] as const;
export type SlotName = (typeof slotNames)[number];

/** The values of slots, each in the words of an operation's input; `country` is among the 27 reporters where one was named. */
export type Slots = {
  [name in SlotName]?: name extends "year" ? number : name extends "flow" ? Flow : string;
};

/** No statistics of trade begin before. */
const FIRST_YEAR = 1988;

/**
 * All slots in the text. `products` are the possible names of products, the coarsest codes first; words that begin
 * with one of `stems` state the question, and name none.
 */
export function slotsIn(text: string, products: readonly Searchable[], stems: readonly string[] = []): Slots {
  const whole = text.normalize("NFC");
  // "CN 4407" is a code of the nomenclature, and no China.
  const named = codeIn(whole, namedCode);
  const { countries, rest } = countriesIn(named.without);
  const { years, left } = yearsIn(rest);
  const { hs: bare, without } = codeIn(left, bareCode);
  const flow = flowIn(without);
  const product =
    named.hs ??
    bare ??
    productIn(
      foldedTerms(without).filter((word) => !stems.some((stem) => word.startsWith(stem))),
      products,
    );
  const [from, to] = years;
  // The reporting country goes first: one outside the EU reports none.
  const [country, partner] = countries.toSorted((a, b) => Number(isReporter(b)) - Number(isReporter(a)));
  return {
    ...(country && { country }),
    ...(partner && { partner }),
    ...(product && { hs: product }),
    ...(from !== undefined && { years: to === undefined ? `${from}` : `${from}-${to}` }),
    ...(from !== undefined && (to === undefined || to === from) && { year: from }),
    ...(flow && { flow }),
  };
}

/** ISO codes in capitals, and names in English and Latvian, in the order of the text. */
function countriesIn(text: string): { countries: string[]; rest: string } {
  const found: { at: number; code: string }[] = [];
  const blank = (length: number) => " ".repeat(length);
  const lower = text.toLowerCase();
  let rest = text;
  for (const { code, begin, pattern } of countryNames()) {
    if (!lower.includes(begin)) continue;
    rest = rest.replaceAll(pattern(), (name, at: number) => {
      found.push({ at, code });
      return blank(name.length);
    });
  }
  rest = rest.replaceAll(/(?<![\p{L}\p{N}])[A-Z]{2}(?![\p{L}\p{N}])/gu, (code, at: number) => {
    const known = code === "EL" ? "GR" : code === "UK" ? "GB" : code;
    if (unknownPartner(known) !== undefined || partnerName(known) === known) return code;
    found.push({ at, code: known });
    return blank(code.length);
  });
  const countries = found.sort((a, b) => a.at - b.at).map(({ code }) => code);
  return { countries: [...new Set(countries)], rest };
}

/** "2024", "2020-2024", "2020 to 2024". */
function yearsIn(text: string): { years: [number?, number?]; left: string } {
  const year = "((?:19|20)\\d\\d)";
  const pattern = new RegExp(`(?<!\\d)${year}(?:\\s*(?:-|–|—|to|until|līdz)\\s*${year})?(?!\\d)`, "giu");
  const found = [...text.matchAll(pattern)].filter(([, from]) => Number(from) >= FIRST_YEAR);
  if (found.length === 0) return { years: [], left: text };
  const numbers = found.flatMap(([, from, to]) => [Number(from), ...(to ? [Number(to)] : [])]);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const left = found.reduce((rest, [match]) => rest.replace(match, " "), text);
  return { years: least === most ? [least] : [least, most], left };
}

const CODE = "(\\d{4}[\\s.]\\d{2}(?:[\\s.]\\d{2})?|\\d{8}|\\d{6}|\\d{4}";
/** A code after a word that announces it, of two digits too. */
const namedCode = new RegExp(
  `(?<!\\p{L})(?:hs|cn|kn|code|chapter|heading|kods|nodaļa)[\\s:]*${CODE}|\\d{2})(?![\\d])`,
  "iu",
);
/** A code by itself, once the years have been read. */
const bareCode = new RegExp(`(?<![\\d.,])${CODE})(?![.,]?\\d)`, "u");

function codeIn(text: string, pattern: RegExp): { hs?: string; without: string } {
  const match = pattern.exec(text);
  const code = match?.[1]?.replaceAll(/[\s.]/g, "");
  if (!match || !code || code.startsWith("00")) return { without: text };
  return { hs: code, without: text.replace(match[0], " ") };
}

const flowStems: Record<Flow, RegExp> = {
  IMPORT: /^(import|imp[oō]rt|ieved|buy|bought|purchas|iepirk)/,
  EXPORT: /^(export|eksport|izved|sell|sold|pārdo)/,
};

/** The one flow that is spoken of; none where both are. */
function flowIn(text: string): Flow | undefined {
  const words = text.toLowerCase().split(/[^\p{L}]+/u);
  const isSaid = (flow: Flow) => words.some((word) => flowStems[flow].test(word));
  if (isSaid("IMPORT") === isSaid("EXPORT")) return undefined;
  return isSaid("IMPORT") ? "IMPORT" : "EXPORT";
}

/** Words that do not identify a product, though names of products have them. */
const EMPTY = new Set(
  "a an and are at between by did do does for from good goods has have how in is it its material materials much of on or other others our product products special that the their there they this to trade used was were what when where which who whose why will with year years".split(
    " ",
  ),
);

/** A word's stem as products are compared by: without accents and an English plural. */
const singular = (word: string) =>
  word.length > 4 ? word.replace(/ies$/, "y").replace(/(?<=[sx]|ch|sh)es$|(?<!s)s$/, "") : word;

const terms = (text: string) => searchable({ code: "", name: text }).whole.trim().split(" ").map(singular);

/** The text's terms that may name a product. */
const foldedTerms = (text: string) => terms(text).filter((word) => word.length > 2 && !EMPTY.has(word));

/** True if the words are the head of the name: "wood" of "wood and articles of wood", and not of "wood pulp". */
const isHead = (run: readonly string[], terms: readonly string[]) =>
  run.every((word, at) => terms[at] === word) && [undefined, "and", "or"].includes(terms[run.length]);

type NamedProduct = { code: string; terms: readonly string[] };

/** The names that have a term, by term. */
type Index = ReadonlyMap<string, readonly NamedProduct[]>;

/** Cached by list of names: a nomenclature has ten thousand, and anybody may ask. */
const indexes = new WeakMap<readonly Searchable[], Index>();

function indexOf(products: readonly Searchable[]): Index {
  const known = indexes.get(products);
  if (known) return known;
  const index = new Map<string, NamedProduct[]>();
  for (const { code, main } of products) {
    const named = { code, terms: main.trim().split(" ").map(singular) };
    for (const term of new Set(named.terms)) {
      const names = index.get(term) ?? [];
      index.set(term, names);
      names.push(named);
    }
  }
  indexes.set(products, index);
  return index;
}

/**
 * The product with the most consecutive words of the text: first as the head of a name, the coarsest; else the one
 * with the shortest name, of those the coarsest.
 */
function productIn(words: readonly string[], products: readonly Searchable[]): string | undefined {
  const index = indexOf(products);
  const looked = new Set<string>();
  for (let length = Math.min(words.length, 4); length > 0; length--)
    for (let at = 0; at + length <= words.length; at++) {
      const run = words.slice(at, at + length);
      const name = run.join(" ");
      if (looked.has(name)) continue;
      looked.add(name);
      const best = namedBy(run, index);
      if (best) return best.code;
    }
  return undefined;
}

function namedBy(run: readonly string[], index: Index): NamedProduct | undefined {
  const lists = run.map((word) => index.get(word) ?? []);
  const shortest = lists.reduce((least, list) => (list.length < least.length ? list : least));
  const [best] = shortest
    .filter(({ terms }) => run.every((word) => terms.includes(word)))
    .map((one) => ({ ...one, head: isHead(run, one.terms) }))
    .sort(
      (a, b) =>
        Number(b.head) - Number(a.head) ||
        (a.head ? a.code.length - b.code.length : 0) ||
        a.terms.length - b.terms.length ||
        a.code.length - b.code.length ||
        (a.code < b.code ? -1 : 1),
    );
  return best;
}
