/** The shape of dated rules: sources, dates with their provisions, and editions. */
import { z } from "zod";

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

const statuses = ["in_force", "superseded", "pending"] as const;

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
