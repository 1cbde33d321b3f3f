/** Roulette with three zeros: 39 pockets, 0 to 36, 00 and 000. */
import { z } from "zod";
import { below } from "./bytes.ts";
import type { LoungeGame } from "./lounge-game.ts";
import { MULTIPLIER_UNIT } from "./odds.ts";

export const POCKETS: readonly string[] = [
  ...Array.from({ length: 37 }, (_, number) => String(number)),
  "00",
  "000",
];

const RED = new Set([1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]);

const between = (first: number, last: number) => (number: number) => number >= first && number <= last;

/** The numbers from 1 to 36 that a bet on many covers; every zero loses it. */
const COVERS: Readonly<Record<string, (number: number) => boolean>> = {
  red: (number) => RED.has(number),
  black: (number) => !RED.has(number),
  odd: (number) => number % 2 === 1,
  even: (number) => number % 2 === 0,
  low: between(1, 18),
  high: between(19, 36),
  "1st12": between(1, 12),
  "2nd12": between(13, 24),
  "3rd12": between(25, 36),
};

/** Green wins on 0, 00 and 000. */
export const BET_TYPES = [...Object.keys(COVERS), "green", ...POCKETS] as [string, ...string[]];

/** The payout of a bet, its stake included, over the pockets it covers: 36 of the wheel's 39. */
const PAID_POCKETS = 36n;

const isZero = (pocket: string) => Number(pocket) === 0;

export const colorOf = (pocket: string): "red" | "black" | "green" =>
  isZero(pocket) ? "green" : RED.has(Number(pocket)) ? "red" : "black";

/** The pockets that win a bet. */
export function pocketsOf(betType: string): string[] {
  const covers = COVERS[betType];
  return POCKETS.filter((pocket) => {
    if (betType === "green") return isZero(pocket);
    return covers ? !isZero(pocket) && covers(Number(pocket)) : pocket === betType;
  });
}

const multiplierOf = (betType: string) =>
  (PAID_POCKETS * MULTIPLIER_UNIT) / BigInt(pocketsOf(betType).length);

const KINDS = "red, black, green, odd, even, high, low, 1st12, 2nd12, 3rd12, a number 0-36, 00 or 000";
const IS_ONE = `bet_type is ${KINDS}`;

const params = z.strictObject({
  bet_type: z
    .union([z.enum(BET_TYPES), z.int().min(0, IS_ONE).max(36, IS_ONE)], IS_ONE)
    .transform(String)
    .describe(KINDS),
});

type Params = z.output<typeof params>;
type RouletteResult = { pocket: string };

export const roulette = {
  params,
  play: (_: Params, bytes) => ({ pocket: POCKETS[below(bytes, POCKETS.length)]! }),
  first: (_: Params, { pocket }: RouletteResult) => ({ value: POCKETS.indexOf(pocket), of: POCKETS.length }),
  multiplier: ({ bet_type }: Params, { pocket }: RouletteResult) =>
    pocketsOf(bet_type).includes(pocket) ? multiplierOf(bet_type) : 0n,
  outcomes: ({ bet_type }: Params) => {
    const won = pocketsOf(bet_type).length;
    const of = BigInt(POCKETS.length);
    return [
      { about: "won", ways: BigInt(won), of, multiplier: multiplierOf(bet_type) },
      { about: "lost", ways: of - BigInt(won), of, multiplier: 0n },
    ];
  },
} satisfies LoungeGame<typeof params, RouletteResult>;
