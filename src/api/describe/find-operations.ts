import { RELATED_WORDS } from "../../web/related-words.ts";
import { textSearch } from "../../web/text-search.ts";
import { inputReader } from "../declare/input.ts";
import type { Operation } from "../declare/operation.ts";
import { SEARCH_WORDS } from "./search-words.ts";

const WEIGHTS = { name: 4, summary: 4, searched: 4, area: 2, description: 1, input: 0.25 };

/** Finds operations by words. If the query contains an operation's whole name, that operation comes first. */
export function operationFinder(operations: readonly Operation[]): (words: string) => Operation[] {
  const { find } = textSearch(operations, { weights: WEIGHTS, textOf, related: RELATED_WORDS });
  return (text) => {
    const words = new Set(text.toLowerCase().split(/\s+/));
    return find(text).toSorted((a, b) => Number(words.has(b.name)) - Number(words.has(a.name)));
  };
}

function textOf(operation: Operation, field: string): string {
  if (field === "input") return inputText(operation);
  if (field === "searched") return SEARCH_WORDS[operation.name] ?? "";
  return operation[field as Exclude<keyof typeof WEIGHTS, "input" | "searched">];
}

/** The input fields of an operation with their descriptions, as text to search. */
export const inputText = ({ input }: Operation): string =>
  Object.entries(inputReader(input).schema.properties)
    .map(([field, { description = "" }]) => `${field} ${description}`)
    .join(" ");
