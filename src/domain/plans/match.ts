/** Selects the plan that answers a question, by the stems of its words and the slots that it fills. */
import { foldedWords } from "../customs/search.ts";
import type { Plan } from "./plan.ts";
import type { SlotName, Slots } from "./slots.ts";

/** A plan's match with a question: `score` from 0; `missing` are required slots that the question does not fill. */
export type Match<P extends Plan = Plan> = {
  plan: P;
  score: number;
  keywords: string[];
  missing: SlotName[];
};

/** A keyword's weight falls with the number of plans that have it; a filled slot weighs a quarter of a rare keyword. */
const SLOT_WEIGHT = 0.25;

/** All plans, the one that fits best first; equal ones stay in the order of the list. */
export function matches<P extends Plan>(question: string, slots: Slots, plans: readonly P[]): Match<P>[] {
  const words = foldedWords(question);
  const isSaid = (stem: string) => words.some((word) => word.startsWith(stem));
  const keywordsOf = ({ keywords }: Plan) => [...new Set([...keywords.en, ...keywords.lv])];
  const weightOf = (stem: string) => 1 / plans.filter((plan) => keywordsOf(plan).includes(stem)).length;
  return plans
    .map((plan) => {
      const keywords = keywordsOf(plan).filter(isSaid);
      const filled = [...plan.slots.required, ...plan.slots.optional].filter(
        (slot) => slots[slot] !== undefined,
      );
      const said = keywords.reduce((sum, stem) => sum + weightOf(stem), 0);
      const score = said === 0 ? 0 : said + SLOT_WEIGHT * filled.length;
      return {
        plan,
        score,
        keywords,
        missing: plan.slots.required.filter((slot) => slots[slot] === undefined),
      };
    })
    .sort((a, b) => b.score - a.score);
}
