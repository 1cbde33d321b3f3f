/** The intent of a question: the plan whose words and slots fit it best, and its near rivals. */

import type { Plan } from "../plans/plan.ts";
import type { Slots } from "../plans/slots.ts";
import { matches } from "./match.ts";

export type IntentReading = { name: string; score: number; rivals: { name: string; score: number }[] };

const MOST_RIVALS = 3;
/** Rivals score at least this share of the best. */
const NEAR = 0.6;

export function intentOf(text: string, slots: Slots, plans: readonly Plan[]): IntentReading | undefined {
  const found = matches(text, slots, plans).map(({ plan, score }) => ({ name: plan.name, score }));
  const [best, ...others] = found;
  if (!best || best.score === 0) return undefined;
  const rivals = others.filter(({ score }) => score > 0 && score >= NEAR * best.score).slice(0, MOST_RIVALS);
  return { ...best, rivals };
}
