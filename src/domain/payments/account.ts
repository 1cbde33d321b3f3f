/**
 * A tenant's USDC account: deposits and earnings, holds, and spending. It is never below zero: money that the chain
 * reverts after it was spent becomes a debt, which the next credit pays first.
 *
 * credited − reversed = available + held + spent + withdrawn − debt          (micro-USDC)
 */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { type MinedTransaction, mined } from "./payment-events.ts";
import { paymentProblems } from "./problems.ts";
import { decimalUsdc } from "./usdc.ts";

/** Micro-USDC; sums stay exact in a JavaScript number. */
const micro = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const amount_micro = micro.min(1);

const source = z.string().min(1).max(260);
const hold_id = z.string().min(1).max(100);
const withdrawal_id = z.string().min(1).max(100);

const held = { hold_id, amount_micro, for: z.string().max(100), held_at: time };

export const events = {
  AccountCredited: {
    means: "Money came into an account.",
    1: z.strictObject({
      source: source.describe("`payment:<id>`, or for earnings `task:<id>`."),
      amount_micro,
      free_at: time.describe("The money can be withdrawn from then on, and held at once."),
      credited_at: time,
    }),
  },
  AccountCreditReversed: {
    means: "A credit was reversed, because the chain reverted its payment.",
    1: z.strictObject({
      source,
      amount_micro,
      debt_micro: micro.describe("The part that the account no longer had."),
      reversed_at: time,
    }),
  },
  AccountHeld: {
    means: "Money of an account was held for something.",
    1: z.strictObject(held),
    2: z.strictObject({
      ...held,
      delegation_id: z
        .string()
        .max(100)
        .nullable()
        .describe("The delegation of a delegate's hold; null: no delegate."),
    }),
    upcast: { 1: (old: object) => ({ ...old, delegation_id: null }) },
  },
  AccountHoldReleased: {
    means: "A hold ended: a part was spent, the rest is free again.",
    1: z.strictObject({ hold_id, back_micro: micro, spent_micro: micro, released_at: time }),
  },
  WithdrawalAsked: {
    means: "A withdrawal was requested.",
    1: z
      .strictObject({
        withdrawal_id,
        to: address,
        amount_micro,
        payer: address.describe("The paying account."),
        seen_block: z.int().min(0).describe("No earlier block has the transfer."),
        valid_before: z
          .int()
          .min(1)
          .describe("Unix time in seconds: from then on the chain refuses the transfer."),
        asked_at: time,
      })
      .describe(
        "The amount leaves the account, and is paid by one authorization with a nonce derived from its id.",
      ),
  },
  WithdrawalPaid: {
    means: "The chain paid out money of an account.",
    1: z.strictObject({ withdrawal_id, ...mined, paid_at: time }),
  },
  WithdrawalReorged: {
    means: "The chain reverted the block of a payout; it is paid again.",
    1: z.strictObject({ withdrawal_id, transaction: chainHash, found_at: time }),
  },
  WithdrawalFailed: {
    means: "The chain never paid a withdrawal, and its money is in the account again.",
    1: z
      .strictObject({ withdrawal_id, amount_micro, reason: z.string().max(200), failed_at: time })
      .describe("The chain can no longer pay the withdrawal."),
  },
};

export type AccountEvent = EventOf<typeof events>;

/** `paid`: its transaction on the canonical chain. */
export type Withdrawal = DataOf<typeof events, "WithdrawalAsked"> & {
  paid: (MinedTransaction & { paid_at: string }) | null;
};

/** Micro-USDC. */
export type Sums = {
  credited: number;
  reversed: number;
  available: number;
  held: number;
  spent: number;
  withdrawn: number;
  debt: number;
};

/**
 * `holds`: amount of each, and the delegation of a delegate's hold. `delegated`: held or spent by delegates, by
 * delegation. `maturing`: credits by the hour from which they can be withdrawn. `reversible`: payments that the chain
 * may still revert. `withdrawals`: those without a final payment.
 */
export type AccountState = Sums & {
  holds: ReadonlyMap<string, { amount_micro: number; delegation_id: string | null }>;
  delegated: ReadonlyMap<string, number>;
  maturing: ReadonlyMap<string, number>;
  reversible: ReadonlyMap<string, { amount_micro: number; credited_at: string }>;
  withdrawals: ReadonlyMap<string, Withdrawal>;
};

/** One account per tenant. */
export const targetOf = (tenant: string) => ({ tenant, id: tenant });

export const prefix = "account-";

export const streamOf = (id: string) => prefix + id;

export const fold_version = 3;

export const noSums = (): Sums => ({
  credited: 0,
  reversed: 0,
  available: 0,
  held: 0,
  spent: 0,
  withdrawn: 0,
  debt: 0,
});

export const initialState = (): AccountState => ({
  ...noSums(),
  holds: new Map(),
  delegated: new Map(),
  maturing: new Map(),
  reversible: new Map(),
  withdrawals: new Map(),
});

/** A credit pays the debt first. */
export function posted(sums: Sums, { type, data }: AccountEvent): Sums {
  const { available, held, debt } = sums;
  switch (type) {
    case "AccountCredited": {
      const { amount_micro: amount } = data;
      const repaid = Math.min(debt, amount);
      const credited = sums.credited + amount;
      return { ...sums, credited, available: available + amount - repaid, debt: debt - repaid };
    }
    case "AccountCreditReversed": {
      const { amount_micro: amount, debt_micro } = data;
      const reversed = sums.reversed + amount;
      return { ...sums, reversed, available: available - amount + debt_micro, debt: debt + debt_micro };
    }
    case "AccountHeld":
      return { ...sums, available: available - data.amount_micro, held: held + data.amount_micro };
    case "AccountHoldReleased": {
      const { back_micro: back, spent_micro } = data;
      const repaid = Math.min(debt, back);
      return {
        ...sums,
        held: held - back - spent_micro,
        spent: sums.spent + spent_micro,
        available: available + back - repaid,
        debt: debt - repaid,
      };
    }
    case "WithdrawalAsked": {
      const { amount_micro: amount } = data;
      return { ...sums, available: available - amount, withdrawn: sums.withdrawn + amount };
    }
    case "WithdrawalFailed": {
      const { amount_micro: amount } = data;
      const repaid = Math.min(debt, amount);
      const withdrawn = sums.withdrawn - amount;
      return { ...sums, available: available + amount - repaid, withdrawn, debt: debt - repaid };
    }
    case "WithdrawalPaid":
    case "WithdrawalReorged":
      return sums;
  }
}

/** True if a payment brought the credit. */
export const isPayment = (name: string) => name.startsWith("payment:");

/** The source of a payment's credit. */
export const paymentSource = (payment_id: string) => `payment:${payment_id}`;

/** After this time a payment is final or has failed. */
export const REVERSIBLE_MS = 30 * 86_400_000;

export function evolve(state: AccountState, event: AccountEvent): AccountState {
  const next = { ...state, ...posted(state, event) };
  const { type, data } = event;
  switch (type) {
    case "AccountCredited": {
      const { credited_at, free_at, amount_micro } = data;
      const maturing = new Map([...state.maturing].filter(([at]) => at > credited_at));
      maturing.set(free_at, (maturing.get(free_at) ?? 0) + amount_micro);
      if (!isPayment(data.source)) return { ...next, maturing };
      const since = new Date(Date.parse(credited_at) - REVERSIBLE_MS).toISOString();
      const reversible = new Map([...state.reversible].filter(([, one]) => one.credited_at > since));
      return { ...next, maturing, reversible: reversible.set(data.source, { amount_micro, credited_at }) };
    }
    case "AccountCreditReversed": {
      const reversible = new Map(state.reversible);
      reversible.delete(data.source);
      return { ...next, reversible };
    }
    case "AccountHeld": {
      const { hold_id, amount_micro, delegation_id } = data;
      const holds = new Map(state.holds).set(hold_id, { amount_micro, delegation_id });
      return { ...next, holds, delegated: delegatedAfter(state, delegation_id, amount_micro) };
    }
    case "AccountHoldReleased": {
      const delegation_id = state.holds.get(data.hold_id)?.delegation_id ?? null;
      const holds = new Map(state.holds);
      holds.delete(data.hold_id);
      return { ...next, holds, delegated: delegatedAfter(state, delegation_id, -data.back_micro) };
    }
    default:
      return { ...next, withdrawals: withdrawalsAfter(state.withdrawals, event) };
  }
}

/** Released money of a hold is the delegate's to spend again. */
function delegatedAfter({ delegated }: AccountState, delegation_id: string | null, micro: number) {
  if (delegation_id === null) return delegated;
  return new Map(delegated).set(delegation_id, (delegated.get(delegation_id) ?? 0) + micro);
}

type WithdrawalEvent = Extract<AccountEvent, { type: `Withdrawal${string}` }>;

function withdrawalsAfter(before: AccountState["withdrawals"], { type, data }: WithdrawalEvent) {
  const { withdrawal_id: id } = data;
  const withdrawals = new Map(before);
  if (type === "WithdrawalAsked") {
    const since = new Date(Date.parse(data.asked_at) - DAY_MS).toISOString();
    for (const [id, { paid }] of before) if (paid && paid.paid_at < since) withdrawals.delete(id);
    return withdrawals.set(id, { ...data, paid: null });
  }
  const withdrawal = before.get(id);
  if (type === "WithdrawalFailed") withdrawals.delete(id);
  else if (withdrawal)
    withdrawals.set(id, { ...withdrawal, paid: type === "WithdrawalPaid" ? paidBy(data) : null });
  return withdrawals;
}

const paidBy = ({
  transaction,
  block_number,
  block_hash,
  fee_wei,
  paid_at,
}: MinedTransaction & { paid_at: string }) => ({
  transaction,
  block_number,
  block_hash,
  fee_wei,
  paid_at,
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The first full hour a day later: by then a payment is final, and sold work has been checked. */
export const freeAt = (credited_at: string): string =>
  new Date(Math.ceil((Date.parse(credited_at) + DAY_MS) / HOUR_MS) * HOUR_MS).toISOString();

const CHECK = "check:";

/** The hold of recent income as collateral of a result, until its check. */
export const checkHoldOf = (task_id: string) => CHECK + task_id;

/** Available money that came in within the last day, without collateral. */
export const maturingAt = ({ maturing, holds, available }: AccountState, now: string): number => {
  const sum = [...maturing].reduce((sum, [at, amount]) => (at > now ? sum + amount : sum), 0);
  const answering = [...holds].reduce(
    (sum, [id, { amount_micro }]) => (id.startsWith(CHECK) ? sum + amount_micro : sum),
    0,
  );
  return Math.max(0, Math.min(sum - answering, available));
};

/** The same commit decides the payment or task of a credit, so it happens once. */
export const credit =
  ({ source, amount_micro, at }: { source: string; amount_micro: number; at: string }, cap_micro?: number) =>
  ({ available, held }: AccountState): AccountEvent[] => {
    if (cap_micro !== undefined && available + held + amount_micro > cap_micro)
      refuse(
        paymentProblems["account-full"],
        `an account holds ${decimalUsdc(cap_micro)} USDC at most, and this one holds ${decimalUsdc(available + held)}; spend some first`,
      );
    return [
      { type: "AccountCredited", data: { source, amount_micro, free_at: freeAt(at), credited_at: at } },
    ];
  };

/** The chain reverted a payment for good; a missing part of it becomes a debt. Repeatable. */
export const reverse =
  (source: string, reversed_at: string) =>
  ({ reversible, available }: AccountState): AccountEvent[] => {
    const credited = reversible.get(source);
    if (!credited) return [];
    const { amount_micro } = credited;
    const debt_micro = Math.max(0, amount_micro - available);
    return [{ type: "AccountCreditReversed", data: { source, amount_micro, debt_micro, reversed_at } }];
  };

export type Hold = { hold_id: string; amount_micro: number; for: string };

/** A delegate's total limit by its delegation. */
export type Allowance = { delegation_id: string; max_micro: number };

/** Refuses `funds-missing` if less is available, and a delegate's hold beyond its allowance. */
export const hold =
  (request: Hold, held_at: string, by?: Allowance) =>
  ({ available, holds, delegated }: AccountState): AccountEvent[] => {
    if (holds.has(request.hold_id)) refuse("conflict", `${request.hold_id} is held already`);
    const left = by ? by.max_micro - (delegated.get(by.delegation_id) ?? 0) : request.amount_micro;
    if (request.amount_micro > left)
      refuse(
        paymentProblems["delegation-spent"],
        `this call reserves ${decimalUsdc(request.amount_micro)} USDC, but your delegation has ${decimalUsdc(left)} left to spend`,
      );
    if (request.amount_micro > available)
      refuse(
        paymentProblems["funds-missing"],
        `this call reserves ${decimalUsdc(request.amount_micro)} USDC, but the account has ${decimalUsdc(available)}`,
      );
    const delegation_id = by?.delegation_id ?? null;
    return [{ type: "AccountHeld", data: { ...request, delegation_id, held_at } }];
  };

/** Ends a hold: `spent_micro` leaves the account, the rest is available again. */
export const release =
  (hold_id: string, spent_micro: number, released_at: string) =>
  ({ holds }: AccountState): AccountEvent[] => {
    const { amount_micro: held } = holds.get(hold_id) ?? refuse("conflict", `${hold_id} is not held`);
    if (!Number.isSafeInteger(spent_micro) || spent_micro < 0 || spent_micro > held)
      refuse("invalid", `spent_micro: is a whole number from 0 to the ${held} that are held`);
    const back_micro = held - spent_micro;
    return [{ type: "AccountHoldReleased", data: { hold_id, back_micro, spent_micro, released_at } }];
  };

/** Takes up to this amount at once, as a hold that is spent whole; takes nothing from an empty account. */
export const take =
  (request: Hold, at: string) =>
  (state: AccountState): AccountEvent[] => {
    const amount_micro = Math.min(request.amount_micro, state.available);
    if (amount_micro === 0) return [];
    const held = hold({ ...request, amount_micro }, at)(state);
    return [...held, ...release(request.hold_id, amount_micro, at)(held.reduce(evolve, state))];
  };
