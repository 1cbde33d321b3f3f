/**
 * A final block up to which every payment of the log was found on the chain as the log says. Older blocks are never
 * compared again.
 */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { chainHash, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";

const confirmed = z.strictObject({
  network: z.string(),
  block_number: z.int().nonnegative(),
  block_hash: chainHash,
  timestamp: z.int().describe("The block's time, in seconds of Unix time."),
  as_of_position: z.int().nonnegative().describe("The log's position at the comparison."),
  claimed_before: time.describe(
    "Every block up to this one was searched for payments claimed before it, settled or not.",
  ),
  payments: z
    .int()
    .nonnegative()
    .describe(
      "Payments and refunds that became final since the confirmation before, in the smallest unit of the asset.",
    ),
  settled_micro: z.int().nonnegative(),
  refunds: z.int().nonnegative(),
  refunded_micro: z.int().nonnegative(),
  confirmed_at: time,
});

export const events = {
  ChainConfirmed: { means: "The books were compared with the chain up to a block, and agree.", 1: confirmed },
};

export type ConfirmationData = DataOf<typeof events, "ChainConfirmed">;
export type ConfirmationEvent = EventOf<typeof events>;

/** undefined = no confirmation yet. */
export type ConfirmationState = ConfirmationData | undefined;

/** `eip155:8453`: the operator owns the stream of a network. */
export const targetOf = (network: string) => ({ tenant: "operator", id: network });

export const prefix = "chain-";

export const streamOf = (network: string) => prefix + network;

export const fold_version = 1;

export const initialState = (): ConfirmationState => undefined;

export const evolve = (_state: ConfirmationState, event: ConfirmationEvent): ConfirmationState => event.data;

/** Replaces the confirmation that `facts` continues; if another process was faster, its confirmation stays. */
export const confirm =
  (facts: ConfirmationData, after: ConfirmationData | undefined) =>
  (state: ConfirmationState): ConfirmationEvent[] => {
    if (state?.as_of_position !== after?.as_of_position) return [];
    if (state && (state.block_number > facts.block_number || state.as_of_position >= facts.as_of_position))
      refuse("conflict", "a confirmation is of a later block and of a later position than the one before");
    return [{ type: "ChainConfirmed", data: facts }];
  };
