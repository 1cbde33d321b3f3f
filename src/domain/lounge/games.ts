/** The lounge's games by the name that is signed with the seed, and how high one may play. */
import type { z } from "zod";
import { dice } from "./dice.ts";
import type { LoungeGame } from "./game.ts";
import { keno } from "./keno.ts";
import { MULTIPLIER_UNIT } from "./odds.ts";
import { roulette } from "./roulette.ts";
import { ATTO } from "./token.ts";

/** Dice has a name of its own, so that it shares no bytes with the dice of random numbers. */
export const loungeGames = { keno, roulette, "lounge-dice": dice };
export type LoungeName = keyof typeof loungeGames;
export const loungeNames = Object.keys(loungeGames) as [LoungeName, ...LoungeName[]];

/** The most that one bet can pay, its stake included. */
export const MOST_PAYOUT = 100_000n * ATTO;
export const MOST_STAKE = 1_000n * ATTO;
export const LEAST_STAKE = ATTO;

type Params = Record<string, unknown>;

const gameOf = (name: LoungeName) => loungeGames[name] as unknown as LoungeGame<z.ZodObject, object>;

/** What a stake comes to: exact, because stakes are whole millionths of a token and multipliers ten-thousandths. */
export const payoutOf = (name: LoungeName, params: Params, result: object, stake: bigint) =>
  (stake * gameOf(name).multiplier(params, result)) / MULTIPLIER_UNIT;

/** The highest stake of a bet: even its best outcome pays no more than MOST_PAYOUT. Whole millionths of a token. */
export function mostStake(name: LoungeName, params: Params): bigint {
  let best = 0n;
  for (const { multiplier } of gameOf(name).outcomes(params)) if (multiplier > best) best = multiplier;
  const stake = (MOST_PAYOUT * MULTIPLIER_UNIT) / best;
  const millionth = ATTO / 1_000_000n;
  return stake < MOST_STAKE ? (stake / millionth) * millionth : MOST_STAKE;
}
