/** So many calls of an address in a minute or an hour from its first, or in a UTC day. */
export type CallLimit = { name: string; calls: number; per: "minute" | "hour" | "day" };

/** Whether a call was granted, how many are left after it, and in how many seconds they all are again. */
export type CallsLeft = { granted: boolean; remaining: number; reset_s: number };

/** Calls counted by address, once for all processes. A limit's name is its own: it is either taken from or added to. */
export type AddressLimits = {
  /** Takes one of the calls that an address has; never grants more than there are. */
  take(limit: CallLimit, address: string): Promise<CallsLeft>;
  /** Counts what an address did, after the fact. */
  add(limit: CallLimit, address: string, points?: number): void;
  /** Whether that has reached the limit, as far as this process has heard. */
  isSpent(limit: CallLimit, address: string): boolean;
};
