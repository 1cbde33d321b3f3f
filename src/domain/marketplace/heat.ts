/**
 * The heat of an item: an integer that anybody can recompute from the events named:
 *
 *     heat = Σ units · D24[floor(hours / 24)]          D24 = 64, 32, 16, 8, 4, 2, 1: halved each day
 *
 * A sale of 0.01 USDC or more has 5 units; a buyer's vote that it works has a unit for each full 20 points of the buyer's
 * trust. Each buyer buys an item once and has one vote, and authors cannot buy their own items. So callers with neither
 * money nor trust change nothing.
 */

/** The factor of a unit after each day; older units count nothing. */
export const D24: readonly number[] = [64, 32, 16, 8, 4, 2, 1];

/** Units of a sale. */
export const SALE_UNITS = 5;
/** The least price whose sale counts, in micro-USDC. */
export const LEAST_COUNTED_MICRO = 10_000;
/** Points of trust for a unit, in micro-points: 100 points are 100,000,000. */
export const POINTS_PER_UNIT = 20_000_000;
