/** The port of limits by address, for tests that are about something else. */
import type { AddressLimits } from "../../src/core/model/ports/address-limits.ts";

export const unlimitedCalls: AddressLimits = {
  take: async () => ({ granted: true, remaining: 1, reset_s: 1 }),
  add: () => {},
  isSpent: () => false,
};
