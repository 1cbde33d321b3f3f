/** Article 17 of the GDPR: a caller's erased values, with the events that contained them, and what remains and why. */
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { madeId, time } from "../../../core/model/fields.ts";
import { sealedIn } from "../../../core/model/sealed.ts";
import { erasuresOf } from "../../../projections/compliance/erased.ts";
import { erasuresProjection } from "../../../projections/subjects/erasures.ts";
import { agentNamed } from "../../agents/agents.ts";
import type { Caller } from "../../declare/caller.ts";
import { json, operation, owner, subject } from "../../declare/index.ts";

/** Data that remains after an erasure, and why it may remain. */
const REMAINING_DATA = [
  {
    what: "The events with their sealed values, which nobody can decrypt any more",
    why: "A log with valid hashes proves to both sides what was paid and delivered",
    provision: "Article 17(3)(b) and (e)",
  },
  {
    what: "Random ids of subjects and seals, hashes, times, amounts",
    why: "They name nobody without the vault's key, which is destroyed",
    provision: "Recital 26; Article 17(3)(e)",
  },
  {
    what: "Wallet addresses and public keys, which are pseudonyms",
    why: "Payments on a public chain cannot be deleted there, and accounts must be retained",
    provision: "Article 17(3)(b)",
  },
  {
    what: "Backups of the vault's keys, until final_after",
    why: "Backups expire by themselves",
    provision: "Article 17(1), without undue delay",
  },
] as const;

const LIMIT = 1_000;

const gdpr17Operation = operation({
  name: "compliance_gdpr_17",
  route: "GET /soul/compliance/gdpr/17",
  summary: "Your erased subjects: the events, and the remaining data with reasons",
  description: `Your tenant's erasures, and your agent's if you call with its own key; at most ${LIMIT}. Erase by commerce_erase, or ask the operator.`,
  access: [subject("read"), owner("read")],
  lists: erasuresProjection,
  input: z.object({}),
  output: json(
    z.object({
      erasures: z.array(
        z.object({
          subject_id: madeId,
          requested_event: z.string().describe("SubjectErasureRequested"),
          erased_event: z
            .string()
            .nullable()
            .describe(
              "The event SubjectErased; null: the key is destroyed, but completion is not recorded yet",
            ),
          erased_at: time.nullable(),
          sealed_events: z.int().nullable().describe("Events with values that nobody can decrypt any more"),
          final_after: time.nullable().describe("When the last backup of its key expires"),
        }),
      ),
      remains: z.array(z.object({ what: z.string(), why: z.string(), provision: z.string() })),
      verify: z.string(),
      notice: z.string(),
    }),
  ),
  refuses: [404],
  example: {},
  handle: async ({ app, caller }) => {
    const subjects = await subjectsOf(app, caller);
    const rows = await erasuresOf(app.pool, { tenant: caller.tenant, subjects, limit: LIMIT });
    return {
      erasures: rows.map(({ requested_position: _, ...shown }) => shown),
      remains: [...REMAINING_DATA],
      verify: "Streams still verify: POST /soul/{id}/verify-chain, or `tallystick verify` on an export.",
      notice: "Information from a log, not legal advice. Articles 30 and 35 are not covered.",
    };
  },
});

/** The subject ids under which an agent's values are sealed. */
async function subjectsOf(app: App, caller: Caller): Promise<string[]> {
  if (caller.kind !== "subject" && caller.kind !== "delegate") return [];
  const { facts, description } = await agentNamed(app, caller.subject);
  return [
    ...new Set(sealedIn({ facts, description: description ?? null }).map(({ subject_id }) => subject_id)),
  ];
}

export const erasedOperations = [gdpr17Operation];
