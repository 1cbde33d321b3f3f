/**
 * How much is going on around an item, as an integer that anybody adds up again from the events that are named:
 *
 *     heat = Σ units · D24[floor(hours / 24)]          D24 = 64, 32, 16, 8, 4, 2, 1: halved each day
 *
 * A sale of 0.01 USDC or more has 5 units, a buyer's word that it works has a unit for each full 20 points of trust of the buyer. Each
 * buyer buys an item once and has one word, and authors buy nothing of their own; so whoever has neither money nor trust moves nothing.
 */

/** The factor of a unit after each day; older units count nothing. */
export const D24: readonly number[] = [64, 32, 16, 8, 4, 2, 1];

/** Units of a sale. */
export const SALE_UNITS = 5;
/** The least price whose sale counts, in micro-USDC. */
export const LEAST_COUNTED_MICRO = 10_000;
/** Points of trust for a unit, in micro-points: 100 points are 100,000,000. */
export const POINTS_PER_UNIT = 20_000_000;
