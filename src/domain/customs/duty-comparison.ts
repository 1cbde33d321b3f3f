/** The releases of a duties table that were compared with their predecessors. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { sha256, time } from "../../core/model/fields.ts";

export const events = {
  DutiesCompared: {
    means: "A release of the duties was compared with the one that it replaced.",
    1: z.strictObject({
      dataset: z.string(),
      vintage: sha256,
      release_position: z.int().positive().describe("The release's log position."),
      codes: z
        .int()
        .nonnegative()
        .nullable()
        .describe("Goods codes whose duties changed; null: the release before was no longer stored."),
      compared_at: time,
    }),
    public: true,
  },
};

export type Comparison = DataOf<typeof events, "DutiesCompared">;
export type ComparisonEvent = EventOf<typeof events>;
/** The newest release that was compared. */
export type ComparisonState = Comparison | undefined;

export const targetOf = (dataset: string) => ({ tenant: "operator", id: dataset });

export const prefix = "dutycomparison-";

export const streamOf = (dataset: string) => prefix + dataset;

export const initialState = (): ComparisonState => undefined;

export const evolve = (_: ComparisonState, { data }: ComparisonEvent): ComparisonState => data;

export const compared =
  (facts: Comparison) =>
  (state: ComparisonState): ComparisonEvent[] =>
    state && facts.release_position <= state.release_position
      ? []
      : [{ type: "DutiesCompared", data: facts }];
