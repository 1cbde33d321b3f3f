/**
 * Extracts events from a text: a verb of trade, and the countries, products and listed names of its sentence. The
 * text is data: it is searched by our own gazetteers, never followed, and findings in one text rest on that text
 * alone.
 */
import type { NameIndex } from "../sanctions/index.ts";
import { wordsOf } from "../sanctions/words.ts";
import { type EventKind, kindsOf, mayTellOfAnEvent } from "./event-patterns.ts";
import { tagSentence } from "./tagged.ts";

/** Changes with each change of the results. */
export const EXTRACTOR = "ts-news/2";

export type ExtractedEvent = {
  kind: EventKind;
  countries: string[];
  hs: string[];
  entities: string[];
  confidence: number;
  span: { from: number; to: number };
};

/** Listed names, by their first words. */
export type NameGazetteer = {
  byFirst: ReadonlyMap<string, readonly { words: readonly string[]; id: string }[]>;
};

/** Names of one word are words of the language, too often. */
const LEAST_WORDS = 2;

export function namesOf({ names, vocabulary }: Pick<NameIndex, "names" | "vocabulary">): NameGazetteer {
  const byFirst = new Map<string, { words: string[]; id: string }[]>();
  for (const { list, entry, name, words } of names) {
    if (words.length < LEAST_WORDS || name.quality === "weak") continue;
    const texts = words.map((at) => vocabulary[at]!.text);
    const first = byFirst.get(texts[0]!) ?? [];
    byFirst.set(texts[0]!, first);
    first.push({ words: texts, id: `${list}:${entry.entry_id}` });
  }
  return { byFirst };
}

const MOST_EACH = 5;

function entitiesIn(sentence: string, { byFirst }: NameGazetteer): string[] {
  if (byFirst.size === 0) return [];
  const words = wordsOf(sentence);
  const found = words.flatMap((first, at) =>
    (byFirst.get(first) ?? [])
      .filter((one) => one.words.every((text, place) => words[at + place] === text))
      .map(({ id }) => id),
  );
  return [...new Set(found)].slice(0, MOST_EACH);
}

/** A longer sentence covers too much to be one event. */
const LONGEST = 1_000;

/** "U.S. tariffs", "St. Petersburg" and "2024. gadā" go on behind their full stop. */
const ABBREVIATION = /(?:(?<![\p{L}\p{N}])(?:\p{Lu}|St|Mr|Mrs|Ms|Dr|No|vs|approx)|\d)\.$/u;

/** The sentences of a normalized text, with their offsets. */
function* sentencesOf(text: string): Generator<{ from: number; to: number }> {
  let from = 0;
  for (const { index, 0: end } of text.matchAll(/[.!?。]["'”’)]?\s/gu)) {
    const next = text.slice(index + end.length, index + end.length + 1);
    const goesOn = ABBREVIATION.test(text.slice(Math.max(0, index - 8), index + 1));
    if (goesOn && (/\p{Ll}/u.test(next) || !/\d\.$/.test(text.slice(0, index + 1).slice(-2)))) continue;
    yield { from, to: index + end.length - 1 };
    from = index + end.length;
  }
  if (from < text.length) yield { from, to: text.length };
}

/** The events of a text, in its order: none without a country, a product or a listed name in the sentence. */
export function extract(text: string, names: NameGazetteer, most: number): ExtractedEvent[] {
  const found: ExtractedEvent[] = [];
  for (const span of sentencesOf(text)) {
    if (span.to - span.from > LONGEST) continue;
    const sentence = text.slice(span.from, span.to);
    if (!mayTellOfAnEvent(sentence)) continue;
    const tagged = tagSentence(sentence);
    const { countries, hs } = tagged;
    const about = { countries, hs, entities: entitiesIn(sentence, names) };
    const named = Object.values(about).filter(({ length }) => length > 0).length;
    if (named === 0) continue;
    for (const kind of kindsOf(tagged)) {
      if (found.length === most) return found;
      found.push({ kind, ...about, confidence: CONFIDENCE[named]!, span });
    }
  }
  return found;
}

/** Confidence by the number of country, product and listed name in the sentence: our own scale, no probability. */
const CONFIDENCE = [0, 0.5, 0.7, 0.9];
