/**
 * Extracts events from a text: a verb of trade, and the countries, products and listed names of its sentence. The
 * text is data: it is searched by our own gazetteers, never followed, and findings in one text rest on that text
 * alone.
 */
import { countryNames } from "../plans/country-names.ts";
import type { NameIndex } from "../sanctions/index.ts";
import { wordsOf } from "../sanctions/words.ts";
import { ownNames } from "../trade/product-names.ts";

/** Changes with each change of the results. */
export const EXTRACTOR = "ts-news/1";

const word = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, "iu");

/** The verbs and nouns of each kind, English and Latvian. */
const verbs = {
  tariff: word(
    "tariffs?|anti-?dumping|countervailing|customs dut(?:y|ies)|import dut(?:y|ies)|levies|muit(?:a|as|u|ām)",
  ),
  quota: word("quotas?|kvot(?:a|as|u|ām)"),
  sanction: word("sanctions?|sanctioned|embargo(?:e[sd])?|blacklisted|sankcij(?:a|as|u|ām)"),
  export_ban: word(
    "(?:export|exports|import|imports) (?:ban|bans|restrictions?|curbs?|controls?)|bans? (?:the )?(?:export|exports|import|imports)|eksporta aizliegum(?:s|u|i)",
  ),
  strike: word("strikes?|striking|walkouts?|industrial action|work stoppages?|streik(?:s|o|i|u|oja|otāji)"),
  disaster: word(
    "earthquakes?|floods?|flooding|hurricanes?|typhoons?|droughts?|wildfires?|plūd(?:i|iem|os)|zemestrīc(?:e|es|ē)",
  ),
  closure: word(
    "(?:is|are|was|were|has been|have been|remains?) closed|closures?|closes|shuts?|shut down|shutdowns?|blockades?|blocked|slēgt(?:a|s|i|as)",
  ),
  price: word(
    "prices? (?:rise|rises|rose|fall|falls|fell|jump|jumps|jumped|surge|surges|surged|drop|drops|dropped|soar|soars|soared)|price (?:cap|increase|hike|cut)s?|cen(?:a|as|u) (?:pieaug|krīt|kāp)\\p{L}*",
  ),
} as const;

export type EventKind = keyof typeof verbs;
export const eventKinds = Object.keys(verbs) as [EventKind, ...EventKind[]];

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

/** Words of chapters' names that are no product by themselves. */
const GENERAL = new Set(
  "other products product articles article live parts goods materials material animal animals and the its not with special base".split(
    " ",
  ),
);

/** A chapter by each word of its short name; a word of several chapters is the first one's. */
const chapters: ReadonlyMap<string, string> = (() => {
  const found = new Map<string, string>();
  for (const [code, name] of Object.entries(ownNames)) {
    for (const one of name.toLowerCase().split(/[^a-z]+/)) {
      const stem = singular(one);
      if (stem.length > 2 && !GENERAL.has(one) && !found.has(stem)) found.set(stem, code.slice(0, 2));
    }
  }
  return found;
})();

function singular(of: string): string {
  return of.endsWith("ies")
    ? `${of.slice(0, -3)}y`
    : of.endsWith("s") && !of.endsWith("ss")
      ? of.slice(0, -1)
      : of;
}

const MOST_EACH = 5;

function productsIn(sentence: string): string[] {
  const codes = [...sentence.matchAll(/(?<![\p{L}\p{N}])(?:HS|CN)\s?(\d{4}(?:\s?\d{2}){0,2})(?!\d)/gu)].map(
    ([, digits]) => digits!.replaceAll(/\s/g, "").slice(0, 6),
  );
  const named = sentence
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .flatMap((one) => chapters.get(singular(one)) ?? []);
  return [...new Set([...codes, ...named])].slice(0, MOST_EACH);
}

/** Finds countries by names and common abbreviations; other two-letter capitals may be any word of a headline. */
function countriesIn(sentence: string): string[] {
  const lower = sentence.toLowerCase();
  const found: { at: number; code: string }[] = [];
  let rest = sentence;
  for (const { code, begin, pattern } of countryNames()) {
    if (!lower.includes(begin)) continue;
    // Longer names come first: their words match no other name.
    rest = rest.replaceAll(pattern(), (name, at: number) => {
      found.push({ at, code });
      return " ".repeat(name.length);
    });
  }
  for (const { 0: name, index: at } of rest.matchAll(/(?<![\p{L}\p{N}])(?:U\.S\.|US|UK)(?![\p{L}\p{N}])/gu))
    found.push({ at, code: name === "UK" ? "GB" : "US" });
  const inOrder = found.sort((a, b) => a.at - b.at).map(({ code }) => code);
  return [...new Set(inOrder)].slice(0, MOST_EACH);
}

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

/** The sentences of a normalized text, with their offsets. */
function* sentencesOf(text: string): Generator<{ from: number; to: number }> {
  let from = 0;
  for (const { index, 0: end } of text.matchAll(/[.!?。]["'”’)]?\s/gu)) {
    yield { from, to: index + end.length - 1 };
    from = index + end.length;
  }
  if (from < text.length) yield { from, to: text.length };
}

/** The events of a text, in its order: a verb is none unless its sentence names a country, a product or a listed name. */
export function extract(text: string, names: NameGazetteer, most: number): ExtractedEvent[] {
  const found: ExtractedEvent[] = [];
  for (const span of sentencesOf(text)) {
    if (span.to - span.from > LONGEST) continue;
    const sentence = text.slice(span.from, span.to);
    const kinds = eventKinds.filter((kind) => verbs[kind].test(sentence));
    if (kinds.length === 0) continue;
    const about = {
      countries: countriesIn(sentence),
      hs: productsIn(sentence),
      entities: entitiesIn(sentence, names),
    };
    const named = Object.values(about).filter(({ length }) => length > 0).length;
    if (named === 0) continue;
    for (const kind of kinds) {
      if (found.length === most) return found;
      found.push({ kind, ...about, confidence: CONFIDENCE[named]!, span });
    }
  }
  return found;
}

/** Confidence by the number of country, product and listed name in the sentence: our own scale, no probability. */
const CONFIDENCE = [0, 0.5, 0.7, 0.9];
