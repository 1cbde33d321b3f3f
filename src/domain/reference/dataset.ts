/** A table of reference data (rates, wages, nomenclatures): the history of its releases, each named by its digest. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { sha256, time } from "../../core/model/fields.ts";
import { isNews } from "./release.ts";

const count = z.int().min(0);

/** The facts of a release. `vintage` is the SHA-256 of the table's text; docs/datasets.md specifies its layout. */
export const released = z.strictObject({
  dataset: z.string(),
  source: z.string(),
  synthetic: z.boolean(),
  vintage: sha256,
  rows: count,
  as_of: z
    .string()
    .nullable()
    .describe("The last day, month or year in the table; null for a table without time."),
  inputs: z
    .array(z.strictObject({ name: z.string(), sha256, bytes: count, rows: count }))
    .max(2_000)
    .describe("The files that were read for it, by digest; empty for a synthetic table."),
  replaces: sha256.nullable(),
  released_at: time,
});

export const events = {
  ReferenceReleased: {
    means: "Answers use a new release of a table of reference data, such as rates or wages.",
    1: released,
    public: true,
  },
};

export type ReferenceFacts = DataOf<typeof events, "ReferenceReleased">;
export type ReferenceEvent = EventOf<typeof events>;

/** The current release. */
export type ReferenceState = ReferenceFacts | undefined;

export const prefix = "reference-";

export const streamOf = (dataset: string) => prefix + dataset;

export const initialState = (): ReferenceState => undefined;

export const evolve = (_: ReferenceState, { data }: ReferenceEvent): ReferenceState => data;

/** Releases a vintage of the table. */
export const release =
  (facts: ReferenceFacts) =>
  (current: ReferenceState): ReferenceEvent[] =>
    isNews(facts, current?.vintage ?? null) ? [{ type: "ReferenceReleased", data: facts }] : [];
