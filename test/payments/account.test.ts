/** Accounts: every transition, every refusal, and invariants. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import * as account from "../../src/domain/payments/account.ts";
import { refusedAs, specificationOf } from "../support/specification.ts";

const at = "2026-11-22T12:10:00.000Z";
const free_at = "2026-11-23T13:00:00.000Z";

const given = specificationOf(account);
const folded = (...events: account.AccountEvent[]) => events.reduce(account.evolve, account.initialState());

const source = account.paymentSource("one");
const credited = (amount_micro: number, from = source): account.AccountEvent => ({
  type: "AccountCredited",
  data: { source: from, amount_micro, free_at, credited_at: at },
});
const held = (
  hold_id: string,
  amount_micro: number,
  delegation_id: string | null = null,
): account.AccountEvent => ({
  type: "AccountHeld",
  data: { hold_id, amount_micro, for: "a task", delegation_id, held_at: at },
});
const released = (hold_id: string, back_micro: number, spent_micro: number): account.AccountEvent => ({
  type: "AccountHoldReleased",
  data: { hold_id, back_micro, spent_micro, released_at: at },
});
const reversed = (amount_micro: number, debt_micro: number): account.AccountEvent => ({
  type: "AccountCreditReversed",
  data: { source, amount_micro, debt_micro, reversed_at: at },
});
const hold = (hold_id: string, amount_micro: number) =>
  account.hold({ hold_id, amount_micro, for: "a task" }, at);

test("a delegate spends up to its allowance: released money counts again, spent money does not", () => {
  const by = { delegation_id: "d", max_micro: 500 };
  const holding = (hold_id: string, amount_micro: number, of = by) =>
    account.hold({ hold_id, amount_micro, for: "a task" }, at, of);
  const rich = [credited(10_000)];
  expect(holding("a", 500)(folded(...rich))).toEqual([held("a", 500, "d")]);
  const spent = refusedAs("delegation-spent");
  const refusedBy = (state: account.AccountState, micro: number) => {
    try {
      holding("next", micro)(state);
    } catch (error) {
      return spent(error);
    }
    return false;
  };
  expect(refusedBy(folded(...rich), 501)).toBe(true);
  const first = [...rich, held("a", 300, "d"), held("own", 9_000)];
  expect(refusedBy(folded(...first), 200)).toBe(false);
  expect(refusedBy(folded(...first), 201)).toBe(true);
  const after = folded(...first, released("a", 100, 200));
  expect([refusedBy(after, 300), refusedBy(after, 301)]).toEqual([false, true]);
  expect(holding("b", 500, { ...by, delegation_id: "other" })(after)).toHaveLength(1);
  expect(refusedBy(folded(...rich, held("a", 1, "d")), 500)).toBe(true);
});

describe("a credit", () => {
  test("can be withdrawn from the first full hour a day later", () => {
    given([])
      .when(account.credit({ source, amount_micro: 5, at }))
      .then([credited(5)]);
    const state = folded(credited(5));
    expect(account.maturingAt(state, "2026-11-23T12:59:59.999Z")).toBe(5);
    expect(account.maturingAt(state, free_at)).toBe(0);
  });

  test("respects the account's cap, holds included", () => {
    const more = (amount_micro: number) => account.credit({ source, amount_micro, at }, 10);
    given([credited(6), held("h", 4)])
      .when(more(5))
      .thenThrows(refusedAs("account-full"));
    given([credited(6), held("h", 4)])
      .when(more(4))
      .then([credited(4)]);
  });
});

describe("a hold", () => {
  test("takes available money, and no more", () => {
    // Emmett's comparison does not accept null.
    expect(hold("h", 5)(folded(credited(5)))).toEqual([held("h", 5)]);
    given([credited(5)])
      .when(hold("h", 6))
      .thenThrows(refusedAs("funds-missing"));
    given([credited(5), held("h", 5)])
      .when(hold("i", 1))
      .thenThrows(refusedAs("funds-missing"));
  });

  test("exists once", () =>
    given([credited(5), held("h", 1)])
      .when(hold("h", 1))
      .thenThrows(refusedAs("conflict")));

  test("ends once: a part is spent, the rest is available again", () => {
    given([credited(5), held("h", 5)])
      .when(account.release("h", 3, at))
      .then([released("h", 2, 3)]);
    expect(folded(credited(5), held("h", 5), released("h", 2, 3))).toMatchObject({
      available: 2,
      held: 0,
      spent: 3,
    });
    given([credited(5), held("h", 5), released("h", 2, 3)])
      .when(account.release("h", 3, at))
      .thenThrows(refusedAs("conflict"));
  });

  test("spends no more than its amount", () => {
    for (const spent of [6, -1, 0.5])
      given([credited(9), held("h", 5)])
        .when(account.release("h", spent, at))
        .thenThrows(refusedAs("invalid"));
  });

  test("that is taken at once is spent whole, up to the balance", () => {
    const take = account.take({ hold_id: "s", amount_micro: 9, for: "a task" }, at);
    expect(take(folded(credited(5)))).toEqual([held("s", 5), released("s", 0, 5)]);
    given([]).when(take).thenNothingHappened();
  });
});

describe("a reverted payment", () => {
  test("is reversed once, and only where it was credited", () => {
    given([credited(5)])
      .when(account.reverse(source, at))
      .then([reversed(5, 0)]);
    given([credited(5), reversed(5, 0)])
      .when(account.reverse(source, at))
      .thenNothingHappened();
    given([credited(5, "task:t")])
      .when(account.reverse("task:t", at))
      .thenNothingHappened();
  });

  test("leaves a debt of its spent or held part, which the next credit pays first", () => {
    given([credited(5), held("h", 3)])
      .when(account.reverse(source, at))
      .then([reversed(5, 3)]);
    const indebted = [credited(5), held("h", 3), reversed(5, 3)];
    expect(folded(...indebted)).toMatchObject({ available: 0, held: 3, debt: 3 });
    expect(folded(...indebted, released("h", 2, 1))).toMatchObject({ available: 0, debt: 1 });
    expect(folded(...indebted, credited(4, "task:t"))).toMatchObject({ available: 1, debt: 0 });
  });
});

test("in every order of events nothing is below zero, and credited − reversed = available + held + spent − debt", () => {
  const name = fc.constantFrom("a", "b", "c");
  const amount_micro = fc.integer({ min: 1, max: 20 });
  const step = fc.oneof(
    fc.record({ kind: fc.constant("credit" as const), name, amount_micro }),
    fc.record({ kind: fc.constant("reverse" as const), name }),
    fc.record({ kind: fc.constant("hold" as const), name, amount_micro }),
    fc.record({ kind: fc.constant("release" as const), name, amount_micro }),
    fc.record({ kind: fc.constant("take" as const), name, amount_micro }),
  );
  const decisionOf = (one: typeof step extends fc.Arbitrary<infer T> ? T : never) => {
    switch (one.kind) {
      case "credit":
        return account.credit({ ...one, source: account.paymentSource(one.name), at });
      case "reverse":
        return account.reverse(account.paymentSource(one.name), at);
      case "hold":
        return hold(one.name, one.amount_micro);
      case "release":
        return account.release(one.name, one.amount_micro, at);
      case "take":
        return account.take(
          { hold_id: `take ${one.name}`, amount_micro: one.amount_micro, for: "a task" },
          at,
        );
    }
  };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let state = account.initialState();
      for (const one of steps) {
        let events: account.AccountEvent[] = [];
        try {
          events = decisionOf(one)(state);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
        state = events.reduce(account.evolve, state);
        const { credited, reversed, available, held, spent, debt, holds } = state;
        for (const sum of [available, held, spent, debt, reversed]) expect(sum).toBeGreaterThanOrEqual(0);
        expect(credited - reversed).toBe(available + held + spent - debt);
        expect([...holds.values()].reduce((sum, { amount_micro }) => sum + amount_micro, 0)).toBe(held);
        expect(debt === 0 || available === 0).toBe(true);
      }
    }),
  );
});
