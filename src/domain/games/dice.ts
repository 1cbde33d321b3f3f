/** Dice: a number from 1 to 100, and whether it falls under or over a target. */
import { z } from "zod";
import { below } from "./bytes.ts";
import type { LoungeGame } from "./lounge-game.ts";
import { MULTIPLIER_UNIT } from "./odds.ts";

const FACES = 100;
const LEAST_TARGET = 2;
const MOST_TARGET = 98;

/** A bet that wins on every face but none would get this many hundredths back: the house gets the rest. */
const RETURNED = 99n;

const params = z.strictObject({
  direction: z
    .enum(["under", "over"], "direction is under or over")
    .describe("The winning side of the target, under or over; the target itself loses"),
  target: z
    .int("target is a whole number from 2 to 98")
    .min(LEAST_TARGET, `target is at least ${LEAST_TARGET}`)
    .max(MOST_TARGET, `target is at most ${MOST_TARGET}`)
    .describe("2 to 98"),
});

type Params = z.output<typeof params>;
type DiceResult = { number: number };

export const winningFaces = ({ direction, target }: Params) =>
  direction === "under" ? target - 1 : FACES - target;

/** 99 ÷ winning faces, cut to four decimals, so that the house gets 1 % and the remainder. */
const multiplierFor = (params: Params) => (RETURNED * MULTIPLIER_UNIT) / BigInt(winningFaces(params));

const isWon = ({ direction, target }: Params, { number }: DiceResult) =>
  direction === "under" ? number < target : number > target;

export const dice = {
  params,
  play: (_: Params, bytes) => ({ number: 1 + below(bytes, FACES) }),
  first: (_: Params, { number }: DiceResult) => ({ value: number - 1, of: FACES }),
  multiplier: (params: Params, result: DiceResult) => (isWon(params, result) ? multiplierFor(params) : 0n),
  outcomes: (params: Params) => {
    const won = winningFaces(params);
    const of = BigInt(FACES);
    return [
      { about: "won", ways: BigInt(won), of, multiplier: multiplierFor(params) },
      { about: "lost", ways: of - BigInt(won), of, multiplier: 0n },
    ];
  },
} satisfies LoungeGame<typeof params, DiceResult>;
