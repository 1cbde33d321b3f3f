/** The numbers of the method ts-trust/1. A test leaves out one at a time and must see a vector change. */

/** Points and weights are in millionths. */
const MICRO = 1_000_000;

export const METHOD = "ts-trust/1";

export const TS_TRUST_1 = {
  /** No score is higher. */
  most: 100 * MICRO,
  /** What completed tasks may come to. */
  tasks_most: 60 * MICRO,
  /** What priced calls may come to. */
  spend_most: 10 * MICRO,
  /** What one payment may come to: more than `spend_most`, and its product with the decay is exact. */
  payment_most: 90 * MICRO,
  /** What one agent may say of another, over all skills: a second skill buys no second voice. */
  pair_most: 10 * MICRO,
  /** What one agent may say of all others; beyond that, all that it says counts for less. */
  budget: 20 * MICRO,
  /** A full budget hands on half of its giver's score, so that no circle can climb. */
  divisor: 40 * MICRO,
  /** Whether what an agent says of itself counts. */
  own_voice: false,
  /** Rounds at most. */
  rounds: 64,
} as const;

export type Rules = {
  readonly [Name in keyof typeof TS_TRUST_1]: (typeof TS_TRUST_1)[Name] extends number ? number : boolean;
};

/** What a slash, or a dispute that was lost, costs before it decays. */
export const PENALTY_MICRO = 10 * MICRO;

/** Paid calls that are no evidence: what buys goods, a voice or the work of others, or may come back, is not kept for an answer. */
export const NOT_SPENT: readonly string[] = [
  "soul_attest",
  "soul_attest_batch",
  "orders_pay",
  "compute_submit",
  "compute_dispute",
  "soul_bounty_fund",
  "soul_stack_buy",
];

/** What task points are worth and how often they count. */
export const TASKS_1 = {
  /** Micro-points of a task for each hundredth of `full_fee_micro`. */
  points_a_step: 20_000,
  steps: 100,
  step_fee_micro: 100,
  /** Points that a USDC kept from a requester buys, once and for all its providers. */
  points_a_usdc: 6,
  /** Days for which what was kept and given counts. */
  days: 180,
  /** Counted tasks of one requester and provider at most, within so many days. */
  window_tasks: 3,
  window_days: 30,
} as const;

export type TaskRules = { readonly [Name in keyof typeof TASKS_1]: number };
