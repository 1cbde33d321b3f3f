/** Stakes and payouts of the lounge's games. */
import type { z } from "zod";
import type { LoungeGame } from "../games/lounge-game.ts";
import { type LoungeName, loungeGames } from "../games/lounge-games.ts";
import { MULTIPLIER_UNIT } from "../games/odds.ts";
import { ATTO } from "./token.ts";

/** The most that one bet can pay, its stake included. */
export const MOST_PAYOUT = 100_000n * ATTO;
export const MOST_STAKE = 1_000n * ATTO;
export const LEAST_STAKE = ATTO;

type Params = Record<string, unknown>;

const gameOf = (name: LoungeName) => loungeGames[name] as unknown as LoungeGame<z.ZodObject, object>;

/** The payout of a stake: exact, because stakes are whole millionths of a token and multipliers ten-thousandths. */
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
