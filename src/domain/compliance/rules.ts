/** Rules of law as data: what applies from when, by which provision, and where that can be read. An edition is never edited once it is out. */
import { refuse } from "../../core/model/refusal.ts";
import type { RuleDate, Rules } from "./rule.ts";
import { asPublished } from "./rules/eu-ai-act-2024-07-12.ts";
import { asAmended } from "./rules/eu-ai-act-2026-07-24.ts";

/** The oldest first. */
const editions: readonly Rules[] = [asPublished, asAmended];

/** The edition that is in force on a day. */
export function rulesOn(day: string): Rules {
  const found = editions.findLast(({ in_force }) => in_force <= day);
  return (
    found ??
    refuse("invalid", "invalid input: as_of", {
      errors: [
        {
          path: "as_of",
          message: `is ${editions[0]!.in_force} at the earliest, when the Act entered into force`,
        },
      ],
    })
  );
}

/** A row of an edition. Throws where it has none of that name: rows are named by our own code. */
export function dateOf({ id: edition, dates }: Rules, id: string): RuleDate {
  const found = dates.find((row) => row.id === id);
  if (!found) throw new Error(`${edition} has no date ${id}`);
  return found;
}
