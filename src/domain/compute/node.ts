/** A node is an agent that works for others. A heartbeat is not an event; going online or offline is. */

import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { time } from "../../core/model/fields.ts";
import { refuse, refuseField } from "../../core/model/refusal.ts";
import { soulTenant } from "../identity/soul-tenant.ts";
import { computeProblems } from "./problems.ts";

export const capabilities = ["cpu", "gpu", "memory"] as const;
export type Capability = (typeof capabilities)[number];

/** `available` takes work; `paused` takes none; `draining` only finishes its leases. */
export const availabilities = ["available", "paused", "draining"] as const;

export const kindName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "is 1 to 64 lower-case letters, digits and hyphens");

export const MOST_CONCURRENT = 256;
export const MOST_KINDS = 20;

/** From this many failures in a row on a node waits: a minute, then twice as long each time, an hour at most. */
export const FREE_FAILURES = 3;
const MOST_PAUSE_S = 3_600;
/** Failures within this many seconds count once: a crash loses all leases together. */
export const FAILURE_S = 60;

/** The end of a node's pause after this many failures in a row; undefined = no pause. */
export function pausedUntil(failures: number, failed_at: string | null): string | undefined {
  if (failures < FREE_FAILURES || failed_at === null) return undefined;
  const pause_s = Math.min(MOST_PAUSE_S, 60 * 2 ** (failures - FREE_FAILURES));
  return new Date(Date.parse(failed_at) + pause_s * 1_000).toISOString();
}

/** USD 1,000 an hour. */
export const MOST_RATE_MICRO = 1_000_000_000;

/** USDC 10,000. A withdrawn stake stays for STAKE_S seconds, for results that turn out wrong meanwhile. */
export const MOST_STAKE_MICRO = 10_000_000_000;
export const STAKE_S = 7 * 86_400;

/** Seconds between two heartbeats; after OFFLINE_S seconds of silence a node is offline. */
export const BEAT_S = 30;
export const OFFLINE_S = 90;

/** Uptime covers 30 days. */
export const UPTIME_S = 30 * 86_400;

const offer = {
  hourly_rate_micro: z.int().min(0).max(MOST_RATE_MICRO).describe("Micro-USDC an hour."),
  max_concurrent: z.int().min(1).max(MOST_CONCURRENT),
};

export const events = {
  NodeRegistered: {
    means: "An agent offers a computer for tasks.",
    1: z.strictObject({
      capabilities: z.array(z.enum(capabilities)).min(1),
      kinds: z.array(kindName).max(MOST_KINDS).describe("Accepted kinds of tasks; none: any."),
      ...offer,
      registered_at: time,
    }),
  },
  NodeAvailabilityChanged: {
    means: "A node changed its availability or its price.",
    1: z.strictObject({ status: z.enum(availabilities), ...offer, changed_at: time }),
  },
  NodeWentOnline: { means: "A node came online.", 1: z.strictObject({ at: time }) },
  NodeWentOffline: {
    means: "A node went offline: it sent no heartbeat.",
    1: z.strictObject({ last_heartbeat_at: time, at: time }),
  },
  StakeHeld: {
    means: "A node staked money on correct work.",
    1: z
      .strictObject({
        hold_id: z.string(),
        amount_micro: z.int().min(0).max(MOST_STAKE_MICRO).describe("The whole stake, from now on."),
        held_at: time,
      })
      .describe("The stake comes from the agent's account; staking cancels an earlier withdrawal."),
  },
  StakeReleaseAsked: {
    means: "A node withdrew its stake.",
    1: z.strictObject({ free_at: time, asked_at: time }),
  },
  StakeReleased: {
    means: "A node's stake was returned.",
    1: z.strictObject({ hold_id: z.string(), amount_micro: z.int().min(0), released_at: time }),
  },
  NodeSlashed: {
    means: "A node lost stake, because a result was wrong.",
    1: z.strictObject({
      task_id: z.string(),
      amount_micro: z.int().min(0).describe("The amount that the node lost, at most the stake it had."),
      slashed_at: time,
    }),
  },
};

export type NodeFacts = DataOf<typeof events, "NodeRegistered">;
export type NodeOffer = DataOf<typeof events, "NodeAvailabilityChanged">;
export type NodeEvent = EventOf<typeof events>;

export type Node = {
  facts: NodeFacts;
  status: (typeof availabilities)[number];
  hourly_rate_micro: number;
  max_concurrent: number;
  /** null = offline. */
  online_since: string | null;
  /** Milliseconds online before `online_since`. */
  online_ms: number;
  slashes: number;
  /** The stake, apart from earnings. */
  stake_micro: number;
  /** null unless the stake was withdrawn. */
  stake_free_at: string | null;
};
export type NodeState = Node | undefined;

export const prefix = "node-";
export const streamOf = (id: string) => prefix + id;
export const initialState = (): NodeState => undefined;
export const fold_version = 2;

/** A node's stream belongs to the tenant of its agent's own key. */
export const targetOf = (sx_number: number) => ({ tenant: soulTenant(sx_number), id: String(sx_number) });

export function evolve(state: NodeState, event: NodeEvent): NodeState {
  if (event.type === "NodeRegistered") {
    const { hourly_rate_micro, max_concurrent } = event.data;
    const before = state ?? {
      status: "available",
      online_since: null,
      online_ms: 0,
      slashes: 0,
      stake_micro: 0,
      stake_free_at: null,
    };
    return { ...before, facts: event.data, hourly_rate_micro, max_concurrent };
  }
  if (!state) return state;
  switch (event.type) {
    case "NodeAvailabilityChanged": {
      const { status, hourly_rate_micro, max_concurrent } = event.data;
      return { ...state, status, hourly_rate_micro, max_concurrent };
    }
    case "NodeWentOnline":
      return { ...state, online_since: event.data.at };
    case "NodeWentOffline": {
      const since = state.online_since ?? event.data.last_heartbeat_at;
      const lasted = Math.max(0, Date.parse(event.data.last_heartbeat_at) - Date.parse(since));
      return { ...state, online_since: null, online_ms: state.online_ms + lasted };
    }
    case "StakeHeld":
      return { ...state, stake_micro: event.data.amount_micro, stake_free_at: null };
    case "StakeReleaseAsked":
      return { ...state, stake_free_at: event.data.free_at };
    case "StakeReleased":
      return { ...state, stake_micro: 0, stake_free_at: null };
    case "NodeSlashed":
      return { ...state, slashes: state.slashes + 1 };
  }
}

/** Refuses with `no-node` if the agent runs none. */
export const registered = (state: NodeState): Node =>
  state ?? refuse(computeProblems["no-node"], "this agent runs no node: POST /soul/node/register first");

/** Registers a node or replaces its offer; an equal offer changes nothing. */
export const register =
  (facts: NodeFacts) =>
  (state: NodeState): NodeEvent[] => {
    const isSame =
      state &&
      state.hourly_rate_micro === facts.hourly_rate_micro &&
      state.max_concurrent === facts.max_concurrent &&
      JSON.stringify([state.facts.capabilities, state.facts.kinds]) ===
        JSON.stringify([facts.capabilities, facts.kinds]);
    return isSame ? [] : [{ type: "NodeRegistered", data: facts }];
  };

/** Running leases keep their price. */
export const changeOffer =
  (change: Pick<NodeOffer, "status"> & Partial<Pick<NodeOffer, "hourly_rate_micro">>, changed_at: string) =>
  (state: NodeState): NodeEvent[] => {
    const { status, hourly_rate_micro, max_concurrent } = registered(state);
    const rate = change.hourly_rate_micro ?? hourly_rate_micro;
    if (change.status === status && rate === hourly_rate_micro) return [];
    const data = { status: change.status, hourly_rate_micro: rate, max_concurrent, changed_at };
    return [{ type: "NodeAvailabilityChanged", data }];
  };

export const goOnline =
  (at: string) =>
  (state: NodeState): NodeEvent[] =>
    registered(state).online_since === null ? [{ type: "NodeWentOnline", data: { at } }] : [];

export const goOffline =
  (last_heartbeat_at: string, at: string) =>
  (state: NodeState): NodeEvent[] =>
    registered(state).online_since === null
      ? []
      : [{ type: "NodeWentOffline", data: { last_heartbeat_at, at } }];

/** The account reserves the stake under this id. */
export const stakeHoldOf = (sx_number: number) => `stake:${sx_number}`;

/** Sets the total stake: a higher one at once, 0 frees it after a week. */
export const stake =
  (sx_number: number, amount_micro: number, at: string) =>
  (state: NodeState): NodeEvent[] => {
    const { stake_micro, stake_free_at } = registered(state);
    if (amount_micro === stake_micro && stake_free_at === null) return [];
    if (amount_micro >= stake_micro)
      return [{ type: "StakeHeld", data: { hold_id: stakeHoldOf(sx_number), amount_micro, held_at: at } }];
    if (amount_micro > 0)
      refuseField("stake_usdc", "is more than the current stake, or 0 to get the whole stake back in a week");
    if (stake_free_at !== null) return [];
    const free_at = new Date(Date.parse(at) + STAKE_S * 1_000).toISOString();
    return [{ type: "StakeReleaseAsked", data: { free_at, asked_at: at } }];
  };

export const releaseStake =
  (sx_number: number, released_at: string) =>
  (state: NodeState): NodeEvent[] => {
    const { stake_micro, stake_free_at } = registered(state);
    if (stake_free_at === null || released_at < stake_free_at) return [];
    const hold_id = stakeHoldOf(sx_number);
    return [{ type: "StakeReleased", data: { hold_id, amount_micro: stake_micro, released_at } }];
  };

/** A slash or a debt took a part of the stake; the rest keeps its status. */
export const loseStake =
  (sx_number: number, lost_micro: number, at: string) =>
  (state: NodeState): NodeEvent[] => {
    const { stake_micro, stake_free_at } = registered(state);
    if (lost_micro === 0) return [];
    const amount_micro = stake_micro - lost_micro;
    const left: NodeEvent = {
      type: "StakeHeld",
      data: { hold_id: stakeHoldOf(sx_number), amount_micro, held_at: at },
    };
    if (stake_free_at === null) return [left];
    return [left, { type: "StakeReleaseAsked", data: { free_at: stake_free_at, asked_at: at } }];
  };

export const slash =
  (task_id: string, amount_micro: number, slashed_at: string) =>
  (state: NodeState): NodeEvent[] => {
    registered(state);
    return [{ type: "NodeSlashed", data: { task_id, amount_micro, slashed_at } }];
  };

export function onlineSeconds({ online_since, online_ms }: Node, now: string): number {
  const running = online_since === null ? 0 : Math.max(0, Date.parse(now) - Date.parse(online_since));
  return Math.floor((online_ms + running) / 1_000);
}
