/** How far the chain was looked through for deposits: to a final block, below which nothing is looked at again. */
import type { Event } from "@event-driven-io/emmett";
import { z } from "zod";
import type { Hex } from "../chain.ts";

const address = z.string().regex(/^0x[0-9a-f]{40}$/) as z.ZodType<Hex>;

const followed = z.strictObject({
  network: z.string(),
  token: address,
  pay_to: address.describe("Where deposits go."),
  block_number: z.int().min(0),
  block_hash: z.string().regex(/^0x[0-9a-f]{64}$/) as z.ZodType<Hex>,
  followed_at: z.iso.datetime(),
});

export const events = { DepositsFollowed: { 1: followed } };

export type Followed = z.infer<typeof followed>;
export type DepositsEvent = Event<"DepositsFollowed", Followed>;

/** The newest block; undefined before the first. */
export type DepositsState = Followed | undefined;

/** A token and an address of a network have a stream of their own, which lies with the operator. */
export const targetOf = ({ network, token, pay_to }: Pick<Followed, "network" | "token" | "pay_to">) => ({
  tenant: "operator",
  id: `${network}-${token}-${pay_to}`,
});

/** What its streams are named by, before the id. */
export const prefix = "loungedeposits-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): DepositsState => undefined;

export const evolve = (_: DepositsState, { data }: DepositsEvent): DepositsState => data;

/** Moves on; whoever was further already stays there. */
export const follow =
  (facts: Followed) =>
  (state: DepositsState): DepositsEvent[] =>
    state && state.block_number >= facts.block_number ? [] : [{ type: "DepositsFollowed", data: facts }];
