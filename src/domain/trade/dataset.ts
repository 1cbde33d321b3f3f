/** A dataset of trade figures is the history of its releases, each an immutable vintage named by its digest. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { sha256, time } from "../../core/model/fields.ts";
import { isNews } from "../reference/release.ts";

const period = z.int().min(198801).max(209912);
const count = z.int().min(0);

/** Sums over a vintage, to compare with the source's own: EUR and kg per direction. */
export const controlTotals = z.strictObject({
  import_eur: count,
  export_eur: count,
  import_kg: z.number().min(0),
  export_kg: z.number().min(0),
});

/** `vintage` is the digest of dataset, source and the content digest of each year. */
export const released = z.strictObject({
  dataset: z.string(),
  source: z.string(),
  synthetic: z.boolean(),
  vintage: sha256,
  periods: z.strictObject({ from: period, to: period }),
  rows: count,
  control_totals: controlTotals,
  partitions: z
    .array(z.strictObject({ year: z.int(), content_sha256: sha256, rows: count }))
    .min(1)
    .max(200),
  inputs: z
    .array(z.strictObject({ name: z.string(), sha256, bytes: count, rows: count }))
    .max(10_000)
    .describe("The source files by digest; empty for a generated dataset."),
  replaces: sha256.nullable().describe("The vintage it was built upon."),
  released_at: time,
});

export const events = {
  DatasetReleased: {
    means: "A vintage became current: answers use it.",
    1: released,
    public: true,
  },
};

export type ReleaseFacts = DataOf<typeof events, "DatasetReleased">;
export type DatasetEvent = EventOf<typeof events>;

export type DatasetState = ReleaseFacts | undefined;

export const prefix = "dataset-";

export const streamOf = (dataset: string) => prefix + dataset;

export const initialState = (): DatasetState => undefined;

export const evolve = (_: DatasetState, { data }: DatasetEvent): DatasetState => data;

export const release =
  (facts: ReleaseFacts) =>
  (current: DatasetState): DatasetEvent[] =>
    isNews(facts, current?.vintage ?? null) ? [{ type: "DatasetReleased", data: facts }] : [];
