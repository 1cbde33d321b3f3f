/** Prices and penalties of tasks in whole micro-USDC. */

/** ceil(rate · limit / 3600): the price covers the whole limit, so slowness pays nothing. */
export const priceOf = (hourly_rate_micro: number, limit_s: number): number =>
  Math.max(1, Math.ceil((hourly_rate_micro * limit_s) / 3_600));

/** 90 to 10; the remainder goes to the provider. */
export function sharesOf(price_micro: number): { provider_micro: number; fee_micro: number } {
  const fee_micro = Math.floor(price_micro / 10);
  return { provider_micro: price_micro - fee_micro, fee_micro };
}

/** Bond of each side of a dispute: a tenth of the price, 0.01 USDC at least. */
export const bondOf = (price_micro: number): number => Math.max(10_000, Math.ceil(price_micro / 10));

/** After this many valid audits in a row, audits become random. */
export const SURE_AFTER = 10;

/**
 * The probability of an audit in millionths, rounded up: max(1/v, price/(price + S)), and certain while v < 10. `v`:
 * valid audited results in a row (BOINC's adaptive replication: from ten on one in v). `S`: the most that the node can
 * lose. So p·S ≥ (1 − p)·price: cheating costs more than it brings.
 */
export function auditMicro(v: number, price_micro: number, at_stake_micro: number): number {
  if (v < SURE_AFTER) return 1_000_000;
  const share = price_micro / (price_micro + at_stake_micro);
  return Math.min(1_000_000, Math.ceil(1e6 * Math.max(1 / v, share)));
}

/** The penalty of a wrong result apart from its price: min(S, max(price, floor(price · (1 − p)/p))). */
export function slashMicro(price_micro: number, p_micro: number, at_stake_micro: number): number {
  const gained = Math.floor((price_micro * (1_000_000 - p_micro)) / p_micro);
  return Math.min(at_stake_micro, Math.max(price_micro, gained));
}

export const sides = ["worker", "requester"] as const;
export type Side = (typeof sides)[number];

/** The account reserves a side's bond under this id. */
export const bondHoldOf = (task_id: string, side: Side): string => `bond:${side}:${task_id}`;
