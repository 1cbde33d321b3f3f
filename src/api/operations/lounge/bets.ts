import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { sha256, time } from "../../../core/model/fields.ts";
import { dice } from "../../../domain/games/dice.ts";
import { hitsOf, keno } from "../../../domain/games/keno.ts";
import type { LoungeName } from "../../../domain/games/lounge-games.ts";
import { colorOf, roulette } from "../../../domain/games/roulette.ts";
import * as account from "../../../domain/lounge/account.ts";
import { drinkNames, orderDrink } from "../../../domain/lounge/bar.ts";
import { LEAST_STAKE, MOST_STAKE } from "../../../domain/lounge/stakes.ts";
import { attoOf, decimalTokens } from "../../../domain/lounge/token.ts";
import { type Context, json, key, operation, pay } from "../../declare/index.ts";
import { type Drawing, seedAtHand } from "../rng/active-seed.ts";
import { clientSeed, optionalSeed, proofOf, proofShown, seedFor } from "../rng/draw.ts";
import { seedLocation, tenantMeta } from "../rng/fields.ts";
import { menu, tokens } from "./menu.ts";

const STAKE = "amount is from 1 to 1000, with at most six decimals: a number, or a decimal string";

const STAKE_TEXT =
  "The stake in platform tokens, from 1, with at most six decimals, as a number or a decimal string. Some bets take less than 1000 (max_bet of lounge_menu)";

const requiredAmount = z
  .union([z.number(), z.string()], STAKE)
  .refine((given) => isStake(attoOf(given)), STAKE)
  .describe(STAKE_TEXT);

const amount = requiredAmount.default(1).describe(STAKE_TEXT);

const isStake = (stake: bigint | undefined) =>
  stake !== undefined && stake >= LEAST_STAKE && stake <= MOST_STAKE;

/** The fields that the answers of all games share. */
const betAnswer = {
  roll_id: z.string().describe("The bet's id; rng_verify proves it, with the seed once it is revealed"),
  won: z.boolean().describe("True if it paid anything"),
  stake: tokens("The stake"),
  payout: tokens("The payout, stake included"),
  balance: tokens("The account's balance afterwards"),
  welcome_grant: tokens("Tokens granted with the account's first bet").nullable(),
  fairness: z
    .object({
      seed_hash: sha256.describe("SHA-256 of the seed, published before the bet"),
      ...seedLocation,
      client_seed: z.string(),
      nonce: z.int().describe("Your earlier bets on this seed, in any game"),
      proof: proofShown,
    })
    .meta({ id: "BetFairness" }),
  played_at: time,
};

type BetInput = { client_seed?: string | undefined; amount: number | string };

/** Plays a bet: stake, draw and payout are one event on the account. */
async function playBet(
  context: Drawing & Pick<Context<never>, "unit" | "request">,
  game: LoungeName,
  params: Record<string, unknown>,
  { client_seed: given, amount }: BetInput,
) {
  const { app, caller, unit, request } = context;
  const { tenant } = caller;
  const seed = await seedAtHand(context, 1);
  const rolled_at = app.clock.now().toISOString();
  const client_seed = given ?? seedFor(request.payment_id, seed.block);
  const bet = { roll_id: unit.fresh_id, tenant, game, params, client_seed, rolled_at };
  const stake = attoOf(amount)!;
  const { events } = await unit.decide(
    account,
    account.targetOf(tenant),
    account.bet({ ...bet, stake }, seed),
  );
  return betAnswerOf(app, events);
}

/** Builds the answer from the events, so that a repeat gets the same answer. */
function betAnswerOf(app: App, events: account.AccountEvent[]) {
  const [played] = events.flatMap((event) => (event.type === "BetPlayed" ? [event.data] : []));
  const [grant] = events.flatMap((event) => (event.type === "WelcomeGranted" ? [event.data] : []));
  const facts = played!;
  const { space, chain, index, seed_hash, client_seed, nonce, result } = facts;
  const { proof } = proofOf(app, facts, undefined);
  const shown = {
    roll_id: facts.roll_id,
    won: facts.payout_atto !== "0",
    stake: decimalTokens(BigInt(facts.stake_atto)),
    payout: decimalTokens(BigInt(facts.payout_atto)),
    balance: decimalTokens(BigInt(facts.balance_atto)),
    welcome_grant: grant ? decimalTokens(BigInt(grant.amount_atto)) : null,
    fairness: { seed_hash, space, chain, chain_index: index, client_seed, nonce, proof },
    played_at: facts.rolled_at,
  };
  return { shown, result };
}

const FAIRNESS = `HMAC-SHA256 draws the result from a secret seed, your client seed and a counter. The seed's hash was published and
committed to Base before: see rng_verify and docs/rng.md. Won or lost, the bet is one event of the log.`;

const playKeno = operation({
  name: "lounge_keno",
  route: "POST /v1/agent/lounge/keno",
  effect: { changes: "takes", repeatable: false, reaches_out: false },
  summary: "Keno: pick 1 to 10 of 62 numbers, 20 are drawn",
  description: FAIRNESS,
  omitted_in_repeats: ["balance"],
  access: [key("order"), pay("0.01")],
  input: z.object({ ...keno.params.shape, client_seed: optionalSeed, amount }),
  output: json(
    z.object({
      data: z.object({
        numbers: z.array(z.int()).describe("Your picks"),
        drawn: z.array(z.int()).describe("The twenty numbers in drawn order"),
        hits: z.array(z.int()).describe("Your picks among them"),
        ...betAnswer,
      }),
      meta: tenantMeta,
    }),
  ),
  refuses: [409],
  example: { numbers: [3, 17, 42, 60], client_seed: "my own words", amount: 1 },
  handle: async (context) => {
    const { numbers, ...wanted } = context.input;
    const { shown, result } = await playBet(context, "keno", { numbers }, wanted);
    const { drawn } = result as ReturnType<typeof keno.play>;
    const hits = hitsOf({ numbers }, { drawn });
    return { data: { numbers, drawn, hits, ...shown }, meta: { tenant: context.caller.tenant } };
  },
});

const playRoulette = operation({
  name: "lounge_roulette",
  route: "POST /v1/agent/lounge/roulette",
  effect: { changes: "takes", repeatable: false, reaches_out: false },
  summary: "Roulette with three zeros",
  description: FAIRNESS,
  omitted_in_repeats: ["balance"],
  access: [key("order"), pay("0.01")],
  input: z.object({ ...roulette.params.shape, client_seed: optionalSeed, amount }),
  output: json(
    z.object({
      data: z.object({
        bet_type: z.string(),
        pocket: z.string().describe("0 to 36, 00 or 000"),
        color: z.enum(["red", "black", "green"]),
        ...betAnswer,
      }),
      meta: tenantMeta,
    }),
  ),
  refuses: [409],
  example: { bet_type: "red", client_seed: "my own words", amount: 1 },
  handle: async (context) => {
    const { bet_type, ...wanted } = context.input;
    const { shown, result } = await playBet(context, "roulette", { bet_type }, wanted);
    const { pocket } = result as ReturnType<typeof roulette.play>;
    return {
      data: { bet_type, pocket, color: colorOf(pocket), ...shown },
      meta: { tenant: context.caller.tenant },
    };
  },
});

const playDice = operation({
  name: "lounge_dice",
  route: "POST /v1/agent/lounge/dice",
  effect: { changes: "takes", repeatable: false, reaches_out: false },
  summary: "Dice: a number from 1 to 100, under or over your target",
  description: FAIRNESS,
  omitted_in_repeats: ["balance"],
  access: [key("order"), pay("0.01")],
  input: z.object({ ...dice.params.shape, client_seed: clientSeed, amount: requiredAmount }),
  output: json(
    z.object({
      data: z.object({
        direction: z.enum(["under", "over"]).describe("The side of the target that wins"),
        target: z.int(),
        number: z.int().describe("1 to 100"),
        ...betAnswer,
      }),
      meta: tenantMeta,
    }),
  ),
  refuses: [409],
  example: { direction: "under", target: 50, client_seed: "my own words", amount: 1 },
  handle: async (context) => {
    const { direction, target, ...wanted } = context.input;
    const { shown, result } = await playBet(context, "lounge-dice", { direction, target }, wanted);
    const { number } = result as ReturnType<typeof dice.play>;
    return { data: { direction, target, number, ...shown }, meta: { tenant: context.caller.tenant } };
  },
});

const order = operation({
  name: "lounge_order",
  route: "POST /v1/agent/lounge/order",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Order a drink for your mood",
  description:
    "The bartender answers your order and mood; the same words get the same answer. Your mood is neither repeated nor stored.",
  access: [key("read"), pay("0.001")],
  input: z.object({
    drink: z
      .enum(drinkNames, `drink is on the menu: ${drinkNames.join(", ")}`)
      .describe("A name from the menu (lounge_menu, section bar)"),
    mood_text: z
      .string()
      .max(280, "mood_text is at most 280 characters")
      .describe("Your mood in your own words, up to 280 characters")
      .optional(),
  }),
  output: json(
    z.object({
      data: z.object({
        drink: z.string(),
        mood: z
          .string()
          .describe(
            "The mood that the bartender read; unsaid: you sent none; unknown: it knows none of your words",
          ),
        answer: z.string().describe("The bartender's words"),
      }),
      meta: tenantMeta,
    }),
  ),
  example: { drink: "warm-wallet", mood_text: "tired after a long shift" },
  handle: async ({ input: { drink, mood_text }, caller: { tenant } }) => ({
    data: { drink, ...orderDrink(drink, mood_text) },
    meta: { tenant },
  }),
});

export const loungeOperations = [menu, playKeno, playRoulette, playDice, order];
