/** Dated rules: sources, dates with their provisions, and editions. */
import { z } from "zod";

/** `read`: the text itself was read; `reported`: only reports of it were. */
const certainties = ["read", "reported"] as const;

export const source = z
  .object({
    id: z.string(),
    title: z.string(),
    url: z.url(),
    certainty: z
      .enum(certainties)
      .describe("reported: taken from reports of the text; read the text before you rely on it"),
    note: z.string().nullable(),
  })
  .meta({ id: "RuleSource" });
export type Source = z.infer<typeof source>;

const statuses = ["in_force", "superseded", "pending"] as const;

/** A date from which something applies. */
export const ruleDate = z
  .object({
    id: z.string(),
    applies_from: z.iso.date().nullable().describe("null: pending, no date exists"),
    what: z.string(),
    provision: z.string(),
    status: z.enum(statuses).describe("superseded: `superseded_by` names the date that replaced it"),
    superseded_by: z.string().nullable(),
    source: z.string().describe("Id of its source"),
  })
  .meta({ id: "RuleDate" });
export type RuleDate = z.infer<typeof ruleDate>;

export type Rules = {
  id: string;
  title: string;
  /** The first day on which this edition is in force. */
  in_force: string;
  sources: readonly Source[];
  dates: readonly RuleDate[];
  /** The points of Article 5(1) in this edition. */
  art_5: readonly string[];
};
