/** Rules of law as data: what applies from when, by which provision, and where that can be read. An edition is never edited once it is out. */
import { z } from "zod";
import { refuse } from "../refusal.ts";
import { asPublished } from "./rules/eu-ai-act-2024-07-12.ts";
import { asAmended } from "./rules/eu-ai-act-2026-07-24.ts";

/** What is known of a text: `read`: it was; `reported`: others tell of it, and it was not at hand. */
const certainties = ["read", "reported"] as const;

export const source = z
  .object({
    id: z.string(),
    title: z.string(),
    url: z.url(),
    certainty: z
      .enum(certainties)
      .describe("reported: taken from what others tell of the text; read it before you rely on it"),
    note: z.string().nullable(),
  })
  .meta({ id: "RuleSource" });
export type Source = z.infer<typeof source>;

export const statuses = ["in_force", "superseded", "pending"] as const;

/** A date by which something applies. */
export const ruleDate = z
  .object({
    id: z.string(),
    applies_from: z.iso.date().nullable().describe("null: pending, nobody can say"),
    what: z.string(),
    provision: z.string(),
    status: z
      .enum(statuses)
      .describe("superseded: it was the date once, and `superseded_by` is the one that counts"),
    superseded_by: z.string().nullable(),
    source: z.string().describe("Id of its source"),
  })
  .meta({ id: "RuleDate" });
export type RuleDate = z.infer<typeof ruleDate>;

export type Rules = {
  id: string;
  title: string;
  /** The days from which this edition answers for a day. */
  in_force: string;
  sources: readonly Source[];
  dates: readonly RuleDate[];
  /** Points of Article 5(1) that it has. */
  art_5: readonly string[];
};

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
