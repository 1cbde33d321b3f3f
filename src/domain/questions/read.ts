/** The one reader of questions, tasks, intents and skills: what a text names and asks. It uses lists and rules, and no model. */

import type { Plan } from "../plans/plan.ts";
import type { Slots } from "../plans/slots.ts";
import { partnerName } from "../trade/reporters.ts";
import type { Flow } from "../trade/units.ts";
import { parted, phrasal } from "./compounds.ts";
import { countriesIn, type Mention } from "./countries.ts";
import { type IntentReading, intentOf } from "./intent.ts";
import { mended } from "./known-words.ts";
import { indexOf, type NamesIndex, type Nomenclature } from "./names-index.ts";
import { codeIn, monthIn, type Range, unknownCodes, yearsIn } from "./numbers.ts";
import { phrasesIn, productsIn } from "./products.ts";
import { type Placed, placed, type Role } from "./roles.ts";
import type { ProductFound, Reading } from "./searched.ts";
import { severalCountries } from "./several.ts";
import { inState } from "./states.ts";
import { strangersIn } from "./strangers.ts";
import { plainText } from "./structured.ts";
import { isAboutTrade, tradeWord } from "./trade-words.ts";
import { type Unread, unreadIn } from "./unread.ts";
import { figuresOfSpeech } from "./vocabulary.ts";
import { type Word, wordsIn } from "./words.ts";

/** `are_all_named`: the words name every reading, and none of them is doubtful. */
export type Ambiguous = {
  slot: "product" | "country";
  text: string;
  readings: Reading[];
  are_all_named?: boolean;
};

export type Understood = {
  /** The words, folded and with corrected spelling: plans are matched with them. */
  text: string;
  product?: Reading & { rivals: Reading[] };
  /** The EU member whose statistics are asked for; without one, any other country. */
  country?: string;
  partner?: string;
  flow?: Flow;
  /** "2020", "2018-2021", "2019-" (since) or "-2020" (until). */
  years?: string;
  year?: number;
  /** YYYY-MM */
  month?: string;
  /** The product's chapter. */
  chapter?: string;
  intent?: IntentReading;
  ambiguous: Ambiguous[];
  /** Names of countries or products that are not known, as written. */
  not_found: string[];
  /** Two countries that both sell, or both buy, by the words. */
  contradiction?: { countries: string[]; role: Role };
  /** Words that the reading leaves over. */
  unread: Unread;
  /** Countries beyond the first two. */
  others: string[];
  /** Which words went where. */
  used: { words: string; as: "product" | "country" | "partner" | "years" | "month" | "flow" }[];
};

export type { IntentReading, Nomenclature, Reading };

type Sources = { nomenclature: Nomenclature; plans?: readonly Plan[] };

/** Everything that the text names; `plans` are the intents among which one is chosen. */
export function readQuestion(text: string, { nomenclature, plans = [] }: Sources): Understood {
  const index = indexOf(nomenclature);
  const words = mended(phrasal(parted(wordsIn(plainText(text)))), index);
  const dated = readDates(words);
  const figures = figuresIn(words);
  // "Brazil nuts" and "bone china" are products, whatever country their words name.
  const fixed = phrasesIn(words, takenBy([...dated.ranges, ...figures])).filter(
    ({ from, to }) => to - from > 1,
  );
  const mentions = countriesIn(words, takenBy([...dated.ranges, ...fixed]));
  const isTaken = takenBy([...dated.ranges, ...mentions, ...figures]);
  const named = namedProducts(words, index, isTaken, dated.code);
  const isTrade = named.chosen !== undefined || words.some(isAboutTrade);
  const countries = isTrade
    ? placed({ words, mentions: distinct(mentions), products: named.all })
    : distinct(mentions).map((one) => ({
        ...one,
        role: undefined,
        said_role: undefined,
        is_subject: false,
      }));
  const isNamed = takenBy(mentions);
  const sides = sidesOf(countries, words);
  const taken = takenBy([...dated.ranges, ...figures, ...mentions, ...named.all]);
  const not_found = strangersIn({ words, mentions, index, taken }, named.chosen !== undefined);
  const understood: Understood = {
    // "Algeria" is no "alga": names of countries are no words of a plan.
    text: words.map(({ folded }, at) => (isNamed(at) ? COUNTRY : folded)).join(" "),
    ...productSlots(named),
    ...sides.slots,
    ...dated.slots,
    ...contradictionOf(countries),
    ambiguous: [
      ...named.ambiguous,
      ...mentions.flatMap((one) => sharedName(words, one)),
      ...severalCountries(words, countries),
    ],
    not_found: [...unknownCodes(words, index, dated.code), ...named.unread, ...not_found],
    unread: unreadIn({ words, index, taken }),
    others: sides.others,
    used: [...named.used, ...sides.used, ...dated.used],
  };
  const intent = intentOf(understood.text, slotsOf(understood), plans);
  return intent ? { ...understood, intent } : understood;
}

function contradictionOf([first, second, ...others]: readonly Placed[]): Pick<Understood, "contradiction"> {
  if (!first?.role || !second || others.length > 0 || first.role !== second.role) return {};
  return {
    contradiction: { countries: [first, second].map(({ code }) => partnerName(code)), role: first.role },
  };
}

const takenBy = (ranges: readonly Range[]) => {
  const all = new Set(
    ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n)),
  );
  return (at: number) => all.has(at);
};

/** The nouns of figures of speech name no product; a country within them counts. */
function figuresIn(words: readonly Word[]): Range[] {
  const text = words.map(({ folded }) => folded).join(" ");
  return [...text.matchAll(figuresOfSpeech)].map(({ 0: figure, index: at }) => {
    const from = text.slice(0, at).split(" ").length - 1;
    return { from, to: from + figure.split(" ").length };
  });
}

const textOf = (words: readonly Word[], { from, to }: Range) =>
  words
    .slice(from, to)
    .map((word) => word.text)
    .join(" ");

function readDates(words: readonly Word[]) {
  const code = codeIn(words);
  const codes = code ? [code] : [];
  const month = monthIn(words);
  const years = yearsIn(words, takenBy(codes));
  const isOne = years !== undefined && /^\d{4}$/.test(years.value);
  return {
    code,
    ranges: [...codes, ...(month ? [month] : []), ...(years ? [years] : [])],
    slots: {
      ...(years && { years: years.value }),
      ...(isOne && { year: Number(years.value) }),
      ...(month && { month: month.value }),
    },
    used: [
      ...(years ? [{ words: textOf(words, years), as: "years" as const }] : []),
      ...(month ? [{ words: textOf(words, month), as: "month" as const }] : []),
    ],
  };
}

/** Stands for a country's name in the text that plans are matched with. */
const COUNTRY = "xx";

/** Each country once: by its name, if an adjective names it too. */
const distinct = (mentions: readonly Mention[]) =>
  mentions.filter(({ code }, at) => {
    const same = mentions.filter((one) => one.code === code);
    return mentions[at] === (same.find(({ is_adjective }) => !is_adjective) ?? same[0]);
  });

type NamedProducts = {
  all: readonly Range[];
  chosen?: { reading: Reading; rivals: Reading[] };
  ambiguous: Ambiguous[];
  /** Words beside a product that say another one. */
  unread: string[];
  used: Understood["used"];
};

function namedProducts(
  words: readonly Word[],
  index: NamesIndex,
  taken: (at: number) => boolean,
  code: (Range & { value: string }) | undefined,
): NamedProducts {
  if (code) {
    const reading = { code: code.value, name: index.nameOf(code.value) ?? code.value, score: 1 };
    return {
      all: [code],
      chosen: { reading, rivals: [] },
      ambiguous: [],
      unread: [],
      used: [{ words: textOf(words, code), as: "product" }],
    };
  }
  const all = productsIn(words, index, taken);
  const sure = all.filter((one) => !one.is_weak || one.unread !== undefined || isExpected(words, one, taken));
  const placed = sure
    .map((one, at) => ({ one, at, expected: Number(isExpected(words, one, taken)) }))
    .sort((a, b) => b.expected - a.expected || a.at - b.at);
  const ranked = placed.map(({ one }) => one);
  const [first] = ranked;
  // "Cocoa prices hit a record: who imports the most cocoa beans?" asks about the beans.
  const best =
    ranked.find(
      (one) =>
        first &&
        one !== first &&
        one.reading.code.startsWith(first.reading.code) &&
        one.reading.code.length > first.reading.code.length,
    ) ?? first;
  const equal = placed.filter(({ expected }) => expected === placed[0]?.expected).map(({ one }) => one);
  if (!best) return { all: [], ambiguous: [], unread: [], used: [] };
  const other = inState(words, index, best, best.reading.code) ?? sharedHeading(words, best, ranked);
  if (other !== undefined) {
    const reading = { ...best.reading, code: other, name: index.nameOf(other) ?? best.reading.name };
    return {
      all: sure,
      chosen: { reading, rivals: [] },
      ambiguous: [],
      unread: [],
      used: [{ words: textOf(words, best), as: "product" }],
    };
  }
  return {
    all: sure,
    chosen: best,
    ambiguous: ambiguousOf(words, best, equal, ranked),
    unread: best.unread === undefined ? [] : [best.unread],
    used: [{ words: textOf(words, best), as: "product" }],
  };
}

/** Where products stand: beside a word of trade, behind "of", beside a country or between markets and prices. */
function isExpected(words: readonly Word[], { from, to }: Range, taken: (at: number) => boolean): boolean {
  let before = from - 1;
  while (
    before >= 0 &&
    (taken(before) || /^(the|its|their|his|a|more|any|some|most)$/.test(words[before]!.folded))
  )
    before--;
  if (from === 0 && isTopic(words, to)) return true;
  const near = [words[before], words[to]].filter((word) => word !== undefined);
  if (near.some((word) => tradeWord(word) !== undefined)) return true;
  if (/^(of|in|for|on)$/.test(words[before]?.folded ?? "")) {
    const noun = words[before - 1];
    if (
      noun &&
      (tradeWord(noun) !== undefined ||
        /^(market|price|prices|trade|trader|traders|volume|value|demand|tonnes)$/.test(noun.folded))
    )
      return true;
  }
  return /^(market|markets|price|prices|trade|dependency|tirgus|tirgu|cena|cenas|stop|stops|stopped|ran|run|runs|dry|vanish|vanished)$/.test(
    words[to]?.folded ?? "",
  );
}

/** "Nails for pallets: who sells them to Belgium?" */
function isTopic(words: readonly Word[], to: number): boolean {
  const question = words.findIndex(({ before }, at) => at >= to && before.includes(":"));
  return (
    question > 0 &&
    words.slice(question).some(({ folded }) => /^(them|it|they|those|these|one|tos|to|tas)$/.test(folded))
  );
}

/** One word with codes in several chapters, or several products: as likely as the best one by their place, or joined to it. */
function ambiguousOf(
  words: readonly Word[],
  best: ProductFound,
  equal: readonly ProductFound[],
  all: readonly ProductFound[],
): Ambiguous[] {
  const text = textOf(words, best);
  const apart = best.rivals.filter(({ code }) => code.slice(0, 2) !== best.reading.code.slice(0, 2));
  if (apart.length > 0) return [{ slot: "product", text, readings: [best.reading, ...best.rivals] }];
  const joined = all.filter((one) => one !== best && (equal.includes(one) || isJoined(words, best, one)));
  const others = joined.filter(({ reading }) => !isWithin(reading.code, best.reading.code));
  if (others.length === 0) return [];
  const both = [best, ...others];
  return [
    {
      slot: "product",
      text: both.map((one) => textOf(words, one)).join(", "),
      readings: both.map(({ reading }) => reading),
    },
  ];
}

/** A name of two countries. */
function sharedName(words: readonly Word[], mention: Mention): Ambiguous[] {
  if (mention.rivals.length === 0) return [];
  const readings = [mention.code, ...mention.rivals].map((code) => ({
    code,
    name: partnerName(code),
    score: 1,
  }));
  return [{ slot: "country", text: textOf(words, mention), readings }];
}

/** "Quicklime and slaked lime" are heading 2522. */
function sharedHeading(
  words: readonly Word[],
  best: ProductFound,
  all: readonly ProductFound[],
): string | undefined {
  const heading = best.reading.code.slice(0, 4);
  const joined = all.filter((one) => one !== best && isJoined(words, best, one));
  const isShared = joined.some(({ reading }) => reading.code !== best.reading.code);
  return isShared && joined.every(({ reading }) => reading.code.startsWith(heading)) ? heading : undefined;
}

const isWithin = (a: string, b: string) => a.startsWith(b) || b.startsWith(a);

function isJoined(words: readonly Word[], a: Range, b: Range): boolean {
  const [first, second] = a.from < b.from ? [a, b] : [b, a];
  const between = words.slice(first.to, second.from).map(({ folded }) => folded);
  return between.length === 1 && /^(and|or|un|vai)$/.test(between[0]!);
}

function productSlots({ chosen }: NamedProducts): Pick<Understood, "product" | "chapter"> {
  if (!chosen) return {};
  const { reading, rivals } = chosen;
  return { product: { ...reading, rivals }, chapter: reading.code.slice(0, 2) };
}

/** The country whose statistics are asked for, its partner, and the direction as that country sees it. */
function sidesOf(countries: readonly Placed[], words: readonly Word[]) {
  const said = flowOf(words);
  const order = (one: Placed) => [
    Number(one.is_member),
    Number(one.is_subject),
    Number(said !== undefined && one.role === (said === "EXPORT" ? "seller" : "buyer")),
  ];
  const ranked = countries.toSorted((a, b) => {
    const [x, y] = [order(a), order(b)];
    return y[0]! - x[0]! || y[1]! - x[1]! || y[2]! - x[2]! || a.from - b.from;
  });
  const [country, partner, ...others] = ranked;
  const role =
    country?.role ??
    (partner?.role === "seller" ? "buyer" : partner?.role === "buyer" ? "seller" : undefined);
  const isBoth = hasBothFlows(words);
  const flow: Flow | undefined = isBoth
    ? undefined
    : role === "seller"
      ? "EXPORT"
      : role === "buyer"
        ? "IMPORT"
        : said;
  const use = (one: Placed | undefined, as: "country" | "partner") =>
    one ? [{ words: textOf(words, one), as }] : [];
  return {
    slots: {
      ...(country && { country: country.code }),
      ...(partner && { partner: partner.code }),
      ...(flow && { flow }),
    },
    others: others.map(({ code }) => code),
    used: [...use(country, "country"), ...use(partner, "partner")],
  };
}

const isImports = ({ folded }: Word) =>
  /^(imports?|imp|imported|importing|importe\w*|ieved\w*)$/.test(folded);
const isExports = ({ folded }: Word) =>
  /^(exports?|exp|exported|exporting|eksport(s|a|u|e\w*)?|izved\w*)$/.test(folded);

/** "Imports and exports" name no direction. */
const hasBothFlows = (words: readonly Word[]) => words.some(isImports) && words.some(isExports);

/** The direction that the words say by themselves. */
function flowOf(words: readonly Word[]): Flow | undefined {
  const isFromAbroad = words.some(
    ({ folded }, at) => /^(abroad|arzemem)$/.test(folded) && /^(from|no)$/.test(words[at - 1]?.folded ?? ""),
  );
  if (isFromAbroad) return "IMPORT";
  const isEarnedAbroad =
    words.some(({ folded }) => /^(abroad|arzemes)$/.test(folded)) &&
    words.some(({ folded }) => /^(earns?|earned|makes?|made|pelna)$/.test(folded));
  if (isEarnedAbroad) return "EXPORT";
  // "Is Greece paying more for its wheat?"
  const isPaid = words.some(
    ({ folded }, at) =>
      /^(pay|pays|paying)$/.test(folded) && words.slice(at + 1, at + 4).some((one) => one.folded === "for"),
  );
  const kinds = new Set(words.map(tradeWord));
  if (isPaid && !kinds.has("sell") && !kinds.has("buyer")) return "IMPORT";
  const sells = kinds.has("sell") || kinds.has("exporter");
  const buys = kinds.has("buy") || kinds.has("importer");
  if (sells !== buys) return sells ? "EXPORT" : "IMPORT";
  if (sells) return undefined;
  if (kinds.has("seller") !== kinds.has("buyer")) return kinds.has("seller") ? "IMPORT" : "EXPORT";
  return undefined;
}

/** The values of an operation's inputs. A range that is open ends at `last_year`; without one it is left out. */
export function slotsOf(read: Omit<Understood, "intent">, last_year?: number): Slots {
  const { product, country, partner, flow, years, year, month, chapter } = read;
  const closed = years === undefined ? undefined : closedRange(years, last_year);
  return {
    ...(country !== undefined && { country }),
    ...(partner !== undefined && { partner }),
    ...(product && { hs: product.code }),
    ...(chapter !== undefined && { chapter }),
    ...(closed !== undefined && { years: closed }),
    ...(year !== undefined && { year }),
    ...(month !== undefined && { month }),
    ...(flow && { flow }),
  };
}

const FIRST_YEAR = 1988;

function closedRange(years: string, last_year: number | undefined): string | undefined {
  if (years.startsWith("-")) return `${FIRST_YEAR}${years}`;
  if (!years.endsWith("-")) return years;
  return last_year === undefined ? undefined : `${years}${Math.max(last_year, Number(years.slice(0, 4)))}`;
}
