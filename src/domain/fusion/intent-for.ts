/** Selects the intent and slots of a question; a question without a match is refused with the nearest three. */

import { refuse } from "../../core/model/refusal.ts";
import type { Searchable } from "../customs/search.ts";
import { matches } from "../plans/match.ts";
import type { Plan } from "../plans/plan.ts";
import { type Slots, slotsIn } from "../plans/slots.ts";

export type IntentQuery = {
  question?: string | undefined;
  /** The intent by name; the question then only fills slots. */
  intent?: string | undefined;
  /** The caller's own slots, which override those read from the question. */
  slots: Slots;
};

const MOST_NEAREST = 3;

/** `field` names the faulty input: the question, or the intent that lacks a slot. */
export function intentFor(
  { question, intent, slots: given }: IntentQuery,
  plans: readonly Plan[],
  products: readonly Searchable[],
): { plan: Plan; slots: Slots } {
  const read = question === undefined ? {} : slotsIn(question, products, stemsOf(plans));
  const named = given.year !== undefined && given.years === undefined ? { years: String(given.year) } : {};
  const slots: Slots = { ...read, ...named, ...given };
  const found = matches(question ?? "", slots, plans);
  const field = intent === undefined ? "question" : "intent";
  const best =
    intent === undefined
      ? found.find(({ score }) => score > 0)
      : found.find(({ plan }) => plan.name === intent);
  const no = (message: string): never => refuse("invalid", message, { errors: [{ path: field, message }] });
  if (!best) {
    const nearest = found.slice(0, MOST_NEAREST).map(({ plan }) => `${plan.name} (“${plan.example}”)`);
    return no(`no intent fits; the nearest are ${nearest.join(", ")}; fusion/intents lists all`);
  }
  const { plan, missing } = best;
  if (missing.length > 0)
    return no(
      `${plan.name} needs ${missing.join(" and ")}, as in “${plan.example}”; name it in the question or as a field`,
    );
  return { plan, slots };
}

/** The stems of words that state a question. */
export const stemsOf = (plans: readonly Plan[]) =>
  plans.flatMap(({ keywords }) => [...keywords.en, ...keywords.lv]);
