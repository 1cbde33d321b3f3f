/** Unlimited addresses, for tests of other things. */
import type { AddressLimits } from "../../src/core/model/ports/address-limits.ts";

export const unlimitedCalls: AddressLimits = {
  take: async () => ({ granted: true, remaining: 1, reset_s: 1 }),
  giveBack: () => {},
  add: () => {},
  isSpent: () => false,
};
