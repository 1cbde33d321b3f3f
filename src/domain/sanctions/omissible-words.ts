/** Words that do not tell names apart: legal forms of companies, forms of address, prefixes of ships. */
import { atFirstUse } from "../../core/model/first-use.ts";
import formsOfAddress from "./data/forms-of-address.json" with { type: "json" };
import legalForms from "./data/legal-forms.json" with { type: "json" };
import type { ListedKind } from "./list-entry.ts";
import { romanised } from "./romanisation.ts";

/**
 * form: a legal form, which counts neither if matched nor if left over; address: a form of address or a ship's prefix,
 * which counts only if matched.
 */
export type Omissible = "form" | "address";

/** For each word, whether and how it may be left out; undefined where all count. */
export type OmissibleWords = readonly (Omissible | undefined)[] | undefined;

const setOf = (words: string) => new Set(words.split(" "));
const TITLES = setOf(formsOfAddress.titles);
const LEADING = setOf(formsOfAddress.leading);
const SUFFIXES = setOf(formsOfAddress.suffixes);
const SHIPS = setOf(formsOfAddress.ships);
const CONJUNCTIONS = setOf(formsOfAddress.conjunctions);

/** True for a form of address that can stand before a first name. */
export const isFormOfAddress = (word: string): boolean => TITLES.has(word) || LEADING.has(word);

/** Words of a phrase, by its first word, the longest phrase first. */
type Phrases = ReadonlyMap<string, readonly (readonly string[])[]>;

function phrasesOf(phrases: Iterable<readonly string[]>): Phrases {
  const found = new Map<string, Map<string, readonly string[]>>();
  for (const words of phrases) {
    const first = words[0];
    if (first === undefined) continue;
    if (!found.has(first)) found.set(first, new Map());
    found.get(first)!.set(words.join(" "), words);
  }
  return new Map(
    [...found].map(([first, all]) => [first, [...all.values()].sort((a, b) => b.length - a.length)]),
  );
}

/** Longer abbreviations are not written as one word. */
const LONGEST_ABBREVIATION = 10;

/** The ways to write a form: A.Ş. is AS, A S and, of several words, one. */
function waysToWrite(form: string): string[][] {
  const words = (text: string) => text.match(/[A-Z0-9]+/g) ?? [];
  const { text } = romanised(form);
  const apart = words(text.replaceAll("'", ""));
  const dotted = words(text.replaceAll(/['’]/g, "").replaceAll(/\b([A-Z])[./](?=[A-Z]\b)/g, "$1"));
  const joined = apart.join("");
  const isAbbreviation = /\./.test(form) || !/[a-zà-ž]{4}/.test(form);
  return [
    apart,
    dotted,
    ...(isAbbreviation && joined.length <= LONGEST_ABBREVIATION ? [[joined]] : []),
  ].filter((way) => way.join("").length > 1);
}

function* formPhrases(): Iterable<string[]> {
  for (const forms of [...Object.values(legalForms.elf), legalForms.further])
    for (const form of forms.split("; ")) yield* waysToWrite(form);
}

/** They take a tenth of a second to make. */
const legalFormPhrases = atFirstUse((): Phrases => phrasesOf(formPhrases()));

const SHIP_PHRASES = phrasesOf(formsOfAddress.ship_phrases.split("; ").map((phrase) => phrase.split(" ")));

/** The length of the longest phrase that begins at a word; 0 for none. */
function phraseAt(phrases: Phrases, words: readonly string[], at: number): number {
  for (const phrase of phrases.get(words[at]!) ?? [])
    if (phrase.every((word, more) => words[at + more] === word)) return phrase.length;
  return 0;
}

/** Shorter forms are words too; they count as forms at either end of a name. */
const LONG_FORM = 5;

/** Without the forms of several words, which no name of a person has. */
export function withoutFormPhrases(words: readonly string[]): string[] {
  const left: string[] = [];
  for (let at = 0; at < words.length; ) {
    const length = phraseAt(legalFormPhrases(), words, at);
    const phrase = words.slice(at, at + length);
    const letters = phrase.join("").length;
    const isLast = at + length === words.length && phrase.some((word) => word.length > 1);
    const isForm = length > 1 && (letters >= LONG_FORM || (letters > 2 && isLast));
    if (!isForm) left.push(words[at]!);
    at += isForm ? length : 1;
  }
  return left;
}

function legalFormsIn(words: readonly string[]): boolean[] {
  const lengths = words.map((_, at) => phraseAt(legalFormPhrases(), words, at));
  const found = words.map(() => false);
  const mark = (from: number, to: number) => found.fill(true, from, to);
  let from = 0;
  while (from < words.length && lengths[from]! > 0) from += lengths[from]!;
  mark(0, from);
  // From the end: the form that ends furthest, as long as forms follow each other.
  for (let end = words.length; end > from; ) {
    const begin = lengths.findIndex((length, at) => length > 0 && at + length === end);
    if (begin < 0) break;
    mark(begin, end);
    end = begin;
  }
  lengths.forEach((length, at) => {
    const letters = words.slice(at, at + length).join("").length;
    if (length > 1 ? letters >= LONG_FORM : letters > 2 * LONG_FORM) mark(at, at + length);
  });
  return found;
}

/** Unmistakable ones anywhere; those that are names too before or after it, as long as two other words are left. */
function addressIn(words: readonly string[]): boolean[] {
  const found = words.map((word) => TITLES.has(word));
  let others = found.filter((is) => !is).length;
  const markRun = (places: readonly number[], more: ReadonlySet<string>) => {
    for (const at of places) {
      if (found[at]) continue;
      if (!more.has(words[at]!) || others <= 2) return;
      found[at] = true;
      others--;
    }
  };
  const places = [...words.keys()];
  markRun(places.toReversed(), SUFFIXES);
  markRun(places, LEADING);
  return found;
}

function prefixesIn(words: readonly string[]): boolean[] {
  const found = words.map(() => false);
  const lengthAt = (at: number) => phraseAt(SHIP_PHRASES, words, at) || Number(SHIPS.has(words[at]!));
  let from = 0;
  while (from < words.length && lengthAt(from) > 0) from += lengthAt(from);
  found.fill(true, 0, from);
  for (let end = words.length; end > from; ) {
    const begin = words.findIndex((_, at) => lengthAt(at) > 0 && at + lengthAt(at) === end);
    if (begin < from) break;
    found.fill(true, begin, end);
    end = begin;
  }
  return found;
}

/** The words of a name of this kind that may be left out; something always counts. */
export function omissibleWords(words: readonly string[], kind: ListedKind): OmissibleWords {
  const marked = (found: readonly boolean[], as: Omissible) => found.map((is) => (is ? as : undefined));
  const all =
    kind === "person"
      ? marked(addressIn(words), "address")
      : kind === "entity"
        ? both(
            marked(legalFormsIn(words), "form"),
            marked(
              prefixesIn(words).map((is, at) => is || CONJUNCTIONS.has(words[at]!)),
              "address",
            ),
          )
        : marked(prefixesIn(words), "address");
  return all.every((one) => one === undefined) || all.every((one) => one !== undefined) ? undefined : all;
}

const both = (first: readonly (Omissible | undefined)[], second: readonly (Omissible | undefined)[]) =>
  first.map((one, at) => one ?? second[at]);
