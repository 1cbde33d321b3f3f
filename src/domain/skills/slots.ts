/** The slots of a task: those of any question, the chapter of its product, and a month. */
import type { Searchable } from "../customs/search.ts";
import { type Slots, slotsIn } from "../plans/slots.ts";

/** All slots in the task's words; words that begin with one of `stems` state the question, and name no product. */
export function taskSlots(
  task: string,
  products: readonly Searchable[],
  stems: readonly string[] = [],
): Slots {
  const slots = slotsIn(task, products, stems);
  const month = monthIn(task.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase());
  return {
    ...slots,
    ...(slots.hs !== undefined && { chapter: slots.hs.slice(0, 2) }),
    ...(month !== undefined && { month }),
  };
}

/** The names of the months in English and Latvian, in full or short, in lower case without accents. */
const months: readonly RegExp[] = [
  /^jan(uary|var(is|i|a|u))?$/,
  /^feb(ruary|ruar(is|i|a|u))?$/,
  /^mar(ch|ts|ta|tu)?$/,
  /^apr(il|il(is|i|a))?$/,
  /^ma(y|ijs|ija|iju)$/,
  /^jun(e|ijs|ija|iju)?$/,
  /^jul(y|ijs|ija|iju)?$/,
  /^aug(ust|usts|usta|ustu)?$/,
  /^sept?(ember|embr(is|i|a))?$/,
  /^o[ck]t(ober|obr(is|i|a))?$/,
  /^nov(ember|embr(is|i|a))?$/,
  /^de[cz](ember|embr(is|i|a))?$/,
];

/** "In 2025 may I" names no month. */
const isAskedBehindYear = (word: string) => word === "may";

const YEAR = "((?:19|20)\\d\\d)";
const inDigits = new RegExp(`(?<![\\d-])${YEAR}-(0[1-9]|1[0-2])(?![\\d-])`, "u");
/** A word next to a year: "March 2024", "2024. gada marts". */
const inWords = [
  { pattern: new RegExp(`(?<!\\p{L})(\\p{L}{3,12})\\.?\\s+${YEAR}(?!\\d)`, "gu"), word: 1, year: 2 },
  {
    pattern: new RegExp(`(?<!\\d)${YEAR}\\.?\\s+(?:gada\\s+)?(\\p{L}{3,12})(?!\\p{L})`, "gu"),
    word: 2,
    year: 1,
  },
];

function monthIn(text: string): string | undefined {
  const digits = inDigits.exec(text);
  if (digits) return digits[0];
  for (const { pattern, word, year } of inWords)
    for (const match of text.matchAll(pattern)) {
      if (word > year && isAskedBehindYear(match[word]!)) continue;
      const at = months.findIndex((month) => month.test(match[word]!));
      if (at >= 0) return `${match[year]}-${String(at + 1).padStart(2, "0")}`;
    }
  return undefined;
}
