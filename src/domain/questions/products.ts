/** The product of a question: by known phrases first, refined below their codes by the adjacent words, else by the nomenclature. */
import { type NamesIndex, type Scored, searchNames } from "./names-index.ts";
import type { Range } from "./numbers.ts";
import { englishPhrases, isEveryday, latvianPhrases, MOST_PHRASE_WORDS, type Phrase } from "./vocabulary.ts";
import type { Word } from "./words.ts";

export type Reading = { code: string; name: string; score: number };

/** The codes that some words of the question may mean, the likeliest first. */
export type ProductFound = Range & {
  reading: Reading;
  rivals: Reading[];
  /** Only a position where products stand makes it one: "book", "watch". */
  is_weak: boolean;
};

type Hit = Range & { phrase: Phrase };

/** Words of everyday verbs and figures of speech: alone they name a product only where one is expected. */
const weakWords = new Set(
  "book books watch watches train trains bus plant plants lead ship ships match matches scale scales art arms iron irons water drink drinks dress dresses suit suits nail nails glass glasses file files tin fashion energy power machine machines tools fan fans metal mask masks record lights light seat seats vessel vessels instrument instruments cloth trees tree pet pets down lime safe safes nets net current currants maki bites speakers servers screens keys key cells mixers vests tees scooter caps cap coach coaches boards mines bulls mead perry gin rum chips chip seeds stock cups containers container fuel horse fur hat plane pen pens sand bottle bottles barrel barrels".split(
    " ",
  ),
);

export const isWeakWord = (folded: string): boolean => weakWords.has(folded);

/** The listed phrases of products in a text. */
export function phrasesIn(words: readonly Word[], taken: (at: number) => boolean): Hit[] {
  const hits: Hit[] = [];
  for (let at = 0; at < words.length; ) {
    const hit = phraseAt(words, at, taken);
    if (hit) hits.push(hit);
    at = hit?.to ?? at + 1;
  }
  return hits;
}

function phraseAt(words: readonly Word[], at: number, taken: (at: number) => boolean): Hit | undefined {
  for (let length = Math.min(MOST_PHRASE_WORDS, words.length - at); length > 0; length--) {
    const run = words.slice(at, at + length);
    if (run.some((_, n) => taken(at + n))) continue;
    if (run.slice(1).some(({ before }) => /[,;:.!?()]/.test(before))) continue;
    const english = englishPhrases.get(run.map((word) => word.english).join(" "));
    const isLatvian = run.every(mayBeLatvian);
    const latvian = isLatvian ? latvianPhrases.get(run.map((word) => word.latvian).join(" ")) : undefined;
    const isPlainEnglish = length === 1 && isEveryday(run[0]!.folded);
    const phrase = english && !isWordOfAnother(run, english) ? english : isPlainEnglish ? undefined : latvian;
    if (phrase) return { from: at, to: at + length, phrase };
  }
  return undefined;
}

/** Latvian nouns have endings: "furnitur" is a slip of "furniture", and no "furnitūra". */
const mayBeLatvian = ({ folded, latvian }: Word) => folded.length < 5 || folded !== latvian;

/** "Show" is no "shows", and "ship" no "ships": everyday words name products only as they are listed. */
const isWordOfAnother = (run: readonly Word[], phrase: Phrase) =>
  run.length === 1 && isEveryday(run[0]!.folded) && !phrase.spelt.has(run[0]!.folded);

/** True if a word may describe a product: it is no everyday word, number or country. */
const isContent = ({ folded }: Word) =>
  folded.length > 2 && !isEveryday(folded) && !/^\d+$|^\w{5,}ly$/.test(folded);

/** Every product that is named, in the order of the text. */
export function productsIn(
  words: readonly Word[],
  index: NamesIndex,
  taken: (at: number) => boolean,
): ProductFound[] {
  const hits = phrasesIn(words, taken);
  const found: ProductFound[] = [];
  const others: Hit[] = [];
  for (const [n, hit] of hits.entries()) {
    const next = hits[n + 1];
    // "Car plants" make cars.
    const isPlace = /^plants?$/.test(words[hit.from]!.folded) && hits[n - 1]?.to === hit.from;
    if (isPlace) continue;
    // In "cotton shirts" the last noun says what it is, and the first of what.
    const isDescribing =
      next?.from === hit.to &&
      !breaksBefore(words[next.from]!) &&
      !/^plants?$/.test(words[next.from]!.folded);
    if (isDescribing) continue;
    if (isCarrier(words, hit) || isLeftOut(words, hit) || isPlant(words, hit, hits)) {
      others.push(hit);
      continue;
    }
    const from = beginOf(words, hit, (at) => taken(at) || (n > 0 && at < hits[n - 1]!.from));
    const compound = compoundAt(words, index, hit, taken);
    found.push(compound ?? refined(words, index, { ...hit, from }, hit));
  }
  if (found.length > 0) return found;
  const isOther = (at: number) => others.some(({ from, to }) => at >= from && at < to);
  return searchedIn(words, index, (at) => taken(at) || isOther(at));
}

/** "Coal tar" is no coal: a noun right behind a listed one is looked up with it. */
function compoundAt(
  words: readonly Word[],
  index: NamesIndex,
  { from, to, phrase }: Hit,
  taken: (at: number) => boolean,
): ProductFound | undefined {
  const next = words[to];
  if (!next || taken(to) || breaksBefore(next) || !isContent(next) || !index.byTerm.has(next.english))
    return undefined;
  const found = searchedRun(words, index, { from, to: to + 1 });
  const isOther = found && !phrase.codes.some((code) => found.reading.code.startsWith(code));
  return found?.from === from && isOther ? found : undefined;
}

/** "Apart from coal", "coal aside", "and not coal". */
function isLeftOut(words: readonly Word[], { from, to }: Range): boolean {
  const before = words
    .slice(Math.max(0, from - 2), from)
    .map(({ folded }) => folded)
    .join(" ");
  return (
    /(^|\s)(not|excluding|except|besides|apart from|other than|leaving aside|iznemot|nevis)$/.test(before) ||
    /^(aside|excluded|apart)$/.test(words[to]?.folded ?? "")
  );
}

/** "Would bakeries run dry without wheat" asks about wheat. */
const isPlant = (words: readonly Word[], { from, to }: Hit, hits: readonly Hit[]) =>
  hits.length > 1 &&
  to - from === 1 &&
  /^(bak|brew|refin|win|distill)er(y|ies)$|^dair(y|ies)$/.test(words[from]!.folded);

const carriers =
  /^(ships?|vessels?|tankers?|boats?|freighters?|barges?|trucks?|lorry|lorries|trains?|planes?|containers?|pallets?|crates?|barrels?|kugi|kugiem|kugis)$/;

/** "On ships leaving Greece", "whose tankers bring it": they carry something else. */
function isCarrier(words: readonly Word[], { from, to }: Range): boolean {
  if (to - from > 1 || !carriers.test(words[from]!.folded)) return false;
  const [before, after] = [words[from - 1]?.folded ?? "", words[to]?.folded ?? ""];
  // "To ship goods" is a verb.
  if (words[from]!.folded === "ship" && /^(goods|products|it|them|our|the|any|more|things)$/.test(after))
    return true;
  return (
    /^(on|by|aboard|whose|in|onto|those|these)$/.test(before) ||
    /^(leav|arriv|carry|carri|bring|dock|sail|keep|loaded|full|head)/.test(after)
  );
}

const breaksBefore = (word: Word) => /[,;:.!?()/]/.test(word.before);

/** Where the words that describe a hit begin. */
function beginOf(words: readonly Word[], hit: Hit, taken: (at: number) => boolean): number {
  let from = hit.from;
  while (from > 0 && !taken(from - 1) && isContent(words[from - 1]!) && !breaksBefore(words[from]!)) from--;
  return from;
}

function refined(words: readonly Word[], index: NamesIndex, range: Range, hit: Hit): ProductFound {
  const { codes } = hit.phrase;
  const length = hit.to - hit.from;
  const nameOf = (code: string) => index.nameOf(code) ?? hit.phrase.text;
  const modifiers = words.slice(range.from, hit.from).filter((word) => index.byTerm.has(word.english));
  const score = Math.min(1, 0.9 + 0.03 * length);
  const finer = codes.flatMap((code) => refineBelow(index, code, modifiers) ?? []);
  const all = finer.length > 0 ? finer : codes;
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

/** The one heading or subheading below a code whose names have all the words next to the phrase. */
function refineBelow(index: NamesIndex, code: string, modifiers: readonly Word[]): string | undefined {
  if (modifiers.length === 0) return undefined;
  const hasAll = (entry: { terms: ReadonlySet<string> }) =>
    modifiers.every((word) => entry.terms.has(word.english));
  if (index.below(code).some((entry) => entry.code === code && hasAll(entry))) return code;
  const fitting = index
    .below(code)
    .filter(
      (entry) => entry.code.length > code.length && modifiers.every((word) => entry.terms.has(word.english)),
    );
  if (fitting.length === 0) return undefined;
  const shared = commonPrefix(fitting.map((entry) => entry.code));
  return shared.length > code.length ? shared.slice(0, 6) : undefined;
}

function commonPrefix(codes: readonly string[]): string {
  const [first = "", ...others] = codes;
  let length = first.length;
  for (const code of others) while (!code.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length - (length % 2));
}

/** Runs of words that only the nomenclature knows: each whole, else by its last word. */
function searchedIn(
  words: readonly Word[],
  index: NamesIndex,
  taken: (at: number) => boolean,
): ProductFound[] {
  const found: ProductFound[] = [];
  const searched = new Set<string>();
  for (let at = 0; at < words.length && searched.size < MOST_SEARCHED; at++) {
    if (taken(at) || !isContent(words[at]!)) continue;
    let to = at + 1;
    while (to < words.length && !taken(to) && isContent(words[to]!) && !breaksBefore(words[to]!)) to++;
    const range = { from: Math.max(at, to - MOST_PHRASE_WORDS), to };
    const text = words
      .slice(range.from, to)
      .map(({ english }) => english)
      .join(" ");
    const one = searched.has(text) ? undefined : searchedRun(words, index, range);
    searched.add(text);
    if (one) found.push(one);
    at = to;
  }
  return found;
}

/** More runs than this are no question. */
const MOST_SEARCHED = 20;

/** Scores this near to the best are rivals. */
const NEAR = 0.9;
const LEAST_SURE = 0.5;

function searchedRun(
  words: readonly Word[],
  index: NamesIndex,
  { from, to }: Range,
): ProductFound | undefined {
  for (let begin = from; begin < to; begin++) {
    const run = words.slice(begin, to);
    const scored = searchNames(index, run);
    const [best] = scored;
    if (!best) continue;
    const text = run.map((word) => word.text).join(" ");
    const near = scored.filter(({ score }) => score >= NEAR * best.score);
    const spread = commonPrefix(near.map(({ code }) => code));
    const isOneThing = spread.length >= 4;
    if (best.score < LEAST_SURE && !isOneThing) continue;
    const readingOf = ({ code, score }: Scored) => ({ code, name: index.nameOf(code) ?? text, score });
    if (isOneThing) {
      const reading = { code: spread.slice(0, Math.max(4, Math.min(spread.length, 6))), score: best.score };
      return { from: begin, to, reading: readingOf(reading), rivals: [], is_weak: false };
    }
    const apart = near.filter(({ code }) => !code.startsWith(best.code));
    return {
      from: begin,
      to,
      reading: readingOf(best),
      rivals: apart.slice(0, 4).map(readingOf),
      is_weak: false,
    };
  }
  return undefined;
}
