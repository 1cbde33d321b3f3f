/** The searchable sections of the documentation. */
import { RELATED_WORDS } from "../web/related-words.ts";
import { type TextSearch, textSearch } from "../web/text-search.ts";

/** `of`: its page, or its area and name; `input`: the fields that an operation takes. */
export type Entry = { path: string; title: string; of: string; text: string; input?: string };

/** The first results are of as many pages. */
const FIRST_PAGES = 5;
const WEIGHTS = { title: 4, of: 2, text: 1, input: 0.5 };
/** Guides and operations come before lists of settings and commands, and these before decisions. */
const OF_PLACES: readonly [path: RegExp, weight: number][] = [
  [/^\/docs\/decisions\//, 0.3],
  [/^\/docs\/(settings|command-line|events)#/, 0.4],
];

/** Finds entries by words; the first ones are of different pages. */
export function entryFinder(entries: readonly Entry[]): TextSearch<Entry> {
  const search = textSearch(entries, {
    weights: WEIGHTS,
    textOf: (entry, field) => entry[field as keyof typeof WEIGHTS] ?? "",
    weightOf: ({ path }) => OF_PLACES.find(([places]) => places.test(path))?.[1] ?? 1,
    related: RELATED_WORDS,
  });
  const find = (words: string) => {
    const best = new Map<string, Entry>();
    const found = search.find(words);
    for (const entry of found) {
      const page = entry.path.replace(/#.*/, "");
      if (!best.has(page)) best.set(page, entry);
    }
    const first = [...best.values()].slice(0, FIRST_PAGES);
    return [...first, ...found.filter((entry) => !first.includes(entry))];
  };
  return { ...search, find };
}
