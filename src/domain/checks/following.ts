/**
 * The progress along the chain for checks: a final block up to which the end of every check was searched. Checks are
 * created only once there is such a block, so none can have ended below it.
 */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { chainHash, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";

const followed = z.strictObject({
  network: z.string(),
  block_number: z.int().nonnegative(),
  block_hash: chainHash,
  timestamp: z.int().describe("The block's time, in seconds of Unix time."),
  as_of_position: z.int().nonnegative().describe("The log position up to which checks were included."),
  followed_at: time,
});

export const events = {
  ChecksFollowed: {
    means: "The service read the chain up to a block, and marked the checks that were decided there.",
    1: followed,
  },
};

export type Followed = DataOf<typeof events, "ChecksFollowed">;
export type FollowingEvent = EventOf<typeof events>;
export type FollowingState = Followed | undefined;

export const prefix = "checks-followed-";

export const streamOf = (network: string) => prefix + network;

export const fold_version = 1;

/** A network's stream belongs to the operator. */
export const targetOf = (network: string) => ({ tenant: "operator", id: network });

export const initialState = (): FollowingState => undefined;

export const evolve = (_: FollowingState, { data }: FollowingEvent): FollowingState => data;

/** Advances; a faster process's record wins. */
export const advance =
  (facts: Followed) =>
  (state: FollowingState): FollowingEvent[] => {
    const isFurther =
      !state || (facts.block_number >= state.block_number && facts.as_of_position > state.as_of_position);
    return isFurther ? [{ type: "ChecksFollowed", data: facts }] : [];
  };

/** The block below which no new check can end; `unavailable` before the first contact with the chain. */
export const followedTo = (state: FollowingState): Followed =>
  state ??
  refuse("unavailable", "the service makes no checks until it has read the chain; retry", {
    retry_after_s: 5,
  });
