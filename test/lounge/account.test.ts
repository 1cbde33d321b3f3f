/** The account of the lounge: every transition, every refusal, and the invariants. */
import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as account from "../../src/domain/lounge/account.ts";
import { ATTO } from "../../src/domain/lounge/token.ts";
import type { SeedAtHand } from "../../src/domain/rng/roll.ts";
import { refusedAs, specificationOf } from "../support/specification.ts";

const at = "2026-11-22T12:00:00.000Z";
const secret = Buffer.alloc(32, 7);
const seedOf = (bytes: Buffer): SeedAtHand => ({
  seed: {
    space: "live",
    chain: 1,
    index: 0,
    seed_hash: createHash("sha256").update(bytes).digest("hex"),
    activated_at: at,
    max_rolls: 10,
    retires_at: at,
  },
  secret: bytes,
});
const seed = seedOf(secret);

/** The pocket that the text of docs/rng.md draws. */
function pocketAt(nonce: number, bytes = secret): string {
  const block = createHmac("sha256", bytes).update(`v1:acme:roulette:mine:${nonce}:0`).digest();
  const number = block.find((byte) => byte < 234)! % 39;
  return number < 37 ? String(number) : number === 37 ? "00" : "000";
}

const tokens = (n: number) => String(BigInt(n) * ATTO);
const bet = (bet_type: string, stake = 1, at_hand = seed) =>
  account.bet(
    {
      roll_id: "r",
      tenant: "acme",
      game: "roulette",
      params: { bet_type },
      client_seed: "mine",
      rolled_at: at,
      stake: BigInt(stake) * ATTO,
    },
    at_hand,
  );
const played = (
  bet_type: string,
  {
    nonce = 0,
    stake = 1,
    payout,
    balance,
  }: { nonce?: number; stake?: number; payout: number; balance: number },
): account.AccountEvent => ({
  type: "BetPlayed",
  data: {
    roll_id: "r",
    tenant: "acme",
    space: "live",
    chain: 1,
    index: 0,
    seed_hash: seed.seed.seed_hash,
    game: "roulette",
    params: { bet_type },
    client_seed: "mine",
    nonce,
    result: { pocket: pocketAt(nonce) },
    rolled_at: at,
    stake_atto: tokens(stake),
    payout_atto: tokens(payout),
    balance_atto: tokens(balance),
  },
});
const welcomed: account.AccountEvent = {
  type: "WelcomeGranted",
  data: { amount_atto: tokens(100), granted_at: at },
};

const word = (n: number) => `0x${n.toString(16).padStart(64, "0")}` as const;
const deposit = (transaction: number, block: number, amount = 50): account.Deposit => ({
  network: "eip155:8453",
  token: "0xtoken",
  transaction: word(transaction),
  log_index: 3,
  block_hash: word(block),
  block_number: block,
  amount_atto: tokens(amount),
});
const credited = (facts: account.Deposit): account.AccountEvent => ({
  type: "DepositCredited",
  data: { ...facts, credited_at: at },
});
const takenBack = (facts: account.Deposit, taken: number): account.AccountEvent => ({
  type: "DepositTakenBack",
  data: { ...facts, taken_atto: tokens(taken), taken_at: at },
});
const follow = (found: account.Deposit[], gone: account.Deposit[] = []) =>
  account.followDeposits(found, gone, at);

const given = specificationOf(account);
const folded = (...events: account.AccountEvent[]) => events.reduce(account.evolve, account.initialState());

describe("a bet", () => {
  const [first, second] = [pocketAt(0), pocketAt(1)];

  test("is the first: the welcome grant precedes it, in the same commit", () =>
    given([])
      .when(bet(first))
      .then([welcomed, played(first, { payout: 36, balance: 135 })]));

  test("that is lost takes the stake; the next one has the next nonce", () =>
    given([welcomed, played(first, { payout: 36, balance: 135 })])
      .when(bet(first === second ? "green" : first, 2))
      .then([played(first, { nonce: 1, stake: 2, payout: 0, balance: 133 })]));

  test("of another game, or with another client seed, continues the count", () => {
    const { on_seed } = folded(welcomed, played(first, { payout: 36, balance: 135 }));
    expect(on_seed?.bets).toBe(1);
    const other = account.bet(
      {
        roll_id: "k",
        tenant: "acme",
        game: "keno",
        params: { numbers: [1] },
        client_seed: "else",
        rolled_at: at,
        stake: ATTO,
      },
      seed,
    )(folded(welcomed, played(first, { payout: 36, balance: 135 })));
    expect(other).toMatchObject([{ type: "BetPlayed", data: { nonce: 1, game: "keno" } }]);
  });

  test("on the next seed starts at nonce 0 again", () => {
    const other = seedOf(Buffer.alloc(32, 9));
    const state = folded(welcomed, played(first, { payout: 36, balance: 135 }));
    const [event] = bet("red", 1, other)(state);
    expect(event).toMatchObject({ data: { nonce: 0, result: { pocket: pocketAt(0, Buffer.alloc(32, 9)) } } });
  });

  test("may stake the whole balance, and no more", () => {
    const lost = first === "0" ? "1" : "0";
    given([welcomed])
      .when(bet(lost, 100))
      .then([played(lost, { stake: 100, payout: 0, balance: 0 })]);
    given([welcomed]).when(bet(lost, 101)).thenThrows(refusedAs("balance-too-low"));
    given([welcomed, played(lost, { stake: 100, payout: 0, balance: 0 })])
      .when(bet(lost))
      .thenThrows(refusedAs("balance-too-low"));
  });

  test("that could pay more than the house's limit is refused by its field", () => {
    given([credited(deposit(1, 1, 900_000))])
      .when(bet("7", 1_001))
      .thenThrows((error) => (error as unknown as Refusal).errors?.[0]?.path === "amount");
    expect(() => bet("7", 1_000)(folded(credited(deposit(1, 1, 900_000))))).not.toThrow();
  });

  test("is not drawn where the seed's secret is unavailable", () =>
    given([welcomed])
      .when(bet("red", 1, { ...seed, secret: Buffer.alloc(32) }))
      .thenThrows(refusedAs("seed-missing")));
});

describe("a deposit", () => {
  const one = deposit(1, 10);

  test("is credited, before the first bet too", () =>
    given([])
      .when(follow([one]))
      .then([credited(one)]));

  test("is credited once, however often it is found", () => {
    given([credited(one)])
      .when(follow([one]))
      .thenNothingHappened();
    expect(folded(credited(one)).balance).toBe(50n * ATTO);
  });

  test("counts separately from another one of the same transaction", () => {
    const other = { ...one, log_index: 4 };
    given([credited(one)])
      .when(follow([one, other]))
      .then([credited(other)]);
  });

  test("that a reorg removed is taken from the account", () =>
    given([credited(one)])
      .when(follow([], [one]))
      .then([takenBack(one, 50)]));

  test("is taken back once, and only if it was credited", () => {
    given([credited(one), takenBack(one, 50)])
      .when(follow([], [one]))
      .thenNothingHappened();
    given([])
      .when(follow([], [one]))
      .thenNothingHappened();
  });

  test("that a reorg only moved to another block leaves no debt, though it was already staked", () => {
    const moved = deposit(1, 11);
    const lost = played("0", { stake: 50, payout: 0, balance: 0 });
    for (const gone of [[], [one]])
      given([credited(one), lost])
        .when(follow([moved], gone))
        .then([credited(moved), takenBack(one, 50)]);
  });

  test("that returns in its block is credited again", () =>
    given([credited(one), takenBack(one, 50)])
      .when(follow([one]))
      .then([credited(one)]));

  const debt: account.AccountEvent = {
    type: "DebtIncurred",
    data: { amount_atto: tokens(30), incurred_at: at },
  };
  const played30 = played("0", { stake: 30, payout: 0, balance: 20 });

  test("that was already staked and is taken back leaves a debt, and no negative balance", () => {
    given([credited(one), played30])
      .when(follow([], [one]))
      .then([takenBack(one, 20), debt]);
    expect(folded(credited(one), played30, takenBack(one, 20), debt)).toMatchObject({
      balance: 0n,
      debt: 30n * ATTO,
    });
  });

  test("of an account in debt pays the debt first; until then bets are refused", () => {
    const indebted = [credited(one), played30, takenBack(one, 20), debt];
    const repaid: account.AccountEvent = {
      type: "DebtRepaid",
      data: { amount_atto: tokens(30), repaid_at: at },
    };
    given(indebted).when(bet("red")).thenThrows(refusedAs("account-in-debt"));
    const two = deposit(2, 12, 40);
    given(indebted)
      .when(follow([two]))
      .then([credited(two), repaid]);
    expect(folded(...indebted, credited(two), repaid)).toMatchObject({ balance: 10n * ATTO, debt: 0n });
  });
});

test("whatever happens, balance = granted + deposited + won − staked + debt, and none is below zero", () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant("bet"),
      stake: fc.integer({ min: 1, max: 400 }),
      on: fc.constantFrom("red", "1st12", "green"),
    }),
    fc.record({
      kind: fc.constant("found"),
      transaction: fc.integer({ min: 1, max: 5 }),
      block: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({
      kind: fc.constant("gone"),
      transaction: fc.integer({ min: 1, max: 5 }),
      block: fc.integer({ min: 1, max: 3 }),
    }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let state = account.initialState();
      for (const one of steps) {
        let events: account.AccountEvent[] = [];
        try {
          if ("stake" in one) events = bet(one.on, one.stake)(state);
          else if ("transaction" in one) {
            const named = { ...deposit(one.transaction, one.block), log_index: one.transaction };
            events = one.kind === "found" ? follow([named])(state) : follow([], [named])(state);
          }
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
        for (const event of events) {
          state = account.evolve(state, event);
          expect(state.balance).toBeGreaterThanOrEqual(0n);
          if (event.type === "BetPlayed") expect(String(state.balance)).toBe(event.data.balance_atto);
        }
        const { granted, deposited, won, staked, debt, balance, deposits } = state;
        expect(balance).toBe(granted + deposited + won - staked + debt);
        expect(debt).toBeGreaterThanOrEqual(0n);
        expect(debt === 0n || balance === 0n).toBe(true);
        // A transaction is in one block.
        const transactions = [...deposits.values()].map(({ transaction }) => transaction);
        expect(new Set(transactions).size).toBe(transactions.length);
      }
    }),
  );
});
