import { inputReader } from "../declare/input.ts";
import type { Operation } from "../declare/operation.ts";

const WEIGHTS = { name: 5, summary: 3, area: 2, description: 1, input: 1 };

type FieldName = keyof typeof WEIGHTS;
type Entry = { operation: Operation; words: Record<FieldName, ReadonlySet<string>> };

/** Two words match if they share a stem: "seasons" finds "seasonality". */
const SHORTEST_STEM = 4;
const LONGEST_ENDING = 2;

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? []);

export function operationFinder(operations: readonly Operation[]): (text: string) => Operation[] {
  const entries = operations.map(entryOf);
  return (text) => {
    const scores = new Map<Entry, number>();
    for (const word of wordsOf(text)) {
      const found = entries.map((entry) => ({ entry, weight: weightOf(word, entry) }));
      const hits = found.filter(({ weight }) => weight > 0);
      const rarity = Math.log(1 + entries.length / Math.max(hits.length, 1));
      for (const { entry, weight } of hits) scores.set(entry, (scores.get(entry) ?? 0) + weight * rarity);
    }
    return [...scores].toSorted(([, a], [, b]) => b - a).map(([{ operation }]) => operation);
  };
}

function entryOf(operation: Operation): Entry {
  const { name, area, summary, description, input } = operation;
  const fields = Object.entries(inputReader(input).schema.properties);
  const about = fields.map(([field, { description = "" }]) => `${field} ${description}`).join(" ");
  return {
    operation,
    words: {
      name: wordsOf(name),
      summary: wordsOf(summary),
      area: wordsOf(area),
      description: wordsOf(description),
      input: wordsOf(about),
    },
  };
}

function weightOf(word: string, { words }: Entry): number {
  const places = Object.entries(WEIGHTS) as [FieldName, number][];
  return Math.max(...places.map(([place, weight]) => (stands(word, words[place]) ? weight : 0)));
}

const stands = (word: string, among: ReadonlySet<string>): boolean =>
  among.has(word) || [...among].some((one) => areForms(word, one));

function areForms(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  const stem = Math.max(SHORTEST_STEM, shorter - LONGEST_ENDING);
  return shorter >= stem && one.slice(0, stem) === other.slice(0, stem);
}
