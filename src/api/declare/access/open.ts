import type { AddressLimits, CallLimit, CallsLeft } from "../../../core/model/ports/address-limits.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import { addressBlock } from "../address.ts";
import type { Admission, GuardedOperation, OpeningSetting, Way } from "./way.ts";

/** An operation's own limit. Operations with the same `shared` name share one limit. */
export type OwnLimit = Pick<CallLimit, "calls" | "per"> & { shared?: string };

/**
 * A way in without a credential. Without `own`, all open operations share one limit a minute, from which API keys are
 * exempt. With `own`, every caller is counted by address.
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
    const block = addressBlock(presented.ip);
    if (own) {
      const limit = limitOf(operation, own);
      const call = await ownCall(limits, limit, { counted: block, block, kind: own.shared });
      return call instanceof Refusal ? call : { caller, pays: false, headers: {}, ...failedOf(call) };
    }
    if (caller.kind !== "key") {
      // Calls of subjects are counted by key: the keys are free, and an owner may use many addresses.
      const counted = caller.kind === "subject" ? caller.key_id : block;
      const limit: CallLimit = { name: "open", calls: open_per_minute, per: "minute" };
      const { granted, reset_s } = await limits.take(limit, counted);
      if (!granted) return beyond(limit, "free", reset_s);
    }
    return { caller, pays: false, headers: {} };
  },
});

export const failedOf = ({ failed }: OwnCall): Pick<Admission, "failed"> => (failed ? { failed } : {});

export const limitOf = ({ name }: GuardedOperation, { shared, calls, per }: OwnLimit): CallLimit => ({
  name: shared ?? name,
  calls,
  per,
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

/** The limit for calls that failed under another limit, counted by address. */
const failuresOf = ({ name }: CallLimit): CallLimit => ({
  name: `failures of ${name}`,
  calls: 100,
  per: "hour",
});

export type OwnCall = Pick<Admission, "failed"> & { left: CallsLeft };

/**
 * Counts one call under an operation's own limit. Limits by the hour or day count only successes: a failed call is
 * given back, and counts as a failure of its address.
 */
export async function ownCall(
  limits: AddressLimits,
  limit: CallLimit,
  { counted, block, kind = "free" }: { counted: string; block: string; kind?: string | undefined },
): Promise<OwnCall | Refusal> {
  const countsSuccesses = limit.per !== "minute";
  const failures = failuresOf(limit);
  if (countsSuccesses && limits.isSpent(failures, block)) return beyond(failures, "failed", SECONDS.hour);
  const left = await limits.take(limit, counted);
  if (!left.granted) return beyond(limit, kind, left.reset_s);
  if (!countsSuccesses) return { left };
  const failed = () => {
    limits.giveBack(limit, counted);
    limits.add(failures, block);
    return undefined;
  };
  return { left, failed };
}

const beyond = ({ calls, per }: CallLimit, kind: string, retry_after_s: number) =>
  new Refusal(
    coreProblems["rate-limited"],
    `${kind} calls are limited to ${calls} ${EACH[per]}: wait the seconds in Retry-After`,
    { retry_after_s },
  );

export const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;

export const EACH = { minute: "a minute", hour: "an hour", day: "a day" } as const;
