/** What tasks cost, and what is lost by whoever is wrong: micro-USDC, whole units. */

/** ceil(rate · limit / 3600): what a node asks for the whole limit, so that being slow pays nothing. */
export const priceOf = (hourly_rate_micro: number, limit_s: number): number =>
  Math.max(1, Math.ceil((hourly_rate_micro * limit_s) / 3_600));

/** 90 to 10, the odd unit to the provider. */
export function sharesOf(price_micro: number): { provider_micro: number; fee_micro: number } {
  const fee_micro = Math.floor(price_micro / 10);
  return { provider_micro: price_micro - fee_micro, fee_micro };
}

/** What each side of a dispute puts up: a tenth of the price, 0.01 USDC at least. */
export const bondOf = (price_micro: number): number => Math.max(10_000, Math.ceil(price_micro / 10));

/** Valid audits in a row from which a node is not audited each time. */
export const SURE_AFTER = 10;

/**
 * The probability of an audit in millionths, rounded up: max(1/v, price/(price + S)), and certain while v is below 10. `v`: valid
 * audited results in a row (BOINC's adaptive replication: from ten on one in v). `S`: what the node can lose; so p·S ≥ (1 − p)·price,
 * and cheating brings less than it costs.
 */
export function auditMicro(v: number, price_micro: number, at_stake_micro: number): number {
  if (v < SURE_AFTER) return 1_000_000;
  const share = price_micro / (price_micro + at_stake_micro);
  return Math.min(1_000_000, Math.ceil(1e6 * Math.max(1 / v, share)));
}

/** What a wrong result costs beside its price: min(S, max(price, floor(price · (1 − p)/p))). */
export function slashMicro(price_micro: number, p_micro: number, at_stake_micro: number): number {
  const gained = Math.floor((price_micro * (1_000_000 - p_micro)) / p_micro);
  return Math.min(at_stake_micro, Math.max(price_micro, gained));
}

/** Who has a part in a task. */
export const sides = ["worker", "requester"] as const;
export type Side = (typeof sides)[number];

/** The hold of what a side of a dispute puts up. */
export const bondHoldOf = (task_id: string, side: Side): string => `bond:${side}:${task_id}`;
