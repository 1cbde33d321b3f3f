/**
 * Keys without a recorded use are recalled before they are destroyed: the order was refused, its payment failed, or the
 * process died. Every commit of sealed data depends on this stream, so values sealed before a recall are sealed again.
 */
import { z } from "zod";
import type { DataOf, EventOf } from "./entity.ts";
import { time } from "./fields.ts";

export const events = {
  UnusedKeysRecalled: {
    means: "Keys that were made for personal data, and never used, will be destroyed.",
    1: z.strictObject({
      keys: z.int().positive().describe("How many were unused for so long that they are to be destroyed."),
      recalled_at: time,
    }),
  },
};

export type RecallEvent = EventOf<typeof events>;
export type RecallState = DataOf<typeof events, "UnusedKeysRecalled"> | undefined;

export const prefix = "keys-";

export const streamOf = (id: string) => prefix + id;

export const target = { tenant: "operator", id: "unused" };

export const initialState = (): RecallState => undefined;

export const evolve = (_state: RecallState, { data }: RecallEvent): RecallState => data;

/** The age from which an unused key is recalled, and the interval between recalls. A payment takes minutes. */
export const UNUSED_S = 3_600;

/** Records a recall, at most one an hour, however many calls are refused. */
export const recall =
  (facts: DataOf<typeof events, "UnusedKeysRecalled">) =>
  (state: RecallState): RecallEvent[] => {
    const since_ms = state ? Date.parse(facts.recalled_at) - Date.parse(state.recalled_at) : Infinity;
    return since_ms < UNUSED_S * 1_000 ? [] : [{ type: "UnusedKeysRecalled", data: facts }];
  };
