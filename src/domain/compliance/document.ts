/** A compliance document: sections of fields, each with a value and the events that show it, or with what is missing. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, sha256, time } from "../../core/model/fields.ts";
import { digestOf } from "../../core/model/objects.ts";
import { sxNumber } from "../identity/fields.ts";
import type { Evidence } from "./record.ts";
import { ruleDate, source } from "./rule.ts";

/** A field names at most so many events, the newest ones. */
export const MOST_EVENTS = 20;

const evidence = z.object({
  event_id: z.uuid().describe("`GET /log/proof/{event_id}` opens the event with its proof"),
  position: z.int(),
  type: z.string(),
});

export const field = z
  .object({
    name: z.string(),
    value: z.string().nullable(),
    missing: z.string().nullable().describe("The value to supply; null: the log has the value"),
    events: z.array(evidence).max(MOST_EVENTS).describe("The events that show the value"),
    more_events: z.int(),
    given: z.boolean().describe("true: supplied by the caller for this document, not shown by an event"),
    sealed: z.boolean().describe("true: decrypted from a sealed field of the event, which can be erased"),
  })
  .meta({ id: "ComplianceField" });
export type Field = z.infer<typeof field>;

export const dutyStatuses = ["met", "partly", "open", "not_applicable"] as const;
export type DutyStatus = (typeof dutyStatuses)[number];

export const section = z
  .object({
    id: z.string(),
    title: z.string(),
    provision: z.string(),
    standing: z
      .enum(dutyStatuses)
      .nullable()
      .describe("The log's evidence of the duty; null: the section has no duty"),
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
    as_of: z.iso.date().describe("The day whose rules it applies"),
    sections: z.array(section),
    dates: z.array(ruleDate),
    sources: z.array(source),
    notice: z.string(),
    document_id: madeId,
    sha256: sha256.describe(
      "SHA-256 of the RFC 8785 form without document_id, sha256, and sealed or given values; the log has it",
    ),
  })
  .meta({ id: "ComplianceDocument" });
export type ComplianceDocument = z.infer<typeof complianceDocument>;

export const NOTICE = "Information from a log, not legal advice, and no conformity assessment.";

export const shownField = (
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

export const missingField = (name: string, missing: string): Field => ({
  ...{ name, value: null, missing, events: [], more_events: 0, given: false, sealed: false },
});

export const callerField = (name: string, value: string): Field => ({
  ...missingField(name, ""),
  value,
  missing: null,
  given: true,
});

/** Adds the id and the digest. Both exclude sealed and given values, so that they reveal none after an erasure. */
export function withDigest(
  document: Omit<ComplianceDocument, "document_id" | "sha256">,
  canonical: (value: object) => string,
): ComplianceDocument {
  const digested = {
    ...document,
    sections: document.sections.map((one) => ({
      ...one,
      fields: one.fields.map((field) =>
        field.sealed || field.given ? { ...field, value: null, missing: null } : field,
      ),
    })),
  };
  const digest = digestOf(canonical(digested));
  return { ...document, document_id: digest.slice(0, 32), sha256: digest };
}

export const events = {
  DocumentIssued: {
    means: "A compliance document was issued from the log, identified by its digest.",
    1: z.strictObject({
      document_id: madeId,
      kind: z.enum(kinds),
      sx_number: sxNumber,
      rules_sha256: sha256,
      as_of_position: z.int().positive(),
      sha256: sha256.describe("SHA-256 of the document without sealed values and those of callers."),
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

/** A repeated request for the same position has the same id and records nothing. */
export const issue =
  (facts: DocumentFacts) =>
  (state: DocumentState): DocumentEvent[] =>
    state ? [] : [{ type: "DocumentIssued", data: facts }];
