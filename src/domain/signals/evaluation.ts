/** The releases that paper trades were opened and decided by, each once. */
import { z } from "zod";
import type { DataOf, EventOf } from "../entity.ts";
import { time } from "../fields.ts";

const share = z.number().min(0).max(1);

export const backtest = z.strictObject({
  strategy: z.string(),
  version: z.int().positive(),
  n: z.int().nonnegative().describe("Bets; of each month the twenty with the largest edge"),
  win_rate: z
    .strictObject({ share, low: share, high: share })
    .nullable()
    .describe("With Wilson's interval at 95 %"),
  pnl: z.number().describe("Points"),
  brier: share.nullable().describe("Of the strategy's chances; 0 is best"),
  line_brier: share.nullable().describe("Of the line on the same statements"),
});

export const events = {
  SignalsEvaluated: {
    means: "A release was looked through for bets to place and bets to end.",
    1: z.strictObject({
      dataset: z.string(),
      vintage: z.string(),
      synthetic: z.boolean(),
      release_position: z.int().positive().describe("Where the release stands in the log."),
      opened: z.int().nonnegative(),
      ended: z.int().nonnegative(),
      backtest: z
        .array(backtest)
        .describe(
          "What the strategies would have had of the months of this vintage, a month known 50 days after its end.",
        ),
      evaluated_at: time,
    }),
    public: true,
  },
};

export type Evaluated = DataOf<typeof events, "SignalsEvaluated">;
export type EvaluationEvent = EventOf<typeof events>;
/** The newest release of the dataset that was evaluated. */
export type EvaluationState = { release_position: number } | undefined;

export const targetOf = (dataset: string) => ({ tenant: "operator", id: dataset });

export const prefix = "signals-";
export const streamOf = (dataset: string) => prefix + dataset;
/** It grows by a release a release. */
export const fold_version = 1;

export const initialState = (): EvaluationState => undefined;
export const evolve = (_: EvaluationState, { data }: EvaluationEvent): EvaluationState => ({
  release_position: data.release_position,
});

export const evaluated =
  (data: Evaluated) =>
  (state: EvaluationState): EvaluationEvent[] =>
    state && data.release_position <= state.release_position ? [] : [{ type: "SignalsEvaluated", data }];
