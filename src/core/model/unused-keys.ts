/**
 * Keys that were given out to seal by, and that nothing was recorded under: the order was refused, its payment failed, the process died. They
 * are recalled before they are destroyed. Every commit of something sealed rests upon this stream, so what was sealed before a recall
 * is not recorded after it; it is sealed anew.
 */
import { z } from "zod";
import type { DataOf, EventOf } from "./entity.ts";
import { time } from "./fields.ts";

export const events = {
  UnusedKeysRecalled: {
    means: "Keys that were made for personal data and never used are to be destroyed.",
    1: z.strictObject({
      keys: z.int().positive().describe("How many were unused for so long that they are to be destroyed."),
      recalled_at: time,
    }),
  },
};

export type RecallEvent = EventOf<typeof events>;
export type RecallState = DataOf<typeof events, "UnusedKeysRecalled"> | undefined;

/** What its streams are named by, before the id. */
export const prefix = "keys-";

export const streamOf = (id: string) => prefix + id;

/** There is one, and it lies with the operator. */
export const target = { tenant: "operator", id: "unused" };

export const initialState = (): RecallState => undefined;

export const evolve = (_state: RecallState, { data }: RecallEvent): RecallState => data;

/** Seconds for which a key may be unused before it is recalled, and between two recalls: a payment is over in minutes. */
export const UNUSED_S = 3_600;

/** Recalls keys, unless that was done within the hour: however many calls are refused, the log grows by an event an hour. */
export const recall =
  (facts: DataOf<typeof events, "UnusedKeysRecalled">) =>
  (state: RecallState): RecallEvent[] => {
    const since_ms = state ? Date.parse(facts.recalled_at) - Date.parse(state.recalled_at) : Infinity;
    return since_ms < UNUSED_S * 1_000 ? [] : [{ type: "UnusedKeysRecalled", data: facts }];
  };
