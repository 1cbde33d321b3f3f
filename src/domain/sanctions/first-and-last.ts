/** A listed person's first and last names, which are what papers leave of many. */
import type { IndexedName } from "./index.ts";
import { readName } from "./words.ts";

/**
 * True if the first given name and a last name are among the listed name's matched words. Before a comma stand last names; without
 * one, the last word is the last name.
 */
export function hasFirstAndLast(
  { name: { name }, words, omissible }: IndexedName,
  matched: ReadonlySet<number>,
): boolean {
  const places = words.map((_, at) => at).filter((at) => omissible?.[at] === undefined);
  const comma = name.indexOf(",");
  if (comma === -1) return matched.has(places[0]!) && matched.has(places.at(-1)!);
  const begin = readName(name.slice(0, comma)).texts.length;
  const given = places.find((at) => at >= begin);
  return given !== undefined && matched.has(given) && places.some((at) => at < begin && matched.has(at));
}
