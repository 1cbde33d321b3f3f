/** Which of neighbouring nouns a product is: the last one, as far as the nomenclature names both together. */
import { isInflected } from "./known-words.ts";
import type { NamedCode, NamesIndex } from "./names-index.ts";
import type { Range } from "./numbers.ts";
import { breaksBefore, commonPrefix, isContent, type ProductFound, searchedRun } from "./searched.ts";
import { tradeWord } from "./trade-words.ts";
import { englishPhrases, isAttribute, isThingWord, isWeakWord, type Phrase } from "./vocabulary.ts";
import type { Word } from "./words.ts";

export type Hit = Range & { phrase: Phrase };

type Text = { words: readonly Word[]; index: NamesIndex; taken: (at: number) => boolean };

const textOf = (words: readonly Word[], { from, to }: Range) =>
  words
    .slice(from, to)
    .map(({ text }) => text)
    .join(" ");

const isFinerOf = ({ phrase }: Hit, code: string) => phrase.codes.some((one) => code.startsWith(one));

/** The product of a phrase with its neighbours: `range` begins with the words that describe it, `before` is the phrase right before it. */
export function headOf(text: Text, range: Range, hit: Hit, before: Hit | undefined): ProductFound {
  const whole = { ...range, from: Math.min(range.from, thingBefore(text, hit.from)) };
  return compoundAt(text, hit) ?? described(text, whole, hit, before) ?? refined(text, range, hit);
}

/** The position of an everyday noun right before a product, as in "window frames"; else the product's own. */
const thingBefore = ({ words, taken }: Text, at: number): number =>
  at > 0 && !taken(at - 1) && isThingWord(words[at - 1]!.folded) && !breaksBefore(words[at]!) ? at - 1 : at;

/** "Coal tar" is no coal: a noun right behind a listed one is looked up with it, and unread if no name has both. */
function compoundAt({ words, index, taken }: Text, hit: Hit): ProductFound | undefined {
  const { from, to } = hit;
  const next = words[to];
  if (!next || taken(to) || breaksBefore(next) || tradeWord(next) !== undefined) return undefined;
  if (!isContent(next) && !vessels.test(next.folded)) return undefined;
  const range = { from, to: to + 1 };
  const found = index.byTerm.has(next.english) ? searchedRun(words, index, range) : undefined;
  if (found?.from === from) return found;
  // "Who fills the petrol tanks" asks about petrol.
  if (/^tanks?$/.test(next.folded) && words.some(({ folded }) => /^(re)?fill/.test(folded))) return undefined;
  return isEnglish(words, hit) && (isNoun(next) || vessels.test(next.folded))
    ? unread(words, index, range, hit)
    : undefined;
}

const vessels = /^(cups?|mugs?|glasses|bottles?|jars?|jugs?|pots?|plates?|boxes|bags?|cans?|machines?)$/;

const isEnglish = (words: readonly Word[], { from, to }: Range) =>
  englishPhrases().has(
    words
      .slice(from, to)
      .map(({ english }) => english)
      .join(" "),
  );

const holders =
  /^(counters?|shelf|shelves|cupboards?|cellars?|baskets?|bowls?|lovers?|fans?|drinkers?|eaters?|farms?|fields?|crops?|harvests?|deals?|chains?)$/;

/** Verbs and adverbs behind a product say nothing about its kind, and those who have it do not either. */
const isNoun = ({ folded, english }: Word): boolean =>
  englishPhrases().has(english) ||
  !(
    /([^e]ed|ing|ly)$/.test(folded) ||
    holders.test(folded) ||
    (isInflected(folded) && !/ers?$/.test(folded))
  );

/** A name outside of the phrase's codes counts from this score on. */
const LEAST_SURE = 0.6;

/** Heads of another kind with another noun before them: "nail polish", "seal oil", "peanut butter". */
const relative = new Set(
  "oil butter milk meal polish wool wax water cream powder flour nut bean seed box paste gum acid gas cake bar leave".split(
    " ",
  ),
);
/** Chapters of materials: of "steel furniture" the steel says no other kind. */
const isMaterial = (code: string) => /^(25|39|40|41|44|5|6[89]|7)/.test(code);

/** The name for the phrase with what describes it, if a name has both; else unread, if the head alone says too little. */
function described(
  { words, index }: Text,
  range: Range,
  hit: Hit,
  before: Hit | undefined,
): ProductFound | undefined {
  if (range.from === hit.from) return undefined;
  if (finerCodes({ words, index }, range, hit).length > 0) return undefined;
  const found = searchedRun(words, index, { from: range.from, to: hit.to });
  const last = words[hit.to - 1]!.english;
  const isCoarser = found && hit.phrase.codes.some((code) => code.startsWith(found.reading.code));
  if (found && found.from < hit.from && !isCoarser) {
    const isSure = found.reading.score >= LEAST_SURE && isHeadOf(index, found.reading.code, last);
    if (isFinerOf(hit, found.reading.code) || isSure) return found;
  }
  const near = words[hit.from - 1]!;
  const isSaid = hit.phrase.codes.some((code) =>
    index.below(code).some(({ terms }) => terms.has(near.english)),
  );
  if (isSaid || !isNoun(near)) return undefined;
  return isOtherKind(words, near, hit, before)
    ? unread(words, index, { from: before?.to === hit.from ? before.from : hit.from - 1, to: hit.to }, hit)
    : undefined;
}

/** "Guinea pigs" are no pigs, and "fresh pigs" are; "rye bread" is bread, and "steel chairs" are chairs. */
function isOtherKind(words: readonly Word[], near: Word, hit: Hit, before: Hit | undefined): boolean {
  if (isAttribute(near)) return false;
  if (relative.has(words[hit.to - 1]!.english)) return true;
  if (before?.to !== hit.from) return isEnglish(words, hit);
  const isSameField = before.phrase.codes.some(
    (code) => isMaterial(code) || isSameChapter(code, hit.phrase.codes[0]!),
  );
  return !isSameField && !isFood(hit, before);
}

/** The last word ends a head of the code's name: "seed oil" is no "oil seeds". */
const isHeadOf = (index: NamesIndex, code: string, last: string) =>
  index.below(code).some((entry) => entry.heads.some((head) => head.at(-1) === last));

/** "Rye bread" is bread, and "tomato soup" soup. */
const isFood = (head: Hit, of: Hit) =>
  head.phrase.codes.every((code) => /^(1[6-9]|2[0-2])/.test(code)) &&
  of.phrase.codes.every((code) => code < "23");

const isSameChapter = (a: string, b: string) => a.slice(0, 2) === b.slice(0, 2);

const unread = (words: readonly Word[], index: NamesIndex, range: Range, hit: Hit): ProductFound => ({
  ...refined({ words, index }, hit, hit),
  ...range,
  unread: textOf(words, range),
});

function refined({ words, index }: Omit<Text, "taken">, range: Range, hit: Hit): ProductFound {
  const { codes } = hit.phrase;
  const length = hit.to - hit.from;
  const nameOf = (code: string) => index.nameOf(code) ?? hit.phrase.text;
  const score = Math.min(1, 0.9 + 0.03 * length);
  const finer = finerCodes({ words, index }, range, hit);
  const all =
    finer.length > 0 ? finer : codes.map((code) => namedBelow(index, code, words.slice(hit.from, hit.to)));
  const [reading, ...rivals] = all.map((code) => ({ code, name: nameOf(code), score }));
  const head = words[hit.to - 1]!;
  return {
    from: range.from,
    to: hit.to,
    reading: reading!,
    rivals,
    is_weak: length === 1 && range.from === hit.from && isWeakWord(head.folded),
  };
}

/** A word of a chapter's other goods refines nothing: "steel furniture" is no prefabricated building. */
const withHead = (modifiers: readonly Word[], head: Word) =>
  modifiers.length > 0 ? [...modifiers, head] : [];

function finerCodes(
  { words, index }: Omit<Text, "taken">,
  range: Range,
  { from, to, phrase }: Hit,
): string[] {
  const modifiers = words.slice(range.from, from).filter((word) => index.byTerm.has(word.english));
  const head = words[to - 1]!;
  return phrase.codes.flatMap(
    (code) => refineBelow(index, code, code.length > 2 ? modifiers : withHead(modifiers, head)) ?? [],
  );
}

/** The one heading or subheading below a code whose names have all the words next to the phrase. */
function refineBelow(index: NamesIndex, code: string, modifiers: readonly Word[]): string | undefined {
  if (modifiers.length === 0) return undefined;
  const hasAll = (entry: { terms: ReadonlySet<string> }) =>
    modifiers.every((word) => entry.terms.has(word.english));
  if (index.below(code).some((entry) => entry.code === code && hasAll(entry))) return code;
  const fitting = index.below(code).filter((entry) => entry.code.length > code.length && hasAll(entry));
  if (fitting.length === 0) return undefined;
  const shared = commonPrefix(fitting.map((entry) => entry.code));
  return shared.length > code.length ? shared.slice(0, 6) : undefined;
}

/** "Strawberries" are 081010 of 0810, berries: the one subheading that has the phrase, and as a head; else the heading. */
function namedBelow(index: NamesIndex, heading: string, phrase: readonly Word[]): string {
  if (heading.length !== 4) return heading;
  const terms = phrase.map(({ english }) => english);
  const isHead = ({ heads }: NamedCode) => heads.some((head) => isPhraseOf(head, terms));
  const below = index.below(heading).filter(({ code }) => code.length > heading.length);
  const having = below.filter((entry) => terms.every((term) => entry.terms.has(term)));
  const shared = commonPrefix(having.map(({ code }) => code)).slice(0, 6);
  const isWhole = below.every(({ code }) => code.startsWith(shared));
  const isOfHeading = index
    .below(heading)
    .some((entry) => entry.code === heading && entry.heads[0]?.join() === terms.join());
  return shared.length > heading.length && !isWhole && !isOfHeading && having.some(isHead) ? shared : heading;
}

/** "Fresh strawberries" are strawberries. */
const isPhraseOf = (head: readonly string[], terms: readonly string[]): boolean =>
  head.slice(-terms.length).join() === terms.join() &&
  head.slice(0, -terms.length).every((term) => isAttribute({ folded: term }));

/** "Bearings for trains" are bearings: the noun before the purpose, if there is one. */
export function purposeAt({ words, index, taken }: Text, hit: Hit): ProductFound | undefined {
  let at = hit.from - 1;
  while (at > 0 && /^(the|a|an|our|their|my)$/.test(words[at]!.folded)) at--;
  const noun = words[at - 1];
  if (words[at]?.folded !== "for" || !noun || taken(at - 1) || !isContent(noun)) return undefined;
  if (tradeWord(noun) !== undefined || !isNoun(noun)) return undefined;
  return (
    searchedRun(words, index, { from: at - 1, to: at }) ??
    unread(words, index, { from: at - 1, to: hit.to }, hit)
  );
}
