/** What a task names: the slots of any question, the chapter of its product, and a month. */
import type { Searchable } from "../customs/search.ts";
import { type Slots, slotsIn } from "../plans/slots.ts";

/** Everything of the task that is a slot; words that begin with one of `stems` say what is asked, and name no product. */
export function taskSlots(
  task: string,
  products: readonly Searchable[],
  stems: readonly string[] = [],
): Slots {
  const slots = slotsIn(task, products, stems);
  const month = monthIn(task.normalize("NFC").toLowerCase());
  return {
    ...slots,
    ...(slots.hs !== undefined && { chapter: slots.hs.slice(0, 2) }),
    ...(month !== undefined && { month }),
  };
}

/** How the months are called in English and Latvian, by how they begin. */
const stemsOfMonths: readonly RegExp[] = [
  /^jan/,
  /^feb/,
  /^mar/,
  /^apr/,
  /^ma[yi]/,
  /^j[uū]ni?/,
  /^j[uū]l/,
  /^aug/,
  /^sep/,
  /^o[ck]t/,
  /^nov/,
  /^de[cz]/,
];

const YEAR = "((?:19|20)\\d\\d)";
const inDigits = new RegExp(`(?<![\\d-])${YEAR}-(0[1-9]|1[0-2])(?![\\d-])`, "u");
/** A word beside a year: "March 2024", "2024. gada marts". */
const inWords = [
  { pattern: new RegExp(`(\\p{L}{3,12})\\.?\\s+${YEAR}(?!\\d)`, "gu"), word: 1, year: 2 },
  { pattern: new RegExp(`(?<!\\d)${YEAR}\\.?\\s+(?:gada\\s+)?(\\p{L}{3,12})`, "gu"), word: 2, year: 1 },
];

function monthIn(text: string): string | undefined {
  const digits = inDigits.exec(text);
  if (digits) return digits[0];
  for (const { pattern, word, year } of inWords)
    for (const match of text.matchAll(pattern)) {
      const at = stemsOfMonths.findIndex((stem) => stem.test(match[word]!));
      if (at >= 0) return `${match[year]}-${String(at + 1).padStart(2, "0")}`;
    }
  return undefined;
}
