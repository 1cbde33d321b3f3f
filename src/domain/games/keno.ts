/** Keno: twenty of sixty-two numbers are drawn, and one to ten were picked before. */
import { z } from "zod";
import { shuffled } from "./bytes.ts";
import type { LoungeGame } from "./lounge-game.ts";
import { choose, MULTIPLIER_UNIT } from "./odds.ts";

const NUMBERS = 62;
const DRAWN = 20;
export const MOST_PICKS = 10;

/** The payout as a multiple of the stake, by picks and then by hits; all others pay nothing. */
export const PAYS: Readonly<Record<number, Readonly<Record<number, bigint>>>> = {
  1: { 1: 3n },
  2: { 1: 1n, 2: 5n },
  3: { 2: 2n, 3: 18n },
  4: { 2: 1n, 3: 4n, 4: 36n },
  5: { 3: 3n, 4: 9n, 5: 85n },
  6: { 3: 1n, 4: 5n, 5: 25n, 6: 200n },
  7: { 3: 1n, 4: 2n, 5: 8n, 6: 50n, 7: 500n },
  8: { 4: 2n, 5: 6n, 6: 20n, 7: 80n, 8: 1_000n },
  9: { 4: 1n, 5: 3n, 6: 10n, 7: 50n, 8: 300n, 9: 2_500n },
  10: { 5: 2n, 6: 6n, 7: 28n, 8: 150n, 9: 1_000n, 10: 10_000n },
};

const params = z.strictObject({
  numbers: z
    .array(
      z
        .int("a number is a whole number from 1 to 62")
        .min(1, "a number is at least 1")
        .max(NUMBERS, `a number is at most ${NUMBERS}`),
      "numbers is a list of 1 to 10 numbers from 1 to 62",
    )
    .min(1, "pick at least one number")
    .max(MOST_PICKS, `pick at most ${MOST_PICKS} numbers`)
    .refine((picked) => new Set(picked).size === picked.length, "a number can be picked only once")
    .describe("The 1 to 10 numbers you pick, each from 1 to 62 and no number twice"),
});

type Params = z.output<typeof params>;
export type KenoResult = { drawn: number[] };

export const hitsOf = ({ numbers }: Params, { drawn }: KenoResult) =>
  numbers.filter((number) => drawn.includes(number));

const multiplierFor = (picks: number, hits: number) => (PAYS[picks]?.[hits] ?? 0n) * MULTIPLIER_UNIT;

export const keno = {
  params,
  play: (_: Params, bytes) => ({
    drawn: shuffled(bytes, NUMBERS)
      .slice(0, DRAWN)
      .map((place) => place + 1),
  }),
  first: (_: Params, { drawn }: KenoResult) => ({ value: drawn[0]! - 1, of: NUMBERS }),
  multiplier: (params: Params, result: KenoResult) =>
    multiplierFor(params.numbers.length, hitsOf(params, result).length),
  /** Hypergeometric: C(20, hits) · C(42, picks − hits) of C(62, picks). */
  outcomes: ({ numbers: { length: picks } }: Params) =>
    Array.from({ length: picks + 1 }, (_, hits) => ({
      about: `${hits} of ${picks}`,
      ways: choose(DRAWN, hits) * choose(NUMBERS - DRAWN, picks - hits),
      of: choose(NUMBERS, picks),
      multiplier: multiplierFor(picks, hits),
    })),
} satisfies LoungeGame<typeof params, KenoResult>;
