/**
 * A tenant's account in USDC: what was paid in or earned, what is held for something, and what was spent. It is never below zero: what
 * the chain takes back after it was spent is a debt, which whatever comes in next pays first.
 *
 *   credited − reversed = available + held + spent + withdrawn − debt          (micro-USDC)
 */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { type Mined, mined } from "./payment-events.ts";
import { paymentProblems } from "./problems.ts";
import { decimalUsdc } from "./usdc.ts";

/** Micro-USDC; sums of them stay exact in a JavaScript number. */
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
      source: source.describe("`payment:<id>`, or what was earned: `task:<id>`."),
      amount_micro,
      free_at: time.describe("From then on it can leave the account; held it can be at once."),
      credited_at: time,
    }),
  },
  AccountCreditReversed: {
    means: "Money that had come into an account was taken back, because the chain took it back.",
    1: z.strictObject({
      source,
      amount_micro,
      debt_micro: micro.describe("What of it was not there any more."),
      reversed_at: time,
    }),
  },
  AccountHeld: {
    means: "Money of an account was set aside for something.",
    1: z.strictObject(held),
    2: z.strictObject({
      ...held,
      delegation_id: z
        .string()
        .max(100)
        .nullable()
        .describe("By which a delegate held it; null: nobody did."),
    }),
    upcast: { 1: (old: object) => ({ ...old, delegation_id: null }) },
  },
  AccountHoldReleased: {
    means: "Money that had been set aside was spent, and the rest is free again.",
    1: z.strictObject({ hold_id, back_micro: micro, spent_micro: micro, released_at: time }),
  },
  WithdrawalAsked: {
    means: "Somebody asked for money of an account to be paid out.",
    1: z
      .strictObject({
        withdrawal_id,
        to: address,
        amount_micro,
        payer: address.describe("Whose USDC it is paid from."),
        seen_block: z.int().min(0).describe("It is in no block before."),
        valid_before: z
          .int()
          .min(1)
          .describe("Unix time in seconds: from then on the chain does not take it."),
        asked_at: time,
      })
      .describe("It leaves the account, and is paid by one authorization whose nonce follows from its id."),
  },
  WithdrawalPaid: {
    means: "The chain paid out money of an account.",
    1: z.strictObject({ withdrawal_id, ...mined, paid_at: time }),
  },
  WithdrawalReorged: {
    means: "The chain took back the block of a payout; it is paid again.",
    1: z.strictObject({ withdrawal_id, transaction: chainHash, found_at: time }),
  },
  WithdrawalFailed: {
    means: "A payout never moved, and its money is in the account again.",
    1: z
      .strictObject({ withdrawal_id, amount_micro, reason: z.string().max(200), failed_at: time })
      .describe("It never moves: the money is in the account again."),
  },
};

export type AccountEvent = EventOf<typeof events>;

/** One that was asked for. `paid`: in which transaction, as the chain stands now. */
export type Withdrawal = DataOf<typeof events, "WithdrawalAsked"> & {
  paid: (Mined & { paid_at: string }) | null;
};

/** Sums in micro-USDC. */
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
 * `holds`: the amount of each, and by which delegation a delegate set it aside. `delegated`: what delegates spend or hold, by delegation.
 * `maturing`: what came in, by the hour from which it can leave. `reversible`: payments that the chain may still take back.
 * `withdrawals`: those that are not paid for good yet.
 */
export type AccountState = Sums & {
  holds: ReadonlyMap<string, { amount_micro: number; delegation_id: string | null }>;
  delegated: ReadonlyMap<string, number>;
  maturing: ReadonlyMap<string, number>;
  reversible: ReadonlyMap<string, { amount_micro: number; credited_at: string }>;
  withdrawals: ReadonlyMap<string, Withdrawal>;
};

/** Each tenant has one. */
export const targetOf = (tenant: string) => ({ tenant, id: tenant });

/** What its streams are named by, before the id. */
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

/** The sums after an event. What comes in pays the debt first. */
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

/** Whether a credit was brought by a payment. */
export const isPayment = (name: string) => name.startsWith("payment:");

/** The source of a credit that a payment brought. */
export const paymentSource = (payment_id: string) => `payment:${payment_id}`;

/** A payment that is so old is final, or never will be anything. */
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

/** What comes back of a hold is a delegate's to spend again. */
function delegatedAfter({ delegated }: AccountState, delegation_id: string | null, micro: number) {
  if (delegation_id === null) return delegated;
  return new Map(delegated).set(delegation_id, (delegated.get(delegation_id) ?? 0) + micro);
}

type OfWithdrawals = Extract<AccountEvent, { type: `Withdrawal${string}` }>;

function withdrawalsAfter(before: AccountState["withdrawals"], { type, data }: OfWithdrawals) {
  const { withdrawal_id: id } = data;
  const withdrawals = new Map(before);
  if (type === "WithdrawalAsked") {
    const since = new Date(Date.parse(data.asked_at) - DAY_MS).toISOString();
    for (const [id, { paid }] of before) if (paid && paid.paid_at < since) withdrawals.delete(id);
    return withdrawals.set(id, { ...data, paid: null });
  }
  const known = before.get(id);
  if (type === "WithdrawalFailed") withdrawals.delete(id);
  else if (known) withdrawals.set(id, { ...known, paid: type === "WithdrawalPaid" ? paidBy(data) : null });
  return withdrawals;
}

const paidBy = ({
  transaction,
  block_number,
  block_hash,
  fee_wei,
  paid_at,
}: Mined & { paid_at: string }) => ({
  transaction,
  block_number,
  block_hash,
  fee_wei,
  paid_at,
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The first full hour a day later: until then a payment is final, and work that was sold can be found to be wrong. */
export const freeAt = (credited_at: string): string =>
  new Date(Math.ceil((Date.parse(credited_at) + DAY_MS) / HOUR_MS) * HOUR_MS).toISOString();

const CHECK = "check:";

/** The hold of what came in lately and answers for a result until that is checked. */
export const checkHoldOf = (task_id: string) => CHECK + task_id;

/** What is available and came in within the last day, without what answers for results. */
export const maturingAt = ({ maturing, holds, available }: AccountState, now: string): number => {
  const sum = [...maturing].reduce((sum, [at, amount]) => (at > now ? sum + amount : sum), 0);
  const answering = [...holds].reduce(
    (sum, [id, { amount_micro }]) => (id.startsWith(CHECK) ? sum + amount_micro : sum),
    0,
  );
  return Math.max(0, Math.min(sum - answering, available));
};

/** Money comes in. It comes once because whatever brings it, a payment or a task, is decided in the same commit. */
export const credit =
  ({ source, amount_micro, at }: { source: string; amount_micro: number; at: string }, cap_micro?: number) =>
  ({ available, held }: AccountState): AccountEvent[] => {
    if (cap_micro !== undefined && available + held + amount_micro > cap_micro)
      refuse(
        paymentProblems["account-full"],
        `an account holds ${decimalUsdc(cap_micro)} USDC at most, and this one holds ${decimalUsdc(available + held)}; use what is there first`,
      );
    return [
      { type: "AccountCredited", data: { source, amount_micro, free_at: freeAt(at), credited_at: at } },
    ];
  };

/** The chain took a payment back for good; what of it is not there any more is a debt. Said twice, it is so once. */
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

/** How much a delegate spends in all by its delegation. */
export type Allowance = { delegation_id: string; max_micro: number };

/** Sets money aside; refuses `funds-missing` where less is available, and a delegate what goes beyond its allowance. */
export const hold =
  (wanted: Hold, held_at: string, by?: Allowance) =>
  ({ available, holds, delegated }: AccountState): AccountEvent[] => {
    if (holds.has(wanted.hold_id)) refuse("conflict", `${wanted.hold_id} is held already`);
    const left = by ? by.max_micro - (delegated.get(by.delegation_id) ?? 0) : wanted.amount_micro;
    if (wanted.amount_micro > left)
      refuse(
        paymentProblems["delegation-spent"],
        `this holds ${decimalUsdc(wanted.amount_micro)} USDC, and by your delegation you have ${decimalUsdc(left)} left to spend`,
      );
    if (wanted.amount_micro > available)
      refuse(
        paymentProblems["funds-missing"],
        `this holds ${decimalUsdc(wanted.amount_micro)} USDC, and the account has ${decimalUsdc(available)}`,
      );
    const delegation_id = by?.delegation_id ?? null;
    return [{ type: "AccountHeld", data: { ...wanted, delegation_id, held_at } }];
  };

/** Ends a hold: `spent_micro` of it leaves the account, the rest comes back. */
export const release =
  (hold_id: string, spent_micro: number, released_at: string) =>
  ({ holds }: AccountState): AccountEvent[] => {
    const { amount_micro: held } = holds.get(hold_id) ?? refuse("conflict", `${hold_id} is not held`);
    if (!Number.isSafeInteger(spent_micro) || spent_micro < 0 || spent_micro > held)
      refuse("invalid", `spent_micro: is a whole number from 0 to the ${held} that are held`);
    const back_micro = held - spent_micro;
    return [{ type: "AccountHoldReleased", data: { hold_id, back_micro, spent_micro, released_at } }];
  };

/** Takes up to so much at once, as a hold that is spent whole; nothing where nothing is there. */
export const take =
  (wanted: Hold, at: string) =>
  (state: AccountState): AccountEvent[] => {
    const amount_micro = Math.min(wanted.amount_micro, state.available);
    if (amount_micro === 0) return [];
    const held = hold({ ...wanted, amount_micro }, at)(state);
    return [...held, ...release(wanted.hold_id, amount_micro, at)(held.reduce(evolve, state))];
  };
