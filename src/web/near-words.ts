import { distance } from "fastest-levenshtein";

/** Shorter words are only compared as they are. */
const SHORTEST_MISSPELT = 5;
const MOST_WRONG = 2;

/** True for the same word, or one with at most two wrong letters. */
export const isNear = (one: string, other: string): boolean =>
  one === other || (one.length >= SHORTEST_MISSPELT && distance(one, other) <= MOST_WRONG);
