/** The final block up to which the chain was scanned for deposits; earlier blocks are not scanned again. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, time } from "../../core/model/fields.ts";

const followed = z.strictObject({
  network: z.string(),
  token: address,
  pay_to: address.describe("The address of deposits."),
  block_number: z.int().min(0),
  block_hash: chainHash,
  followed_at: time,
});

export const events = {
  DepositsFollowed: {
    means: "The chain was read up to a block, and the deposits in it were credited.",
    1: followed,
  },
};

export type Followed = DataOf<typeof events, "DepositsFollowed">;
export type DepositsEvent = EventOf<typeof events>;

/** The newest block; undefined before the first. */
export type DepositsState = Followed | undefined;

/** Each token and address of a network has its own stream, which belongs to the operator. */
export const targetOf = ({ network, token, pay_to }: Pick<Followed, "network" | "token" | "pay_to">) => ({
  tenant: "operator",
  id: `${network}-${token}-${pay_to}`,
});

export const prefix = "loungedeposits-";

export const streamOf = (id: string) => prefix + id;

export const fold_version = 1;

export const initialState = (): DepositsState => undefined;

export const evolve = (_: DepositsState, { data }: DepositsEvent): DepositsState => data;

/** Advances; never goes back. */
export const follow =
  (facts: Followed) =>
  (state: DepositsState): DepositsEvent[] =>
    state && state.block_number >= facts.block_number ? [] : [{ type: "DepositsFollowed", data: facts }];
