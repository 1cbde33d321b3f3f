/**
 * Finds entries by words. It matches other forms of a word, corrects wrong letters, and weighs rare words more
 * (BM25+).
 */
import { distance } from "fastest-levenshtein";
import MiniSearch, { type MatchInfo } from "minisearch";
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
/** An entry with less than this share of the best entry's coverage is not found: it only shares a word. */
const LEAST_COVERAGE = 0.3;
/** The further score of an entry that has all neighbouring words of a question next to each other. */
const NEIGHBOURS = 1;
/** Entries whose texts are read for neighbouring words. */
const READ_FOR_NEIGHBOURS = 60;

/** `weights`: the weight of each field's text. `weightOf`: the weight of an entry. `related`: groups of words. */
export type SearchFields<Entry> = {
  weights: Readonly<Record<string, number>>;
  textOf(entry: Entry, field: string): string;
  weightOf?(entry: Entry): number;
  related?: readonly string[];
};

export type TextSearch<Entry> = {
  /** The entries that have the words, or most of them, best first. */
  find(words: string): Entry[];
  /** Says of a word in a text whether the words found it. */
  matcher(words: string): (word: string) => boolean;
};

export function textSearch<Entry>(
  entries: readonly Entry[],
  { weights, textOf, weightOf = () => 1, related = [] }: SearchFields<Entry>,
): TextSearch<Entry> {
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
  const heaviest = Math.max(...Object.values(weights));
  const shareOf = (field: string) => Math.sqrt(weights[field]! / heaviest);
  const stemmed = new Map<Entry, { share: number; text: string }[]>();
  const stemmedTexts = (entry: Entry) =>
    Object.keys(weights).map((field) => {
      const stems = textOf(entry, field)
        .split(BETWEEN_WORDS)
        .flatMap((word) => vocabulary.get(word.toLowerCase()) ?? []);
      return { share: shareOf(field), text: ` ${stems.join(" ")} ` };
    });
  /** The share of a question's pairs of neighbouring words that an entry has next to each other, less in light fields. */
  const neighboursIn = (entry: Entry, said: readonly string[]): number => {
    if (said.length < 2) return 0;
    const texts = stemmed.get(entry) ?? stemmedTexts(entry);
    stemmed.set(entry, texts);
    const shares = said.slice(1).map((stem, at) => {
      const having = texts.filter(({ text }) => text.includes(` ${said[at]} ${stem} `));
      return Math.max(0, ...having.map(({ share }) => share));
    });
    return shares.reduce((sum, share) => sum + share, 0) / shares.length;
  };
  const matcher = (words: string) => {
    const said = stemsOf(words);
    const all = new Set([...said, ...said.flatMap((stem) => relatives.get(stem) ?? [])]);
    return (word: string): boolean => {
      const stem = stemOf(word);
      return stem !== null && (all.has(stem) || said.some((one) => isPrefix(one) && stem.startsWith(one)));
    };
  };
  const find = (words: string) => {
    const said = stemsOf(words);
    const added = [...new Set(said.flatMap((stem) => relatives.get(stem) ?? []))].filter(
      (stem) => !said.includes(stem),
    );
    const whole = said.reduce((sum, stem) => sum + rarityOf(stem), 0);
    /** The share of the question's words that an entry has: rare words count more, and so do those in heavy fields. */
    const coverage = (match: MatchInfo): number => {
      const shares = new Map<string, number>();
      for (const [term, fields] of Object.entries(match)) {
        const share = Math.max(...fields.map(shareOf));
        for (const stem of [...said, ...added])
          if (stem === term || (isPrefix(stem) && said.includes(stem) && term.startsWith(stem)))
            shares.set(stem, Math.max(shares.get(stem) ?? 0, share));
      }
      const covered = said.map((stem) => {
        const related = (relatives.get(stem) ?? []).map((one) => (shares.get(one) ?? 0) * RELATED);
        return rarityOf(stem) * Math.max(shares.get(stem) ?? 0, ...related);
      });
      return covered.reduce((sum, share) => sum + share, 0) / whole;
    };
    const found = index
      .search([...said, ...added].join(" "), {
        boost: weights,
        boostDocument: (id) => weightOf(entries[Number(id)]!),
        tokenize: (text) => text.split(" "),
        processTerm: (stem) => stem,
        prefix: (stem) => isPrefix(stem) && said.includes(stem),
        boostTerm: (stem) => rarityOf(stem) * (said.includes(stem) ? 1 : RELATED / added.length),
      })
      .map(({ id, score, match }) => {
        const covered = coverage(match);
        return { entry: entries[Number(id)]!, covered, score: score * covered ** COVERAGE_EXPONENT };
      })
      .toSorted(byScore);
    const least = LEAST_COVERAGE * Math.max(...found.map(({ covered }) => covered));
    const first = found.slice(0, READ_FOR_NEIGHBOURS).map(({ entry, covered, score }) => ({
      entry,
      covered,
      score: score * (1 + NEIGHBOURS * neighboursIn(entry, said)),
    }));
    return [...first.toSorted(byScore), ...found.slice(READ_FOR_NEIGHBOURS)]
      .filter(({ covered }) => covered >= least)
      .map(({ entry }) => entry);
  };
  return { find, matcher };
}

const byScore = (one: { score: number }, other: { score: number }) => other.score - one.score;

const isPrefix = (stem: string) => stem.length >= SHORTEST_BEGINNING;

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
