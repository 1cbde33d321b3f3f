/** A window of minutes or hours starts with the first call; days are days in UTC. */
export type CallLimit = { name: string; calls: number; per: "minute" | "hour" | "day" };

export type CallsLeft = { granted: boolean; remaining: number; reset_s: number };

/** Limits by address that all processes share. For one limit's name, use either `take` or `add`. */
export type AddressLimits = {
  /** Counts exactly: never grants more than the limit. */
  take(limit: CallLimit, address: string): Promise<CallsLeft>;
  /** Gives a granted call back to the limit while its window lasts. */
  giveBack(limit: CallLimit, address: string): void;
  add(limit: CallLimit, address: string, points?: number): void;
  isSpent(limit: CallLimit, address: string): boolean;
};
