/** Chooses the intent that answers a question, with its slots; without a fit it refuses and names the nearest three. */
import { refuseWith } from "../../core/model/refusal.ts";
import type { Plan } from "../plans/plan.ts";
import type { SlotName, Slots } from "../plans/slots.ts";
import { type Match, matches } from "../questions/match.ts";
import { type Nomenclature, readQuestion, slotsOf, type Understood } from "../questions/read.ts";
import { refuseOtherFlow, refuseTwoPlans, refuseUnclear } from "../questions/unclear.ts";

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
  const { plan, missing } =
    (intent === undefined
      ? found.find(({ score }) => score > 0)
      : found.find((match) => match.plan.name === intent)) ?? refuseWithNearest(found, field);
  if (understood)
    refuseUnclear(
      understood,
      { product: given.hs === undefined, country: given.country === undefined },
      "question",
    );
  if (intent === undefined) refuseTwoPlans(found, field);
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

function refuseWithNearest(found: readonly Match[], field: string): never {
  const nearest = found.slice(0, MOST_NEAREST).map(({ plan }) => `${plan.name} (“${plan.example}”)`);
  return refuseWith(field, `no intent fits; the nearest are ${nearest.join(", ")}; fusion/intents lists all`);
}

/** The chapter follows from the product, and the year from the years. */
function unusedSlots({ slots: { required, optional }, flow }: Plan, slots: Slots): SlotName[] {
  const takes = (name: SlotName) => required.includes(name) || optional.includes(name);
  return (Object.keys(slots) as SlotName[]).filter((name) => {
    if (name === "flow" && slots.flow === flow) return false;
    if (slots[name] === undefined || takes(name)) return false;
    if (name === "chapter") return false;
    return !(name === "year" && takes("years")) && !(name === "years" && takes("year"));
  });
}
