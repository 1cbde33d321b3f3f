/** Refuses a question that names something unknown, or that may mean two things. */
import { refuse, refuseWith } from "../../core/model/refusal.ts";
import type { Plan } from "../plans/plan.ts";
import { isReporter, partnerName } from "../trade/reporters.ts";
import type { Match } from "./match.ts";
import { questionProblems } from "./problems.ts";
import type { Ambiguous, Understood } from "./read.ts";

/** The slots that are taken from the words; others are given as fields, or are not used. */
export type SlotsRead = { product: boolean; country: boolean };

export function refuseUnclear({ not_found, ambiguous }: Understood, read: SlotsRead, field: string): void {
  if (not_found.length > 0 && (read.product || read.country))
    refuseWith(
      field,
      `unknown: ${not_found.map((name) => `“${name}”`).join(", ")}; name a country or product of the statistics`,
    );
  const open = ambiguous.find(({ slot }) => read[slot]);
  if (open) refuseAmbiguous(field, sentenceOf(open));
}

const remedies = {
  product: "write the code of one of them, such as HS",
  country: "ask about one of them, by its full name",
} as const;

const sentenceOf = ({ slot, text, readings, are_all_named }: Ambiguous): string => {
  if (are_all_named) {
    const [first, ...others] = readings.map(({ name }) => name);
    return `several countries: ${[first, ...others].join(", ")}; an answer is about one: ask about ${first} first, then about ${others.join(" and ")}`;
  }
  const names = readings.map(({ code, name }) => `${code} (${name})`).join(" or ");
  const example = slot === "product" ? ` ${readings[0]!.code}` : "";
  return `ambiguous: “${text}” may be ${names}; ${remedies[slot]}${example}`;
};

/** More words than this besides a clear question say something that it did not read. */
const MOST_BESIDE = 2;

export type UnreadScope = {
  /** Stems that are words of a plan. */
  keywords: readonly string[];
  /** The words name a product, and trade in it. */
  is_clear: boolean;
};

/** Refuses a question whose words are left over, unless it is clear without them. */
export function refuseUnread(
  { unread: { unknown, words } }: Understood,
  { keywords, is_clear }: UnreadScope,
  field: string,
): void {
  const starts = keywords.flatMap((stem) => stem.trim().split(" ")).filter((part) => part.length > 2);
  const left = [...unknown, ...words].filter((word) => !starts.some((start) => word.startsWith(start)));
  if (left.length === 0 || (is_clear && left.length <= MOST_BESIDE)) return;
  const named = left.map((word) => `“${word}”`).join(", ");
  refuseWith(field, `not understood: ${named}; leave it out, or name a product by its HS code and a country`);
}

/** Refuses two countries that both sell, or both buy. */
export function refuseTwoSides({ contradiction }: Understood, field: string): void {
  if (contradiction !== undefined)
    refuseAmbiguous(
      field,
      `ambiguous: both ${contradiction.countries.join(" and ")} ${contradiction.role === "seller" ? "sell" : "buy"} in these words; say “from” the one “to” the other`,
    );
}

/** Plans that score at least this share of the best are likely meanings, too. */
const NEAR = 0.99;

/** Refuses words that fit two plans nearly equally; `found` has the best first. */
export function refuseTwoPlans(found: readonly Match<Plan>[], field: string): void {
  const [best, second] = found;
  if (!best || !second || best.score === 0 || second.score < NEAR * best.score) return;
  const each = [best, second].map(({ plan }) => `${plan.name} (“${plan.example}”)`);
  refuseAmbiguous(field, `ambiguous: this may ask for ${each.join(" or ")}; use the words of one of them`);
}

const flowNames = { IMPORT: "imports", EXPORT: "exports" } as const;

/** Refuses words of one direction of trade where the plan answers the other. */
export function refuseOtherFlow(plan: Plan, { flow, country }: Understood, field: string): void {
  if (plan.flow === undefined || flow === undefined || flow === plan.flow) return;
  // Its exports are the imports of a member, which the words do not name.
  if (country !== undefined && !isReporter(country))
    refuseAmbiguous(
      field,
      `ambiguous: ${plan.name} shows the ${flowNames[plan.flow]} of an EU country, and the words name only ${partnerName(country)}; name one, as in “${plan.example}”`,
    );
  refuseAmbiguous(
    field,
    `ambiguous: the words speak of ${flowNames[flow]}, and ${plan.name} (“${plan.example}”) shows ${flowNames[plan.flow]}; ask about one of them`,
  );
}

function refuseAmbiguous(field: string, message: string): never {
  return refuse(questionProblems.ambiguous, message, { errors: [{ path: field, message }] });
}
