/** The constants of the method ts-trust/1. A test omits each in turn and requires another result. */

/** Points and weights are in millionths. */
const MICRO = 1_000_000;

export const METHOD = "ts-trust/1";

export const TS_TRUST_1 = {
  /** The highest score. */
  most: 100 * MICRO,
  /** The cap of completed tasks. */
  tasks_most: 60 * MICRO,
  /** The cap of paid calls. */
  spend_most: 10 * MICRO,
  /** The cap of one payment, above `spend_most`; its product with the decay stays exact. */
  payment_most: 90 * MICRO,
  /** The cap of one pair over all skills: a second skill adds no second voice. */
  pair_most: 10 * MICRO,
  /** The cap of an attestor's sum; above it, all its weights shrink. */
  budget: 20 * MICRO,
  /** A full budget passes on half of its giver's score, so no circle can climb. */
  divisor: 40 * MICRO,
  /** Self-attestations count. */
  own_voice: false,
  /** The most rounds. */
  rounds: 64,
} as const;

export type Rules = {
  readonly [Name in keyof typeof TS_TRUST_1]: (typeof TS_TRUST_1)[Name] extends number ? number : boolean;
};

/** Cost of a slash or a lost dispute before decay. */
export const PENALTY_MICRO = 10 * MICRO;

/** Paid calls that are not evidence: goods, attestations, others' work, or refundable money. */
export const NOT_SPENT: readonly string[] = [
  "soul_attest",
  "soul_attest_batch",
  "orders_pay",
  "compute_submit",
  "compute_dispute",
  "soul_bounty_fund",
  "soul_stack_buy",
];

/** Points of tasks, and their limits. */
export const TASKS_1 = {
  /** Micro-points of a task per hundredth of `full_fee_micro`. */
  points_a_step: 20_000,
  steps: 100,
  step_fee_micro: 100,
  /** Points that one spent USDC of a requester allows, for all its providers and once. */
  points_a_usdc: 6,
  /** Spent and given sums count for this many days. */
  days: 180,
  /** The most counted tasks of one requester and provider within `window_days`. */
  window_tasks: 3,
  window_days: 30,
} as const;

export type TaskRules = { readonly [Name in keyof typeof TASKS_1]: number };
