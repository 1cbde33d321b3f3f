/**
 * Finds entries by words. It matches other forms of a word, corrects wrong letters, and weighs rare words more
 * (BM25+).
 */
import { distance } from "fastest-levenshtein";
import MiniSearch from "minisearch";
import { stemmer } from "stemmer";

/** Words that occur in any question, and so do not distinguish entries. */
const COMMON = new Set(
  (
    "a about an and any are as at be by can do does for from get has have how i if in into is it its me much my of on " +
    "one or our should that the their them they this to us was what when where which who why will with you your"
  ).split(" "),
);

/**
 * Shorter words are not matched as beginnings or corrected: too many words begin with them or differ from them by one
 * letter.
 */
const SHORTEST_BEGINNING = 4;
const SHORTEST_MISSPELT = 5;
/** The share of a word's letters that may be wrong. */
const WRONG_LETTERS = 0.2;
/** The index splits texts at these characters. */
const BETWEEN_WORDS = /[\n\r\p{Z}\p{P}]+/u;
/** All related words of a question together weigh as much as this share of one word of the question. */
const RELATED = 0.5;
/** Squares the share of matched words: an entry with half of the words has a quarter of the score. */
const COVERAGE_EXPONENT = 2;

/** `weights`: the weight of each field's text. `weightOf`: the weight of an entry. `related`: groups of words. */
export type SearchFields<Entry> = {
  weights: Readonly<Record<string, number>>;
  textOf(entry: Entry, field: string): string;
  weightOf?(entry: Entry): number;
  related?: readonly string[];
};

/** Returns a search function: for words, the entries that contain any of them, best first. */
export function textSearch<Entry>(
  entries: readonly Entry[],
  { weights, textOf, weightOf = () => 1, related = [] }: SearchFields<Entry>,
): (words: string) => Entry[] {
  const index = new MiniSearch<{ id: number; entry: Entry }>({
    fields: Object.keys(weights),
    extractField: (document, field) => (field === "id" ? String(document.id) : textOf(document.entry, field)),
    processTerm: (word) => stemOf(word, vocabulary),
  });
  const vocabulary = new Map<string, string>();
  index.addAll(entries.map((entry, id) => ({ id, entry })));
  const stems = new Set(vocabulary.values());
  const relatives = relativesOf(related, stems);
  const rarities = new Map<string, number>();
  /** Rarity counts a second time, because a common word in many fields would otherwise outweigh a rare one. */
  const rarityOf = (stem: string): number => {
    if (!stems.has(stem)) return 1;
    const found = rarities.get(stem) ?? index.search(stem, { processTerm: (term) => term }).length;
    rarities.set(stem, found);
    return Math.log(1 + entries.length / found);
  };
  const stemsOf = (words: string): string[] => {
    const said = words.split(BETWEEN_WORDS).flatMap((word) => {
      const stem = stemOf(word);
      if (stem === null) return [];
      return [stems.has(stem) ? stem : corrected(word.toLowerCase(), vocabulary, stem)];
    });
    return [...new Set(said)];
  };
  return (words) => {
    const said = stemsOf(words);
    const added = [...new Set(said.flatMap((stem) => relatives.get(stem) ?? []))].filter(
      (stem) => !said.includes(stem),
    );
    const coverage = (found: readonly string[]): number => {
      const covered = said.map((stem) =>
        found.includes(stem) ? 1 : relatives.get(stem)?.some((one) => found.includes(one)) ? RELATED : 0,
      );
      return (covered.reduce<number>((sum, share) => sum + share, 0) / said.length) ** COVERAGE_EXPONENT;
    };
    return index
      .search([...said, ...added].join(" "), {
        boost: weights,
        boostDocument: (id) => weightOf(entries[Number(id)]!),
        tokenize: (text) => text.split(" "),
        processTerm: (stem) => stem,
        prefix: (stem) => stem.length >= SHORTEST_BEGINNING && said.includes(stem),
        boostTerm: (stem) => rarityOf(stem) * (said.includes(stem) ? 1 : RELATED / added.length),
      })
      .map(({ id, score, queryTerms }) => ({
        entry: entries[Number(id)]!,
        score: score * coverage(queryTerms),
      }))
      .toSorted((a, b) => b.score - a.score)
      .map(({ entry }) => entry);
  };
}

/** For each stem, the other stems of its groups that occur in any entry. */
function relativesOf(groups: readonly string[], stems: ReadonlySet<string>): Map<string, string[]> {
  const relatives = new Map<string, string[]>();
  for (const group of groups) {
    const members = group.split(" ").map((word) => stemmer(word));
    for (const stem of members)
      relatives.set(stem, [
        ...(relatives.get(stem) ?? []),
        ...members.filter((one) => one !== stem && stems.has(one)),
      ]);
  }
  return relatives;
}

function stemOf(word: string, vocabulary?: Map<string, string>): string | null {
  const whole = word.toLowerCase();
  if (whole === "" || COMMON.has(whole)) return null;
  const stem = stemmer(whole);
  vocabulary?.set(whole, stem);
  return stem;
}

/** The stem of the nearest known word. If none is near, `stem` itself, because it may be the beginning of a word. */
function corrected(word: string, vocabulary: ReadonlyMap<string, string>, stem: string): string {
  if (word.length < SHORTEST_MISSPELT) return stem;
  const most = Math.round(word.length * WRONG_LETTERS);
  let nearest = { stem, wrong: most + 1 };
  for (const [whole, its] of vocabulary) {
    if (Math.abs(whole.length - word.length) > most || whole[0] !== word[0]) continue;
    const wrong = distance(word, whole);
    if (wrong < nearest.wrong) nearest = { stem: its, wrong };
  }
  return nearest.stem;
}
