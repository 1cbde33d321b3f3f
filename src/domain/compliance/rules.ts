/** The editions of the AI Act's rules. A published edition never changes. */
import { refuseField } from "../../core/model/refusal.ts";
import type { RuleDate, Rules } from "./rule.ts";
import { asPublished } from "./rules/eu-ai-act-2024-07-12.ts";
import { asAmended } from "./rules/eu-ai-act-2026-07-24.ts";

/** The oldest first. */
const editions: readonly Rules[] = [asPublished, asAmended];

/** The edition in force on a day. Refuses a day before the first edition. */
export function rulesOn(day: string): Rules {
  const edition = editions.findLast(({ in_force }) => in_force <= day);
  return (
    edition ??
    refuseField("as_of", `is ${editions[0]!.in_force} at the earliest, when the Act entered into force`)
  );
}

/** A date of an edition. Throws on an unknown id, since only our own code names dates. */
export function dateOf({ id: edition, dates }: Rules, id: string): RuleDate {
  const date = dates.find((row) => row.id === id);
  if (!date) throw new Error(`${edition} has no date ${id}`);
  return date;
}
