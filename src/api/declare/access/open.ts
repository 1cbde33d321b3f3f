import type { AddressLimits, CallLimit } from "../../../core/model/ports/address-limits.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import { addressBlock } from "../address.ts";
import type { OpeningSetting, Way } from "./way.ts";

/** Operations may use one limit under the same `shared` name. */
export type OwnLimit = Pick<CallLimit, "calls" | "per"> & { shared?: string };

/**
 * Without `own`, all open operations share one limit a minute, from which API keys are exempt. `own` counts every caller by
 * address.
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
      // Subjects' keys are free, so the key is counted: its owner may use many addresses.
      const counted = !own && caller.kind === "subject" ? caller.key_id : addressBlock(presented.ip);
      const refusal = await beyond(limits, limit, counted, own?.shared);
      if (refusal) return refusal;
    }
    return { caller, pays: false, headers: {} };
  },
});

export const openWhere = (setting: OpeningSetting): Way => {
  const { is_open: _, ...way } = open();
  return {
    ...way,
    kind: "opened",
    security: [],
    admit: async (attempt, parts) => (parts.opened?.[setting] ? way.admit(attempt, parts) : undefined),
  };
};

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
