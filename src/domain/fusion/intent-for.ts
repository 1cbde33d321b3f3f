/** Chooses the intent that answers a question, with its slots; without a fit it refuses and names the nearest three. */
import { refuseWith } from "../../core/model/refusal.ts";
import type { Plan } from "../plans/plan.ts";
import type { SlotName, Slots } from "../plans/slots.ts";
import { type Match, matches } from "../questions/match.ts";
import { refuseOtherSubject } from "../questions/other-subjects.ts";
import { type Nomenclature, readQuestion, slotsOf, type Understood } from "../questions/read.ts";
import { isAboutTrade } from "../questions/trade-words.ts";
import {
  refuseOtherFlow,
  refuseTwoPlans,
  refuseTwoSides,
  refuseUnclear,
  refuseUnread,
} from "../questions/unclear.ts";
import { isReporter, partnerName } from "../trade/reporters.ts";

export type IntentQuery = {
  question?: string | undefined;
  /** The intent by its name; then the question only fills slots. */
  intent?: string | undefined;
  /** Slots that the caller named; they replace those that are read. */
  slots: Slots;
  /** The input field of a slot, where it has another name. */
  fields?: { readonly [name in SlotName]?: string };
};

export type ChosenIntent = {
  plan: Plan;
  slots: Slots;
  /** The question as it was read; without one, nothing. */
  understood: Understood | undefined;
  /** Slots that were read or named, and that the plan does not take. */
  unused: SlotName[];
};

const MOST_NEAREST = 3;

/** `last_year`: where the data end, for questions such as "since 2019". */
export function intentFor(
  { question, intent, slots: given, fields = {} }: IntentQuery,
  plans: readonly Plan[],
  nomenclature: Nomenclature,
  last_year?: number,
): ChosenIntent {
  const field = intent === undefined ? "question" : "intent";
  const understood = question === undefined ? undefined : readQuestion(question, { nomenclature });
  const read = understood ? slotsOf(understood, last_year) : {};
  const named = given.year !== undefined && given.years === undefined ? { years: String(given.year) } : {};
  const slots: Slots = { ...read, ...named, ...given };
  const found = matches(understood?.text ?? "", slots, plans);
  if (understood && intent === undefined) refuseOtherSubject(understood.text, "question");
  const { plan, missing } =
    (intent === undefined ? bestOf(found, slots) : found.find((match) => match.plan.name === intent)) ??
    refuseWithNearest(found, field);
  if (understood) {
    const read = { product: given.hs === undefined, country: given.country === undefined };
    refuseUnclear(understood, read, "question");
    if (intent === undefined && read.product) refuseLeftOver(understood, plans);
    if (given.flow === undefined) refuseTwoSides(understood, "question");
  }
  if (intent === undefined) refuseTwoPlans(found, field);
  refuseStrangers(slots, field);
  if (intent === undefined) {
    refuseUnusedCountry(plan, slots, field);
    refuseUnusedWords(plan, read, given, field);
  }
  if (understood && given.flow === undefined) refuseOtherFlow(plan, understood, "question");
  if (missing.length > 0)
    refuseWith(
      field,
      `${plan.name} needs ${missing.join(" and ")}, as in “${plan.example}”; name it in the question or as ${missing.map((slot) => fields[slot] ?? slot).join(" and ")}`,
    );
  const flow = slots.flow ?? plan.flow;
  return {
    plan,
    slots,
    understood: understood && { ...understood, ...(flow && { flow }) },
    unused: unusedSlots(plan, slots),
  };
}

const takes = ({ slots: { required, optional } }: Plan, name: SlotName) =>
  required.includes(name) || optional.includes(name);

/** Intents about one country, which a second country changes into the trade between the two. */
const ofOneCountry = new Set([
  "market",
  "sellers",
  "buyers",
  "product",
  "products",
  "partners",
  "trade_by_year",
  "unusual",
]);

/** The plan that fits best; with a partner, the best one about two countries instead of one about all partners. */
function bestOf(found: readonly Match[], slots: Slots): Match | undefined {
  const best = saidBest(found);
  if (!best || slots.partner === undefined || !ofOneCountry.has(best.plan.name)) return best;
  return (
    found.find(({ plan, missing }) => takes(plan, "partner") && missing.length === 0 && plan.name === PAIR) ??
    best
  );
}

/** "Imports and season of Latvia" asks for the season: an intent whose words are said outdoes one that only the slots imply. */
function saidBest(found: readonly Match[]): Match | undefined {
  const best = found.find(({ score }) => score > 0);
  if (!best || best.keywords.length > 0 || best.missing.length > 0) return best;
  return (
    found.find(({ score, keywords }) => score > 0 && keywords.some((stem) => ofOneAnswer.test(stem))) ?? best
  );
}

/** Words that one intent alone answers. */
const ofOneAnswer = /^(season|sezon|which month|kura menesi|peak|price|cena|cenu|per tonne)/;

/** The intent about two countries. */
const PAIR = "corridor";

/** Words that ask about trade without naming it. */
const asks =
  /(^| )(who|whos|whom|whose|where|which countr\w+|what countr\w+|how much|how many|how big|how large|price|prices|market|depend\w*|rely|relies|without|value|worth|wages?|duty|kas|kam|kur|kurp|cik|cena|cenas)( |$)/;

/** Refuses words that are left over; a product with a word of trade is clear in spite of a few. */
function refuseLeftOver(understood: Understood, plans: readonly Plan[]): void {
  const words = understood.text.split(" ");
  const is_clear =
    understood.product !== undefined &&
    (understood.country !== undefined || understood.unread.unknown.length === 0) &&
    (understood.partner !== undefined ||
      words.some((folded) => isAboutTrade({ folded })) ||
      asks.test(understood.text));
  const keywords = plans.flatMap(({ keywords }) => [...keywords.en, ...keywords.lv]);
  refuseUnread(understood, { keywords, is_clear }, "question");
}

/** The statistics are of the 27: of two other countries they know nothing. */
function refuseStrangers({ country, partner }: Slots, field: string): void {
  if (country === undefined || partner === undefined) return;
  if (isReporter(String(country)) || isReporter(String(partner))) return;
  const [a, b] = [country, partner].map((code) => partnerName(String(code)));
  refuseWith(
    field,
    `the statistics are those of the 27 EU countries, and neither ${a} nor ${b} is one: name one of the 27`,
  );
}

/** Intents whose answer holds for a country only by its currency or its sources. */
const withoutPartner = new Set(["dependency"]);

/** A country that the plan leaves out is not part of the answer. */
function refuseUnusedCountry(plan: Plan, { country, partner }: Slots, field: string): void {
  const left =
    country !== undefined && !takes(plan, "country")
      ? country
      : partner !== undefined && !takes(plan, "partner") && !withoutPartner.has(plan.name)
        ? partner
        : undefined;
  if (left === undefined) return;
  refuseWith(
    field,
    `${plan.name} (“${plan.example}”) says nothing about ${partnerName(String(left))}: leave the country out, or choose another intent`,
  );
}

/** Intents that are about goods of their own: oil is a part of the economy's prices. */
const withOwnGoods = new Set(["economy"]);

/** A product, month or years of the words that the plan leaves out are no part of the answer. */
function refuseUnusedWords(plan: Plan, read: Slots, given: Slots, field: string): void {
  const isLeftOut = (name: SlotName) => read[name] !== undefined && given[name] === undefined;
  const leave = (what: string, remedy: string) =>
    refuseWith(
      field,
      `${plan.name} (“${plan.example}”) says nothing about ${what}: ${remedy}, or choose another intent`,
    );
  const takesProduct = takes(plan, "hs") || takes(plan, "chapter");
  if (isLeftOut("hs") && !takesProduct && !withOwnGoods.has(plan.name))
    leave(`the product HS ${read.hs}`, "leave the product out");
  if (isLeftOut("month") && !takes(plan, "month"))
    leave(
      `the month ${read.month}`,
      takes(plan, "years") || takes(plan, "year") ? "ask about the whole year" : "leave the month out",
    );
  const takesYears = takes(plan, "years") || (takes(plan, "year") && read.year !== undefined);
  const isDated = isLeftOut("years") && given.year === undefined;
  if (isDated && !takesYears)
    leave(`the years ${read.years}`, takes(plan, "year") ? "ask about one year" : "leave the years out");
}

function refuseWithNearest(found: readonly Match[], field: string): never {
  const nearest = found.slice(0, MOST_NEAREST).map(({ plan }) => `${plan.name} (“${plan.example}”)`);
  return refuseWith(field, `no intent fits; the nearest are ${nearest.join(", ")}; fusion/intents lists all`);
}

/** The chapter follows from the product, and the year from the years. */
function unusedSlots(plan: Plan, slots: Slots): SlotName[] {
  return (Object.keys(slots) as SlotName[]).filter((name) => {
    if (name === "flow" && slots.flow === plan.flow) return false;
    if (slots[name] === undefined || takes(plan, name)) return false;
    if (name === "chapter") return false;
    return !(name === "year" && takes(plan, "years")) && !(name === "years" && takes(plan, "year"));
  });
}
