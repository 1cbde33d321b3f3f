/**
 * A tenant's account in the lounge, in platform tokens: a welcome grant, deposits on chain and winnings come in, stakes
 * go out, and it is never below zero. A deposit that a reorg removed after it was staked is a debt, and no bet is
 * accepted until a later deposit has paid it.
 *
 *   balance = granted + deposited + won − staked + debt
 */

import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { chainHash, digits, sha256, time } from "../../core/model/fields.ts";
import { refuse, refuseField } from "../../core/model/refusal.ts";
import { type LoungeName, loungeNames } from "../games/lounge-games.ts";
import { draw, drawn, type RollRequest, type SeedAtHand } from "../rng/roll.ts";
import { spaces } from "../rng/seeds.ts";
import { loungeProblems } from "./problems.ts";
import { MOST_PAYOUT, mostStake, payoutOf } from "./stakes.ts";
import { ATTO, decimalTokens } from "./token.ts";

/** Whole atto of the platform token, in decimal digits. */
const atto = digits;

export const WELCOME_GRANT = 100n * ATTO;

/**
 * One Transfer log. Its block is part of its name: a transaction that a reorg moved is a new deposit, and the first
 * is taken back.
 */
const deposit = {
  network: z.string(),
  token: z.string(),
  transaction: chainHash,
  log_index: z.int().min(0),
  block_hash: chainHash,
  block_number: z.int().min(0),
  amount_atto: atto,
};

const played = z.strictObject({
  ...drawn,
  game: z.enum(loungeNames),
  stake_atto: atto,
  payout_atto: atto.describe("The payout, the stake included; 0 when it was lost."),
  balance_atto: atto.describe("The account's balance afterwards."),
});

const betsVoided = z.strictObject({
  space: z.enum(spaces),
  chain: z.int(),
  index: z.int(),
  seed_hash: sha256,
  bets: z.int().min(1),
  back_atto: atto.describe("The stakes of these bets. The guest keeps the payouts."),
  balance_atto: atto.describe("The account's balance afterwards."),
  voided_at: time,
});

export const events = {
  WelcomeGranted: {
    means: "A guest of the lounge was given tokens to play with.",
    1: z.strictObject({ amount_atto: atto, granted_at: time }),
  },
  BetPlayed: { means: "A bet was played in the lounge, and its outcome was drawn.", 1: played },
  BetsVoided: {
    means: "The stakes of bets came back, because the seed they were drawn from is lost.",
    1: betsVoided,
  },
  DepositCredited: {
    means: "Tokens that somebody sent on the chain were added to an account of the lounge.",
    1: z.strictObject({ ...deposit, credited_at: time }),
  },
  DepositTakenBack: {
    means: "The chain reverted a deposit, which was taken from the account of the lounge again.",
    1: z
      .strictObject({ ...deposit, taken_atto: atto, taken_at: time })
      .describe("`taken_atto` of it was still there; the rest is a debt."),
  },
  DebtIncurred: {
    means: "The chain reversed a deposit that had been played away: the account owes it.",
    1: z.strictObject({ amount_atto: atto, incurred_at: time }),
  },
  DebtRepaid: {
    means: "The debt of an account of the lounge was paid off.",
    1: z.strictObject({ amount_atto: atto, repaid_at: time }),
  },
};

export type BetFacts = DataOf<typeof events, "BetPlayed">;
export type Deposit = z.infer<z.ZodObject<typeof deposit>>;

export type AccountEvent = EventOf<typeof events>;

/** Bets on one seed. */
type SeedBets = { seed_hash: string; bets: number; staked: bigint };

/** Sums in atto. `deposited`: without reorged deposits. `on_seed`: bets on the seed of the last one. */
export type AccountState = {
  granted: bigint;
  deposited: bigint;
  staked: bigint;
  won: bigint;
  balance: bigint;
  debt: bigint;
  on_seed: SeedBets | undefined;
  deposits: ReadonlyMap<string, Deposit>;
};

/** Each tenant has one. */
export const targetOf = (tenant: string) => ({ tenant, id: "main" });

export const prefix = "loungeaccount-";

export const streamOf = (id: string) => prefix + id;

export const fold_version = 2;

export const initialState = (): AccountState => ({
  granted: 0n,
  deposited: 0n,
  staked: 0n,
  won: 0n,
  balance: 0n,
  debt: 0n,
  on_seed: undefined,
  deposits: new Map(),
});

const nameOf = ({ block_hash, log_index }: Pick<Deposit, "block_hash" | "log_index">) =>
  `${block_hash}:${log_index}`;

export function evolve(state: AccountState, { type, data }: AccountEvent): AccountState {
  const { balance } = state;
  switch (type) {
    case "WelcomeGranted": {
      const amount = BigInt(data.amount_atto);
      return { ...state, granted: amount, balance: balance + amount };
    }
    case "BetPlayed": {
      const [stake, payout] = [BigInt(data.stake_atto), BigInt(data.payout_atto)];
      return {
        ...state,
        staked: state.staked + stake,
        won: state.won + payout,
        balance: balance - stake + payout,
        on_seed: withBet(state.on_seed, data),
      };
    }
    case "BetsVoided": {
      const back = BigInt(data.back_atto);
      return { ...state, staked: state.staked - back, balance: balance + back, on_seed: undefined };
    }
    case "DepositCredited": {
      const { credited_at: _, ...facts } = data;
      const amount = BigInt(data.amount_atto);
      const deposits = new Map(state.deposits).set(nameOf(data), facts);
      return { ...state, deposits, deposited: state.deposited + amount, balance: balance + amount };
    }
    case "DepositTakenBack": {
      const deposits = new Map(state.deposits);
      deposits.delete(nameOf(data));
      const deposited = state.deposited - BigInt(data.amount_atto);
      return { ...state, deposits, deposited, balance: balance - BigInt(data.taken_atto) };
    }
    case "DebtIncurred":
      return { ...state, debt: state.debt + BigInt(data.amount_atto) };
    case "DebtRepaid": {
      const amount = BigInt(data.amount_atto);
      return { ...state, debt: state.debt - amount, balance: balance - amount };
    }
  }
}

function withBet(before: SeedBets | undefined, { seed_hash, nonce, stake_atto }: BetFacts): SeedBets {
  const staked = before?.seed_hash === seed_hash ? before.staked : 0n;
  return { seed_hash, bets: nonce + 1, staked: staked + BigInt(stake_atto) };
}

export type BetRequest = RollRequest<LoungeName> & { stake: bigint };

/**
 * Takes the stake, draws, and pays in one event; an account's first bet follows its welcome grant. The nonce counts
 * the account's bets on the seed, of any game: no two share their bytes, and an omitted bet leaves a gap.
 */
export const bet =
  ({ stake, ...request }: BetRequest, seed: SeedAtHand) =>
  (state: AccountState): AccountEvent[] => {
    if (state.debt > 0n)
      refuse(
        loungeProblems["account-in-debt"],
        `the chain reverted a deposit after it was played: deposit ${decimalTokens(state.debt)} tokens to play again`,
      );
    const { game, params, rolled_at } = request;
    const most = mostStake(game, params);
    if (stake > most) {
      const message = `is at most ${decimalTokens(most)} in this bet: its best outcome would pay more than ${decimalTokens(MOST_PAYOUT)}`;
      refuseField("amount", message);
    }
    const welcome: AccountEvent[] = state.granted > 0n ? [] : [welcomed(rolled_at)];
    const { balance, on_seed } = welcome.reduce(evolve, state);
    if (stake > balance)
      refuse(
        loungeProblems["balance-too-low"],
        `the account has ${decimalTokens(balance)} tokens: bet at most that, or deposit first (lounge_menu has the address)`,
      );
    const facts = draw(request, seed, on_seed?.seed_hash === seed.seed.seed_hash ? on_seed.bets : 0);
    const payout = payoutOf(game, params, facts.result, stake);
    const sums = {
      stake_atto: String(stake),
      payout_atto: String(payout),
      balance_atto: String(balance - stake + payout),
    };
    return [...welcome, { type: "BetPlayed", data: { ...facts, ...sums } }];
  };

/** Refunds the stakes of all bets on a lost seed, and takes no payout back. */
export const voidBets =
  (
    { space, chain, index, seed_hash }: Pick<BetFacts, "space" | "chain" | "index" | "seed_hash">,
    voided_at: string,
  ) =>
  (state: AccountState): AccountEvent[] => {
    if (state.on_seed?.seed_hash !== seed_hash) return [];
    const { bets, staked } = state.on_seed;
    const place = { space, chain, index, seed_hash };
    const back = { back_atto: String(staked), balance_atto: String(state.balance + staked) };
    const voided: AccountEvent = { type: "BetsVoided", data: { ...place, bets, ...back, voided_at } };
    return [voided, ...repay(voided_at)(evolve(state, voided))];
  };

const welcomed = (granted_at: string): AccountEvent => ({
  type: "WelcomeGranted",
  data: { amount_atto: String(WELCOME_GRANT), granted_at },
});

/**
 * Follows the chain: credits new deposits, then takes reorged ones back. A transaction now in another block is gone
 * from the earlier one. Both happen in one commit, so a moved transaction leaves no debt.
 */
export const followDeposits =
  (found: readonly Deposit[], gone: readonly Pick<Deposit, "block_hash" | "log_index">[], at: string) =>
  (state: AccountState): AccountEvent[] => {
    const known = (one: Pick<Deposit, "block_hash" | "log_index">) => state.deposits.get(nameOf(one));
    const fresh = found.filter((one) => !known(one));
    const moved = [...state.deposits.values()].filter(({ transaction, block_hash }) =>
      fresh.some((one) => one.transaction === transaction && one.block_hash !== block_hash),
    );
    const lost = new Map(
      [...moved, ...gone.flatMap((one) => known(one) ?? [])].map((one) => [nameOf(one), one]),
    );
    const steps = [
      ...fresh.map((one) => credit(one, at)),
      ...[...lost.values()].map((one) => takeBack(one, at)),
      repay(at),
    ];
    const events: AccountEvent[] = [];
    let now = state;
    for (const decide of steps)
      for (const event of decide(now)) {
        events.push(event);
        now = evolve(now, event);
      }
    return events;
  };

const credit = (facts: Deposit, credited_at: string) => (): AccountEvent[] => [
  { type: "DepositCredited", data: { ...facts, credited_at } },
];

const takeBack =
  (facts: Deposit, taken_at: string) =>
  ({ balance }: AccountState): AccountEvent[] => {
    const amount = BigInt(facts.amount_atto);
    const taken = balance < amount ? balance : amount;
    const missing = amount - taken;
    return [
      { type: "DepositTakenBack", data: { ...facts, taken_atto: String(taken), taken_at } },
      ...(missing > 0n
        ? [{ type: "DebtIncurred" as const, data: { amount_atto: String(missing), incurred_at: taken_at } }]
        : []),
    ];
  };

const repay =
  (repaid_at: string) =>
  ({ balance, debt }: AccountState): AccountEvent[] => {
    const amount = balance < debt ? balance : debt;
    return amount > 0n ? [{ type: "DebtRepaid", data: { amount_atto: String(amount), repaid_at } }] : [];
  };
