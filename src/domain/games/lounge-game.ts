/** The one shape of the lounge's games. */
import type { z } from "zod";
import type { Game } from "./games.ts";
import type { Outcome } from "./odds.ts";

/** A game of random numbers that is played for a stake. */
export type LoungeGame<Params extends z.ZodObject, Result extends object> = Game<Params, Result> & {
  /** The multiplier of the stake in ten-thousandths; 0 when it is lost. */
  multiplier(params: z.output<Params>, result: Result): bigint;
  /** All outcomes of a bet; their ways sum to `of`. */
  outcomes(params: z.output<Params>): Outcome[];
};
