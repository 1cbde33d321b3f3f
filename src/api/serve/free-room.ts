/**
 * Limits how much free calls may store in a day: by address, by subject, and in total. Proven and paying callers have
 * separate totals, which strangers cannot use up.
 */
import { LRUCache } from "lru-cache";
import type { AddressLimits, CallLimit } from "../../core/model/ports/address-limits.ts";
import { coreProblems } from "../../core/model/problem.ts";
import { refuse } from "../../core/model/refusal.ts";
import { addressBlock } from "../declare/address.ts";
import type { Caller } from "../declare/caller.ts";

/** `proven`: the caller proved a key. `paying`: it has a settled payment that was not refunded. */
export type CallerStatus = "stranger" | "proven" | "paying";

export type FreeRoomParts = {
  limits: AddressLimits;
  writes_a_day: number;
  mib_a_day: number;
  callerStatusOf(caller: Caller): Promise<CallerStatus>;
};

export type FreeRoom = {
  take(caller: Caller, ip: string): Promise<void>;
  store(caller: Caller, ip: string, bytes: number): Promise<void>;
};

const WRITES = 20_000;
const KIB = 64 * 1_024;
const EVERYBODY = "everybody";

/** How long a status is cached; a refund ends the status `paying`. */
const STRANGER_MS = 10_000;
const KNOWN_MS = 600_000;

const daily = (name: string, calls: number): CallLimit => ({ name, calls, per: "day" });

type LimitCount = { limit: CallLimit; by: string; says: string };

export function createFreeRoom({ limits, writes_a_day, mib_a_day, callerStatusOf }: FreeRoomParts): FreeRoom {
  // `maxSize` instead of `max`, which would allocate all slots at the start.
  const statuses = new LRUCache<string, CallerStatus>({ maxSize: 50_000, sizeCalculation: () => 1 });
  const statusOf = async (caller: Caller): Promise<CallerStatus> => {
    if (caller.kind === "anonymous") return "stranger";
    const found = statuses.get(caller.tenant) ?? (await callerStatusOf(caller));
    if (!statuses.has(caller.tenant))
      statuses.set(caller.tenant, found, { ttl: found === "stranger" ? STRANGER_MS : KNOWN_MS });
    return found;
  };

  /** The limits that count a call. Payers may share an address with others, so they are counted by name alone. */
  const countedFor = (
    caller: Caller,
    ip: string,
    is: CallerStatus,
    what: { name: string; own: number; all: number },
  ): LimitCount[] => [
    ...(is === "paying"
      ? []
      : [
          {
            limit: daily(`${what.name} by address`, what.own),
            by: addressBlock(ip),
            says: "of this address are used up",
          },
        ]),
    ...(caller.kind === "anonymous"
      ? []
      : [
          {
            limit: daily(`${what.name} by subject`, what.own),
            by: caller.tenant,
            says: "of this caller are used up",
          },
        ]),
    { limit: daily(`${what.name} of ${is}`, what.all), by: EVERYBODY, says: SHARE[is] },
  ];

  return {
    async take(caller, ip) {
      const what = { name: "free writes", own: WRITES, all: writes_a_day };
      for (const { limit, by, says } of countedFor(caller, ip, await statusOf(caller), what)) {
        const { granted, reset_s } = await limits.take(limit, by);
        if (!granted) refuseFull(says, reset_s);
      }
    },
    async store(caller, ip, bytes) {
      const what = { name: "free KiB", own: KIB, all: mib_a_day * 1_024 };
      const counted = countedFor(caller, ip, await statusOf(caller), what);
      const kib = Math.ceil(bytes / 1_024);
      for (const { limit, by, says } of counted) if (limits.isSpent(limit, by)) refuseFull(says, RETRY_S);
      for (const { limit, by } of counted) limits.add(limit, by, kib);
    },
  };
}

const RETRY_S = 3_600;

const SHARE: Record<CallerStatus, string> = {
  stranger:
    "of all strangers together are used up: prove a key (POST /soul/{id}/keys) or pay for a call, to get another share",
  proven: "of all who have proven a key are used up: pay for a call, to get another share",
  paying: "of all who have paid are used up",
};

const refuseFull = (says: string, retry_after_s: number): never =>
  refuse(coreProblems["rate-limited"], `today's free calls ${says}`, {
    retry_after_s,
  });
