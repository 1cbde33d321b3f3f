/** The searchable sections of the documentation. */
import { textSearch } from "../core/model/text-search.ts";

/** `of`: its page, or its area and name; `input`: the fields that an operation takes. */
export type Entry = { path: string; title: string; of: string; text: string; input?: string };

const WEIGHTS = { title: 4, of: 2, text: 1, input: 0.5 };
/** Guides and operations come before lists of settings and commands, and these before decisions. */
const OF_PLACES: readonly [path: RegExp, weight: number][] = [
  [/^\/docs\/decisions\//, 0.3],
  [/^\/docs\/(settings|command-line|events)#/, 0.6],
];

export const entryFinder = (entries: readonly Entry[]) =>
  textSearch(entries, {
    weights: WEIGHTS,
    textOf: (entry, field) => entry[field as keyof typeof WEIGHTS] ?? "",
    weightOf: ({ path }) => OF_PLACES.find(([places]) => places.test(path))?.[1] ?? 1,
  });
