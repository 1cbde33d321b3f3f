/** By anybody, free: within a limit by address. */
import type { AddressLimits, CallLimit } from "../../../core/model/ports/address-limits.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import { addressBlock } from "../address.ts";
import type { OpeningSetting, Way } from "./way.ts";

/** A limit of the operation's own, such as 20 an hour, or of several that name the same one as `shared`. */
export type OwnLimit = Pick<CallLimit, "calls" | "per"> & { shared?: string };

/**
 * By anybody, free. All such operations share one limit a minute, which API keys are free of; one with a limit of its own
 * counts every call of an address, whoever asks.
 */
export const open = (own?: OwnLimit): Way => ({
  kind: "open",
  is_open: true,
  price: own ? `free, ${own.calls} ${EACH[own.per]}` : "free",
  security: [{}],
  schemes: {},
  statuses: [],
  async admit({ operation, presented, identity }, { limits, open_per_minute }) {
    const { caller } = identity;
    const limit: CallLimit = own
      ? { name: own.shared ?? operation.name, calls: own.calls, per: own.per }
      : { name: "open", calls: open_per_minute, per: "minute" };
    if (own || caller.kind !== "key") {
      // A subject's key is free, so it is counted itself: its owner may call from many addresses.
      const counted = !own && caller.kind === "subject" ? caller.key_id : addressBlock(presented.ip);
      const refusal = await beyond(limits, limit, counted, own?.shared);
      if (refusal) return refusal;
    }
    return { caller, pays: false, headers: {} };
  },
});

/** By anybody, free, where a setting of the operator's says so; otherwise the next way in counts. */
export const openWhere = (setting: OpeningSetting): Way => {
  const { is_open: _, ...way } = open();
  return {
    ...way,
    kind: "opened",
    security: [],
    admit: async (attempt, parts) => (parts.opened?.[setting] ? way.admit(attempt, parts) : undefined),
  };
};

/** Counts a call of somebody against a limit; the refusal of one that is beyond it. */
export async function beyond(
  limits: AddressLimits,
  limit: CallLimit,
  counted: string,
  kind = "free",
): Promise<Refusal | undefined> {
  const { granted, reset_s } = await limits.take(limit, counted);
  if (granted) return undefined;
  return new Refusal(
    coreProblems["rate-limited"],
    `${kind} calls are limited to ${limit.calls} ${EACH[limit.per]}: wait the seconds in Retry-After`,
    { retry_after_s: reset_s },
  );
}

export const EACH = { minute: "a minute", hour: "an hour", day: "a day" } as const;
