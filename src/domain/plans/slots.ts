/** The slots of a plan: what a question may name. */
import type { Flow } from "../trade/units.ts";

export const slotNames = ["country", "partner", "hs", "year", "years", "flow", "chapter", "month"] as const;
export type SlotName = (typeof slotNames)[number];

/** The values of slots, each as an operation's input takes it; `country` is one of the 27 where one was named. */
export type Slots = {
  [name in SlotName]?: name extends "year" ? number : name extends "flow" ? Flow : string;
};
