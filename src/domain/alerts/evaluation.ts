/** The releases of a dataset that were looked through for alerts. */

import type { Event } from "@event-driven-io/emmett";
import { z } from "zod";
import { time } from "../fields.ts";

export const events = {
  AlertsEvaluated: {
    1: z.strictObject({
      dataset: z.string(),
      vintage: z.string(),
      /** Where the release stands in the log. */
      release_position: z.int().positive(),
      subscriptions: z.int().nonnegative(),
      /** Anomalies that are significant, over all that was watched. */
      significant: z.int().nonnegative(),
      evaluated_at: time,
    }),
  },
};

export type Evaluated = z.infer<(typeof events.AlertsEvaluated)[1]>;
export type EvaluationEvent = Event<"AlertsEvaluated", Evaluated>;
/** The newest release that was looked through. */
export type EvaluationState = { release_position: number };

/** Evaluations stand beside the releases, in the operator's own tenant. */
export const targetOf = (dataset: string) => ({ tenant: "operator", id: dataset });

/** What its streams are named by, before the id. */
export const prefix = "alerts-evaluated-";

export const streamOf = (dataset: string) => prefix + dataset;

export const initialState = (): EvaluationState => ({ release_position: 0 });

export const evolve = (_: EvaluationState, { data }: EvaluationEvent): EvaluationState => ({
  release_position: data.release_position,
});

export const evaluated =
  (facts: Evaluated) =>
  (state: EvaluationState): EvaluationEvent[] =>
    facts.release_position > state.release_position ? [{ type: "AlertsEvaluated", data: facts }] : [];
