/** Finding products by words of their names. */

/** A name made ready for searching: words in lower case without accents, a space around each. */
export type Searchable = {
  code: string;
  /** The name without its exclusions. */
  main: string;
  whole: string;
};

/** The words of a text, in lower case and without accents. */
export const foldedWords = (text: string): string[] =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

const spaced = (text: string) => ` ${foldedWords(text).join(" ")} `;

/** "Sawn wood (excl. of oak)" is about sawn wood, and about oak only on second thoughts. */
const withoutExclusions = (name: string) => name.replaceAll(/\(excl\.[^)]*\)?/gi, " ");

export const searchable = ({ code, name }: { code: string; name: string }): Searchable => ({
  code,
  main: spaced(withoutExclusions(name)),
  whole: spaced(name),
});

/**
 * The codes whose names have every word of `q`, the last as a prefix. Names with them outside of exclusions come
 * first, then whole words, then names that begin with them, then shorter names, then coarser codes.
 */
export function searchCodes(q: string, products: readonly Searchable[]): string[] {
  const words = foldedWords(q);
  const last = words.at(-1)!;
  const others = words.slice(0, -1).map((word) => ` ${word} `);
  const holds = (text: string) => text.includes(` ${last}`) && others.every((word) => text.includes(word));
  const begin = ` ${words.join(" ")}`;
  return products
    .filter(({ whole }) => holds(whole))
    .map(({ code, main, whole }) => {
      const inMain = holds(main);
      const text = inMain ? main : whole;
      const order = [
        inMain ? 0 : 1,
        text.includes(` ${last} `) ? 0 : 1,
        text.startsWith(begin) ? 0 : 1,
        text.split(" ").length,
        code.length,
      ];
      return { code, order };
    })
    .sort((a, b) => byOrder(a.order, b.order) || (a.code < b.code ? -1 : 1))
    .map(({ code }) => code);
}

function byOrder(a: number[], b: number[]): number {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at === -1 ? 0 : a[at]! - b[at]!;
}
