/** The product of a question: by known phrases first, refined below their codes by the adjacent words, else by the nomenclature. */
import { type Hit, headOf, purposeAt } from "./heads.ts";
import { isEnglishText } from "./known-words.ts";
import type { NamesIndex } from "./names-index.ts";
import type { Range } from "./numbers.ts";
import { breaksBefore, isContent, type ProductFound, searchedIn } from "./searched.ts";
import {
  contextWords,
  englishPhrases,
  isEveryday,
  latvianPhrases,
  MOST_PHRASE_WORDS,
  type Phrase,
  realEnglish,
} from "./vocabulary.ts";
import type { Word } from "./words.ts";

/** The listed phrases of products in a text. */
export function phrasesIn(words: readonly Word[], taken: (at: number) => boolean): Hit[] {
  const hits: Hit[] = [];
  const is_english = isEnglishText(words);
  for (let at = 0; at < words.length; ) {
    const hit = phraseAt(words, at, { taken, is_english });
    if (hit) hits.push(hit);
    at = hit?.to ?? at + 1;
  }
  return hits;
}

function phraseAt(
  words: readonly Word[],
  at: number,
  { taken, is_english }: { taken: (at: number) => boolean; is_english: boolean },
): Hit | undefined {
  for (let length = Math.min(MOST_PHRASE_WORDS, words.length - at); length > 0; length--) {
    const run = words.slice(at, at + length);
    if (run.some((_, n) => taken(at + n))) continue;
    if (run.slice(1).some(({ before }) => /[,;:.!?()]/.test(before))) continue;
    const english = englishPhrases().get(run.map((word) => word.english).join(" "));
    const isShort = is_english && length === 1 && run[0]!.folded.length < 5;
    // "Atlantis" in an English sentence is a name, and no Latvian "atlants".
    const isName = is_english && at > 0 && length === 1 && run[0]!.is_capital;
    const isLatvian =
      !isShort && !isName && run.every(mayBeLatvian) && !(is_english && run.every(isEnglishWord));
    const latvian = isLatvian ? latvianPhrases().get(run.map((word) => word.latvian).join(" ")) : undefined;
    const isPlainEnglish = length === 1 && isEveryday(run[0]!.folded);
    const phrase = english && !isWordOfAnother(run, english) ? english : isPlainEnglish ? undefined : latvian;
    if (phrase) return { from: at, to: at + length, phrase };
  }
  return undefined;
}

/** Latvian nouns have endings: "furnitur" is a slip of "furniture", and no "furnitūra". */
const mayBeLatvian = ({ folded, latvian }: Word) => folded.length < 5 || folded !== latvian;

/** In an English question "granules" are no "granulas". */
const isEnglishWord = ({ folded }: Word) => realEnglish.has(folded) || contextWords.has(folded);

/** "Show" is no "shows", and "ship" no "ships": everyday words name products only as they are listed. */
const isWordOfAnother = (run: readonly Word[], phrase: Phrase) =>
  run.length === 1 && isEveryday(run[0]!.folded) && !phrase.spelt.has(run[0]!.folded);

/** Every product that is named, in the order of the text. */
export function productsIn(
  words: readonly Word[],
  index: NamesIndex,
  taken: (at: number) => boolean,
): ProductFound[] {
  const hits = phrasesIn(words, taken);
  const text = { words, index, taken };
  const found: ProductFound[] = [];
  const others: Hit[] = [];
  for (const [n, hit] of hits.entries()) {
    const next = hits[n + 1];
    // "Car plants" make cars.
    const isPlace = /^plants?$/.test(words[hit.from]!.folded) && hits[n - 1]?.to === hit.from;
    if (isPlace) continue;
    // In "cotton shirts" the last noun says what it is, and the first of what.
    const isDescribing =
      next?.from === hit.to &&
      !breaksBefore(words[next.from]!) &&
      !/^plants?$/.test(words[next.from]!.folded);
    if (isDescribing) continue;
    const isUser = isPlant(words, hit, hits) || isMaker(words, hit, hits);
    if (isCarrier(words, hit) || isLeftOut(words, hit) || isUser) {
      others.push(hit);
      continue;
    }
    const before = hits[n - 1];
    const purpose = purposeAt(text, hit);
    if (purpose !== undefined) {
      if (before === undefined || before.to < hit.from - 3) found.push(purpose);
      continue;
    }
    const least = before === undefined ? 0 : before.to === hit.from ? before.from : before.to;
    const from = beginOf(words, hit, (at) => taken(at) || at < least);
    found.push(headOf(text, { ...hit, from }, hit, before));
  }
  if (found.length > 0) return found;
  const isOther = (at: number) => others.some(({ from, to }) => at >= from && at < to);
  return searchedIn(words, index, (at) => taken(at) || isOther(at));
}

/** "Apart from coal", "coal aside", "and not coal". */
function isLeftOut(words: readonly Word[], { from, to }: Range): boolean {
  const before = words
    .slice(Math.max(0, from - 2), from)
    .map(({ folded }) => folded)
    .join(" ");
  return (
    /(^|\s)(not|excluding|except|besides|apart from|other than|leaving aside|iznemot|nevis)$/.test(before) ||
    /^(aside|excluded|apart)$/.test(words[to]?.folded ?? "")
  );
}

/** "Would bakeries run dry without wheat" asks about wheat. */
const isPlant = (words: readonly Word[], { from, to }: Hit, hits: readonly Hit[]) =>
  hits.length > 1 &&
  to - from === 1 &&
  /^(bak|brew|refin|win|distill)er(y|ies)$|^dair(y|ies)$/.test(words[from]!.folded);

/** "Car factories" need steel, and "coffee shops" milk. */
const isMaker = (words: readonly Word[], { to }: Hit, hits: readonly Hit[]) =>
  hits.length > 1 &&
  /^(factor(y|ies)|mills?|works|industry|industries|shops?|dealers?|traders?|merchants?|wholesalers?|retailers?|makers?|producers?|manufacturers?|builders?|workers?|plants?)$/.test(
    words[to]?.folded ?? "",
  ) &&
  !breaksBefore(words[to]!);

const carriers =
  /^(ships?|vessels?|tankers?|boats?|freighters?|barges?|trucks?|lorry|lorries|trains?|planes?|containers?|pallets?|crates?|barrels?|pipes?|pipelines?|taps?|cables?|kugi|kugiem|kugis)$/;

/** "On ships leaving Greece", "whose tankers bring it": they carry something else. */
function isCarrier(words: readonly Word[], { from, to }: Range): boolean {
  if (to - from > 1 || !carriers.test(words[from]!.folded)) return false;
  const [before, after] = [words[from - 1]?.folded ?? "", words[to]?.folded ?? ""];
  // "If the pipes from Azerbaijan ran dry": they carry gas.
  if (/^(pipes?|pipelines?|taps?|cables?)$/.test(words[from]!.folded))
    return words.some(({ folded }) => /^(dry|shut|closed|leak\w*|blown|sabotaged)$/.test(folded));
  // "To ship goods" is a verb.
  if (words[from]!.folded === "ship" && /^(goods|products|it|them|our|the|any|more|things)$/.test(after))
    return true;
  return (
    /^(on|by|aboard|whose|in|onto|those|these)$/.test(before) ||
    /^(leav|arriv|carry|carri|bring|dock|sail|keep|loaded|full|head|stop|coming|come)/.test(after)
  );
}

/** "Rose oil": an everyday word that names a product too, right before what is made of it. */
const isNounBefore = ({ folded, english }: Word, head: Word): boolean =>
  /^(oil|water|butter|milk|seed|wax|powder|juice|flour|syrup|extract)s?$/.test(head.folded) &&
  isEveryday(folded) &&
  englishPhrases().has(english);

/** Where the words that describe a hit begin. */
function beginOf(words: readonly Word[], hit: Hit, taken: (at: number) => boolean): number {
  let from = hit.from;
  const describes = (word: Word) => isContent(word) || isNounBefore(word, words[from]!);
  while (
    from > 0 &&
    !taken(from - 1) &&
    describes(words[from - 1]!) &&
    !breaksBefore(words[from]!) &&
    !isVerbOfAWish(words, from - 1)
  )
    from--;
  return from;
}

/** "I want to stock ski boots": the verb says nothing of the boots. */
const isVerbOfAWish = (words: readonly Word[], at: number): boolean =>
  words[at - 1]?.folded === "to" &&
  /^(want|wants|wanted|like|likes|wish|wishes|hope|hopes|plan|plans|planning|going|looking|intend|intends|able|love|about)$/.test(
    words[at - 2]?.folded ?? "",
  );
