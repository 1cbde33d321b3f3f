/** The releases of a dataset that were looked through for alerts. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { time } from "../../core/model/fields.ts";

export const events = {
  AlertsEvaluated: {
    means: "A release was evaluated for the findings that subscriptions watch for.",
    1: z.strictObject({
      dataset: z.string(),
      vintage: z.string(),
      release_position: z.int().positive().describe("The release's log position."),
      subscriptions: z.int().nonnegative(),
      significant: z
        .int()
        .nonnegative()
        .describe("Anomalies that are significant, over all chapters of the release."),
      evaluated_at: time,
    }),
  },
};

export type Evaluated = DataOf<typeof events, "AlertsEvaluated">;
export type EvaluationEvent = EventOf<typeof events>;
/** The newest release that was looked through. */
export type EvaluationState = Evaluated | undefined;

/** Evaluations are in the operator's own tenant, like releases. */
export const targetOf = (dataset: string) => ({ tenant: "operator", id: dataset });

export const prefix = "alerts-evaluated-";

export const streamOf = (dataset: string) => prefix + dataset;

export const initialState = (): EvaluationState => undefined;

export const evolve = (_: EvaluationState, { data }: EvaluationEvent): EvaluationState => data;

export const evaluated =
  (facts: Evaluated) =>
  (state: EvaluationState): EvaluationEvent[] =>
    state && facts.release_position <= state.release_position
      ? []
      : [{ type: "AlertsEvaluated", data: facts }];
