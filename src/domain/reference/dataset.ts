/** A table of reference data (rates, wages, nomenclatures): the history of its releases, each named by its digest. */

import type { Event } from "@event-driven-io/emmett";
import { z } from "zod";
import { sha256, time } from "../fields.ts";
import { isNews } from "../release.ts";

const count = z.int().min(0);

/** What a release says of itself. `vintage` is the SHA-256 of the table's text, as docs/datasets.md lays it out. */
export const released = z.strictObject({
  dataset: z.string(),
  source: z.string(),
  synthetic: z.boolean(),
  vintage: sha256,
  rows: count,
  /** The last day, month or year that the table tells of; null where it is about no time. */
  as_of: z.string().nullable(),
  /** The files that were read for it, by digest; empty for an invented table. */
  inputs: z.array(z.strictObject({ name: z.string(), sha256, bytes: count, rows: count })).max(2_000),
  replaces: sha256.nullable(),
  released_at: time,
});

export const events = { ReferenceReleased: { 1: released, public: true } };

export type ReferenceFacts = z.infer<typeof released>;
export type ReferenceEvent = Event<"ReferenceReleased", ReferenceFacts>;

export type ReferenceState = { status: "unreleased" } | { status: "released"; current: ReferenceFacts };

/** What its streams are named by, before the id. */
export const prefix = "reference-";

export const streamOf = (dataset: string) => prefix + dataset;

export const initialState = (): ReferenceState => ({ status: "unreleased" });

export const evolve = (_state: ReferenceState, event: ReferenceEvent): ReferenceState => ({
  status: "released",
  current: event.data,
});

/** Releases a vintage of the table. */
export const release =
  (facts: ReferenceFacts) =>
  (state: ReferenceState): ReferenceEvent[] =>
    isNews(facts, state.status === "released" ? state.current.vintage : null)
      ? [{ type: "ReferenceReleased", data: facts }]
      : [];
