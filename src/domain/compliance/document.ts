/** The shape of a compliance document: sections of fields, each a value with the events that show it, or what is missing. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, sha256, time } from "../../core/model/fields.ts";
import { digestOf } from "../../core/model/objects.ts";
import { sxNumber } from "../identity/fields.ts";
import type { Evidence } from "./record.ts";
import { ruleDate, source } from "./rule.ts";

/** As many events are named; of more the newest. */
export const MOST_EVENTS = 20;

const evidence = z.object({
  event_id: z.uuid().describe("`GET /log/proof/{event_id}` opens it, with its proof"),
  position: z.int(),
  type: z.string(),
});

export const field = z
  .object({
    name: z.string(),
    value: z.string().nullable(),
    missing: z.string().nullable().describe("What to supply, where the log has no value"),
    events: z.array(evidence).max(MOST_EVENTS).describe("That show the value"),
    more_events: z.int(),
    given: z.boolean().describe("true: said by the caller for this document, and shown by no event"),
    sealed: z.boolean().describe("true: opened from what the event has sealed; it can be erased"),
  })
  .meta({ id: "ComplianceField" });
export type Field = z.infer<typeof field>;

export const standings = ["met", "partly", "open", "not_applicable"] as const;
export type Standing = (typeof standings)[number];

export const section = z
  .object({
    id: z.string(),
    title: z.string(),
    provision: z.string(),
    standing: z.enum(standings).nullable().describe("Of what this log shows; null where nothing is judged"),
    text: z.string(),
    fields: z.array(field),
  })
  .meta({ id: "ComplianceSection" });
export type Section = z.infer<typeof section>;

export const kinds = ["self-assessment", "annex-iv", "annex-v", "full-report"] as const;
export type Kind = (typeof kinds)[number];

export const complianceDocument = z
  .object({
    kind: z.enum(kinds),
    title: z.string(),
    agent_id: z.string(),
    sx_id: z.string(),
    rules: z.string(),
    rules_sha256: sha256,
    as_of_position: z.int(),
    as_of: z.iso.date(),
    sections: z.array(section),
    dates: z.array(ruleDate),
    sources: z.array(source),
    notice: z.string(),
    document_id: madeId,
    sha256: sha256.describe(
      "Of the RFC 8785 form of all but document_id and this, what is sealed or given left out; the log has it",
    ),
  })
  .meta({ id: "ComplianceDocument" });
export type ComplianceDocument = z.infer<typeof complianceDocument>;

export const NOTICE = "Information from a log, not legal advice, and no conformity assessment.";

export const known = (
  name: string,
  value: string,
  events: readonly Evidence[],
  more: Partial<Field> = {},
): Field => {
  const newest = [...events].sort((a, b) => b.position - a.position).slice(0, MOST_EVENTS);
  return {
    ...{ name, value, missing: null, given: false, sealed: false },
    events: newest.map(({ event_id, position, type }) => ({ event_id, position, type })),
    more_events: events.length - newest.length,
    ...more,
  };
};

export const absent = (name: string, missing: string): Field => ({
  ...{ name, value: null, missing, events: [], more_events: 0, given: false, sealed: false },
});

export const given = (name: string, value: string): Field => ({
  ...absent(name, ""),
  value,
  missing: null,
  given: true,
});

/** The document with its name and digest. What people can be erased from is in neither, so that neither gives it away. */
export function named(
  document: Omit<ComplianceDocument, "document_id" | "sha256">,
  canonical: (value: object) => string,
): ComplianceDocument {
  const bare = {
    ...document,
    sections: document.sections.map((one) => ({
      ...one,
      fields: one.fields.map((field) =>
        field.sealed || field.given ? { ...field, value: null, missing: null } : field,
      ),
    })),
  };
  const digest = digestOf(canonical(bare));
  return { ...document, document_id: digest.slice(0, 32), sha256: digest };
}

export const events = {
  DocumentIssued: {
    means: "A compliance document was made from the log, and is fixed by its digest.",
    1: z.strictObject({
      document_id: madeId,
      kind: z.enum(kinds),
      sx_number: sxNumber,
      rules_sha256: sha256,
      as_of_position: z.int().positive(),
      sha256: sha256.describe("Of the document without what is sealed or given."),
      issued_at: time,
    }),
  },
};

export type DocumentFacts = DataOf<typeof events, "DocumentIssued">;
export type DocumentEvent = EventOf<typeof events>;
export type DocumentState = DocumentFacts | undefined;

export const prefix = "document-";
export const streamOf = (document_id: string) => prefix + document_id;
export const initialState = (): DocumentState => undefined;
export const evolve = (_: DocumentState, { data }: DocumentEvent): DocumentState => data;

/** Asked for again at the same position it is the same one, and nothing is recorded. */
export const issue =
  (facts: DocumentFacts) =>
  (state: DocumentState): DocumentEvent[] =>
    state ? [] : [{ type: "DocumentIssued", data: facts }];
