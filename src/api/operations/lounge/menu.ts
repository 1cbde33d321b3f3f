/** The menu of the lounge: payouts and odds of bets, the drinks, and the caller's balance. */

import { z } from "zod";
import { decimalTo } from "../../../core/model/fields.ts";
import { dice } from "../../../domain/games/dice.ts";
import { keno, MOST_PICKS } from "../../../domain/games/keno.ts";
import type { LoungeName } from "../../../domain/games/lounge-games.ts";
import {
  chanceOf,
  edgeOf,
  fractionNumber,
  fractionText,
  MULTIPLIER_UNIT,
  type Outcome,
} from "../../../domain/games/odds.ts";
import { BET_TYPES, colorOf, POCKETS, pocketsOf, roulette } from "../../../domain/games/roulette.ts";
import * as account from "../../../domain/lounge/account.ts";
import { drinks } from "../../../domain/lounge/bar.ts";
import { LEAST_STAKE, MOST_PAYOUT, mostStake } from "../../../domain/lounge/stakes.ts";
import { decimalTokens } from "../../../domain/lounge/token.ts";
import { LEAST_DEPOSIT } from "../../../reactors/lounge/follow-deposits.ts";
import { json, key, operation, pay } from "../../declare/index.ts";
import { tenantMeta } from "../rng/fields.ts";

export const tokens = (about: string) =>
  decimalTo(18).describe(`${about}, in platform tokens: a decimal string`);

const betShown = z.object({
  house_edge: z.number().describe("The house's average share of each stake"),
  house_edge_exact: z.string().describe("The same in lowest terms"),
  max_bet: tokens("The highest stake: its best outcome stays within max_payout"),
  pays: z.array(
    z.object({
      outcome: z.string(),
      multiplier: z.number().describe("The payout divided by the stake, stake included; 0 for a loss"),
      chance: z.number(),
      chance_exact: z.string(),
    }),
  ),
});

function shownBet(name: LoungeName, params: Record<string, unknown>, outcomes: readonly Outcome[]) {
  const edge = edgeOf(outcomes);
  return {
    house_edge: fractionNumber(edge),
    house_edge_exact: fractionText(edge),
    max_bet: decimalTokens(mostStake(name, params)),
    pays: outcomes.map((outcome) => ({
      outcome: outcome.about,
      multiplier: Number(outcome.multiplier) / Number(MULTIPLIER_UNIT),
      chance: fractionNumber(chanceOf(outcome)),
      chance_exact: fractionText(chanceOf(outcome)),
    })),
  };
}

const gamesShown = z.object({
  min_bet: tokens("The lowest stake"),
  max_payout: tokens("The highest payout of one bet"),
  keno: z.object({
    rules: z.string().describe("Rules of the game"),
    bets: z.array(betShown.extend({ picks: z.int() })),
  }),
  roulette: z.object({
    rules: z.string().describe("Rules of the game"),
    wheel: z.array(z.object({ pocket: z.string(), color: z.enum(["red", "black", "green"]) })),
    bets: z.array(betShown.extend({ bet_type: z.string(), pockets: z.int() })),
  }),
  dice: z.object({
    rules: z.string().describe("Rules of the game"),
    bets: z.array(
      betShown.extend({
        direction: z.enum(["under", "over"]).describe("The side of the target that wins"),
        target: z.int(),
      }),
    ),
  }),
});

const EVEN_MONEY_AND_DOZENS = BET_TYPES.filter((bet) => !POCKETS.includes(bet));
const DICE_SHOWN = [2, 5, 10, 25, 50, 51, 75, 90, 95, 98];

/** This part of the menu is constant while the service runs. */
const gamesMenu: z.infer<typeof gamesShown> = {
  min_bet: decimalTokens(LEAST_STAKE),
  max_payout: decimalTokens(MOST_PAYOUT),
  keno: {
    rules: "Pick up to 10 of the numbers 1 to 62. Then 20 are drawn; the payout depends on how many you hit.",
    bets: Array.from({ length: MOST_PICKS }, (_, at) => {
      const params = { numbers: Array.from({ length: at + 1 }, (_, number) => number + 1) };
      return { picks: at + 1, ...shownBet("keno", params, keno.outcomes(params)) };
    }),
  },
  roulette: {
    rules:
      "39 pockets: 1 to 36, and the zeros 0, 00 and 000. A bet pays 36 stakes divided by its pockets; a zero loses every bet except green and a bet on that zero.",
    wheel: POCKETS.map((pocket) => ({ pocket, color: colorOf(pocket) })),
    bets: [...EVEN_MONEY_AND_DOZENS, "0"].map((bet_type) => ({
      bet_type: bet_type === "0" ? "any one pocket" : bet_type,
      pockets: pocketsOf(bet_type).length,
      ...shownBet("roulette", { bet_type }, roulette.outcomes({ bet_type })),
    })),
  },
  dice: {
    rules:
      "A number from 1 to 100. Under wins below the target (target − 1 numbers), over above it (100 − target numbers). A win pays 99 over the winning numbers, cut to four decimals; the list has some targets.",
    bets: (["under", "over"] as const).flatMap((direction) =>
      DICE_SHOWN.map((target) => {
        const params = { direction, target };
        return { ...params, ...shownBet("lounge-dice", params, dice.outcomes(params)) };
      }),
    ),
  },
};

const barMenu = Object.entries(drinks).map(([drink, { about }]) => ({ drink, about }));

const accountShown = z.object({
  balance: tokens("Balance for bets; before the first bet, without the welcome grant"),
  welcome_grant: tokens("Granted once with the first bet; it can never be withdrawn"),
  granted: tokens("Granted so far"),
  deposited: tokens("Seen on chain"),
  staked: tokens("Stakes so far"),
  won: tokens("Payouts so far"),
  debt: tokens("Lost tokens of a deposit that the chain reverted: no bets until you deposit them again"),
});

const depositShown = z
  .object({
    network: z.string(),
    token: z.string().describe("The platform token's contract"),
    pay_to: z
      .string()
      .describe("Send tokens here from the wallet that pays your calls: its account is credited"),
    min: tokens("A smaller transfer is not a deposit"),
  })
  .nullable()
  .describe("null: without platform token");

export const menu = operation({
  name: "lounge_menu",
  route: "GET /v1/agent/lounge/menu",
  summary: "The games with odds, the drinks, and your account's balance",
  description: `Every bet with its exact chances and the house's share. Bets use platform tokens from an account of the lounge, which
begins with a welcome grant.`,
  access: [key("read"), pay("0.001")],
  input: z.object({
    section: z
      .enum(["games", "bar", "all"], "section is games, bar or all")
      .default("all")
      .describe("games, bar or all"),
  }),
  output: json(
    z.object({
      data: z.object({
        account: accountShown,
        deposit: depositShown,
        games: gamesShown.optional(),
        bar: z.array(z.object({ drink: z.string(), about: z.string() })).optional(),
      }),
      meta: tenantMeta,
    }),
  ),
  example: { section: "all" },
  handle: async ({ input: { section }, caller: { tenant }, app }) => {
    const held = await app.load(account, account.targetOf(tenant));
    return {
      data: {
        account: {
          balance: decimalTokens(held.balance),
          welcome_grant: decimalTokens(account.WELCOME_GRANT),
          granted: decimalTokens(held.granted),
          deposited: decimalTokens(held.deposited),
          staked: decimalTokens(held.staked),
          won: decimalTokens(held.won),
          debt: decimalTokens(held.debt),
        },
        deposit: app.platform_token
          ? {
              network: `eip155:${app.chain.chain_id}`,
              token: app.platform_token,
              pay_to: app.pay_to,
              min: decimalTokens(LEAST_DEPOSIT),
            }
          : null,
        ...(section !== "bar" && { games: gamesMenu }),
        ...(section !== "games" && { bar: barMenu }),
      },
      meta: { tenant },
    };
  },
});
