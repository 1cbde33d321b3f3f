/**
 * Compares a name with listed ones: method names/3. Words match by spelling (Jaro–Winkler), by sound (Double
 * Metaphone, Philips 2000), by the habits of romanisations or by their consonants; each is used once, and weighs by
 * its rarity in the lists.
 */

import { alikeIn, joinedIn } from "./alike-words.ts";
import { LEAST_JOINED_NAME, type NameIndex, sortedLetters } from "./index.ts";
import { type ListedKind, listedKinds } from "./list-entry.ts";
import { type Hit, JOINED, scoreOf } from "./name-score.ts";
import { type OmissibleWords, omissibleWords } from "./omissible-words.ts";
import { otherWaysToWrite, rejoined } from "./other-spellings.ts";
import { promising } from "./promising-names.ts";
import { queryWords } from "./query-words.ts";
import { joinableWords, type NameWords, readName } from "./words.ts";

export const METHOD = "names/3";

/** The lowest score of a hit, unless the caller asks for less. */
export const THRESHOLD = 0.85;

/** Longer names than any list has are cut. */
const MOST_WORDS = 24;

/** Names that may be meant, the best of each entry, the most alike first. */
export function screen(index: NameIndex, name: string, threshold = THRESHOLD, limit = 20): Hit[] {
  const best = new Map<object, Hit>();
  const search = (way: string, factor: number) => {
    for (const hit of hitsOf(index, way)) {
      const known = best.get(hit.of.entry);
      const score = hit.score * factor;
      if (score >= threshold && (!known || known.score < score)) best.set(hit.of.entry, { ...hit, score });
    }
  };
  for (const way of otherWaysToWrite(name)) search(way, 1);
  const joined = rejoined(name, (text) => isListedWord(index, text));
  if (joined !== undefined) search(joined, JOINED);
  return [...best.values()]
    .sort((a, b) => b.score - a.score || (a.of.entry.entry_id < b.of.entry.entry_id ? -1 : 1))
    .slice(0, limit);
}

/** True for one word of a listed name, false for two neighbours joined. */
function isListedWord(index: NameIndex, text: string): boolean {
  const at = index.byText.get(text);
  return at !== undefined && index.places[at]!.single.length > 0;
}

function* hitsOf(index: NameIndex, name: string): Iterable<Hit> {
  const read = readName(name, (word) => index.byText.has(word));
  const { readings } = read;
  const texts = read.texts.slice(0, MOST_WORDS);
  if (texts.length === 0) return;
  const words = queryWords(index, texts, readings);
  const alike = words.map((one) =>
    one.span === 1 ? alikeIn(index, one.word, readings) : joinedIn(index, one, texts, readings),
  );
  const omissible = Object.fromEntries(
    listedKinds.map((kind) => [kind, withParticles(texts, omissibleWords(texts, kind), readings.particles)]),
  ) as Record<ListedKind, OmissibleWords>;
  for (const listed of promising(index, words, alike)) {
    const { kind } = index.names[listed]!.entry;
    yield scoreOf(index, listed, { texts, words, alike, omissible: omissible[kind] });
  }
  yield* wholeNames(index, read, omissible.person);
}

const withParticles = (
  texts: readonly string[],
  omissible: OmissibleWords,
  particles: ReadonlySet<string>,
): OmissibleWords =>
  particles.size === 0
    ? omissible
    : texts.map((text, at) => omissible?.[at] ?? (particles.has(text) ? "address" : undefined));

/** Names of several words that the query has as one: each word once, in any order. */
function* wholeNames(
  index: NameIndex,
  { texts, written }: NameWords,
  omissible: OmissibleWords,
): Iterable<Hit> {
  const words = texts.filter((_, at) => omissible?.[at] === undefined);
  if (words.length !== 1 || words[0]!.length < LEAST_JOINED_NAME) return;
  for (const given of new Set([words[0]!, ...(written.length === 1 ? written : [])]))
    for (const at of index.byLetters.get(sortedLetters(given)) ?? []) {
      const of = index.names[at]!;
      const listed = joinableWords(readName(of.name.name)).find((one) => isJoinOf(given, one));
      if (listed) yield { of, score: JOINED, words: [{ given, listed: listed.join(" "), alike: JOINED }] };
    }
}

const isJoinOf = (text: string, words: readonly string[]): boolean =>
  words.length === 0
    ? text === ""
    : words.some(
        (word, at) => text.startsWith(word) && isJoinOf(text.slice(word.length), words.toSpliced(at, 1)),
      );
