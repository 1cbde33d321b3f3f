/** Scores plans for a question: by the stems and phrases of its words, and by what its slots imply. */
import type { Plan, Signal } from "../plans/plan.ts";
import type { SlotName, Slots } from "../plans/slots.ts";
import { isAboutTrade, tradeWord } from "./trade-words.ts";
import { foldedWords, wordOf } from "./words.ts";

/** The fit of a plan to a question: `score` from 0; `missing` are required slots that the question does not fill. */
export type Match<P extends Plan = Plan> = {
  plan: P;
  score: number;
  keywords: string[];
  missing: SlotName[];
};

/** A filled slot counts for a quarter of a keyword that no other plan has. */
const SLOT_WEIGHT = 0.25;
/** A plan that lacks a required slot comes after one that fits as well and lacks none. */
const MISSING_WEIGHT = 0.5;

/** All plans, the one that fits best first; equal ones stay in the order of the list. */
export function matches<P extends Plan>(question: string, slots: Slots, plans: readonly P[]): Match<P>[] {
  const text = ` ${foldedWords(question).join(" ")} `;
  const signals = signalsOf(text, slots);
  const keywordsOf = ({ keywords }: Plan) => [...new Set([...keywords.en, ...keywords.lv])];
  const users = new Map<string, number>();
  for (const plan of plans) for (const stem of keywordsOf(plan)) users.set(stem, (users.get(stem) ?? 0) + 1);
  return plans
    .map((plan) => {
      const keywords = keywordsOf(plan).filter((stem) => text.includes(` ${stem}`));
      const said = keywords.reduce((sum, stem) => sum + 1 / users.get(stem)!, 0);
      const implied = impliedWeight(plan, signals);
      const all = [...plan.slots.required, ...plan.slots.optional];
      const filled = all.filter((slot) => slots[slot] !== undefined).length;
      const missing = plan.slots.required.filter((slot) => slots[slot] === undefined);
      const spoken = (plan.keyword_weight ?? 1) * said + implied;
      const sum = spoken === 0 ? 0 : spoken + SLOT_WEIGHT * filled;
      return { plan, score: missing.length > 0 ? MISSING_WEIGHT * sum : sum, keywords, missing };
    })
    .sort((a, b) => b.score - a.score);
}

/** The most that one of a plan's implications adds. */
function impliedWeight({ implied_by = [] }: Plan, signals: ReadonlySet<Signal>): number {
  const holds = (signal: Signal | `!${Signal}`) =>
    signal.startsWith("!") ? !signals.has(signal.slice(1) as Signal) : signals.has(signal as Signal);
  return Math.max(0, ...implied_by.filter(({ when }) => when.every(holds)).map(({ weight }) => weight));
}

const asksWho =
  / (who|whos|whom|whose|where|which (?:\S+ ){0,3}(?:countr(?:y|ies|ys)|member states?)|which nations?|which markets?|what markets|what countr(?:y|ies)|which foreigners|anybody abroad|anyone abroad|kas|kam|kur|kurp|kurienes|kurieni|kuras valstis|kuram|no kuram|list the countries|no ka|kur(?:s|a) (?!menes|gad|laik|sezon)\S+|kuri|customers|clients|(?:by|per) (?:country|destination|origin|partner|market|supplier|buyer|seller)|pa valstim) /;
const asksWhat =
  / (what (?!price|share)(goods|products|things|does|do|did|kind|has|is|are|ends|keeps|makes|drives|sustains|leaves|comes|goes|gets|xx (?:sells|exports|ships|buys|imports))|which (?:of )?(?:xx )?(exports?|imports?|industr(?:y|ies)|sectors?|goods|products|things|commodities|items)|(?:main|top|biggest|largest|key|chief|leading|best selling|most important|principal|most valuable|fastest growing) (?:xx )?(?:exports?|imports?|goods)|ko|kadas preces|kas par precem) /;
const asksAmount = / (how much|how many|how big|how large|worth|value|volume|tonnes|cik) /;

/** The signals of a question: the slots that it fills, and the kind of answer that it wants. */
function signalsOf(text: string, slots: Slots): ReadonlySet<Signal> {
  const words = foldedWords(text).map(wordOf);
  const kinds = new Set(words.map(tradeWord));
  const signals = new Set<Signal>();
  const add = (signal: Signal, holds: boolean) => holds && signals.add(signal);
  add("country", slots.country !== undefined);
  add("partner", slots.partner !== undefined);
  add("product", slots.hs !== undefined);
  add("flow", slots.flow !== undefined);
  add("trade", words.some(isAboutTrade));
  const isWho = asksWho.test(text);
  add("who", isWho);
  add("what", asksWhat.test(text));
  add("amount", asksAmount.test(text));
  const isAgent = (...of: ("seller" | "exporter" | "buyer" | "importer")[]) =>
    of.some((kind) => kinds.has(kind));
  add("sellers", slots.flow === "IMPORT" && (isWho || isAgent("seller", "exporter")));
  add("buyers", slots.flow === "EXPORT" && (isWho || isAgent("buyer", "importer")));
  return signals;
}
