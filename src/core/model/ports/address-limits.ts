/** Minutes and hours start with the first call; days are UTC. */
export type CallLimit = { name: string; calls: number; per: "minute" | "hour" | "day" };

export type CallsLeft = { granted: boolean; remaining: number; reset_s: number };

/** Counts for all processes. Use either `take` or `add` on a limit's name. */
export type AddressLimits = {
  /** Exact: never grants more than the limit. */
  take(limit: CallLimit, address: string): Promise<CallsLeft>;
  /** Gives a granted call back to the limit while its window lasts. */
  giveBack(limit: CallLimit, address: string): void;
  add(limit: CallLimit, address: string, points?: number): void;
  isSpent(limit: CallLimit, address: string): boolean;
};
