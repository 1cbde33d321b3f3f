/** The releases that paper trades were opened and decided by, each once. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { month, time } from "../../core/model/fields.ts";

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
  brier: share.nullable().describe("Brier score of the strategy's chances; 0 is best"),
  line_brier: share.nullable().describe("Brier score of the line on the same statements"),
});

const counts = { opened: z.int().nonnegative(), ended: z.int().nonnegative() };
const release_position = z.int().positive().describe("The release's log position.");

export const events = {
  SignalsMonthEvaluated: {
    means: "A synthetic vintage was evaluated as if it had fewer months, for bets to place and bets to end.",
    1: z.strictObject({
      dataset: z.string(),
      vintage: z.string(),
      release_position,
      as_of_month: month.describe("The last month evaluated."),
      ...counts,
      evaluated_at: time,
    }),
    public: true,
  },
  SignalsEvaluated: {
    means: "A release was evaluated for bets to place and bets to end.",
    1: z.strictObject({
      dataset: z.string(),
      vintage: z.string(),
      synthetic: z.boolean(),
      release_position,
      ...counts,
      backtest: z
        .array(backtest)
        .describe(
          "The strategies' hypothetical results over the months of this vintage, each known 50 days after its end.",
        ),
      evaluated_at: time,
    }),
    public: true,
  },
};

export type Evaluated = DataOf<typeof events, "SignalsEvaluated">;
export type MonthEvaluated = DataOf<typeof events, "SignalsMonthEvaluated">;
export type EvaluationEvent = EventOf<typeof events>;
/** The newest release of the dataset that was evaluated; before the first, how far its months were. */
export type EvaluationState =
  | { release_position: number; as_of_month?: undefined }
  | { release_position?: undefined; as_of_month: string }
  | undefined;

export const targetOf = (dataset: string) => ({ tenant: "operator", id: dataset });

export const prefix = "signals-";
export const streamOf = (dataset: string) => prefix + dataset;
/** The stream grows by one event a release. */
export const fold_version = 2;

export const initialState = (): EvaluationState => undefined;
export const evolve = (_: EvaluationState, { type, data }: EvaluationEvent): EvaluationState =>
  type === "SignalsEvaluated"
    ? { release_position: data.release_position }
    : { as_of_month: data.as_of_month };

/** True if a release is still to be evaluated: as of one of its months, or as a whole. */
export function isDue(
  state: EvaluationState,
  { release_position, as_of_month }: Pick<Evaluated, "release_position"> & { as_of_month: string | null },
): boolean {
  // Months come before the first release that is evaluated, and in their order.
  if (as_of_month !== null) return !state || (state.as_of_month ?? "9999-12") < as_of_month;
  return state?.release_position === undefined || state.release_position < release_position;
}

export const evaluated =
  (data: Evaluated) =>
  (state: EvaluationState): EvaluationEvent[] =>
    isDue(state, { ...data, as_of_month: null }) ? [{ type: "SignalsEvaluated", data }] : [];

export const monthEvaluated =
  (data: MonthEvaluated) =>
  (state: EvaluationState): EvaluationEvent[] =>
    isDue(state, data) ? [{ type: "SignalsMonthEvaluated", data }] : [];

/**
 * The last year of a synthetic dataset's first vintage is also evaluated month by month, as if each month were just
 * released.
 */
export const MONTHS_BEFORE = 12;
