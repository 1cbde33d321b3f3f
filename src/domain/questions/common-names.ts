/** Everyday names of product codes, for titles without the nomenclature. */
import { atFirstUse } from "../../core/model/first-use.ts";
import productWords from "./data/product-words.json" with { type: "json" };

/** The first English word of each code. A word of that code alone comes before one that it shares. */
const wordsByCode = atFirstUse((): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const { hs, en } of productWords.rows.toSorted((a, b) => a.hs.length - b.hs.length))
    for (const code of hs) if (en[0] !== undefined && !found.has(code)) found.set(code, en[0]);
  return found;
});

/** "Cars" for 8703; null without such a word. */
export function commonName(code: string): string | null {
  const word = wordsByCode().get(code);
  return word === undefined ? null : word[0]!.toUpperCase() + word.slice(1);
}
