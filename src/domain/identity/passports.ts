/** The counter of passports is one stream: version n is the passport SX#n, so its newest event has the total. */
import { z } from "zod";
import type { EventOf } from "../../core/model/entity.ts";
import { refuse } from "../../core/model/refusal.ts";
import { sxNumber } from "./fields.ts";
import { identityProblems } from "./problems.ts";

export const MOST_PASSPORTS = 1_000_000;

export const events = {
  PassportIssued: {
    means: "An agent's passport got the next number.",
    1: z
      .strictObject({ sx_number: sxNumber, agent_id: z.string() })
      .describe("The event's place in its stream is the passport's number."),
    public: true,
  },
};

export type PassportsEvent = EventOf<typeof events>;

/** The number of issued passports. */
export type PassportsState = number;

export const prefix = "passports";

export const streamOf = (id: string) => prefix + id;

export const target = { tenant: "operator", id: "" };

/** A snapshot spares folding a million events. */
export const fold_version = 1;

export const initialState = (): PassportsState => 0;

export const evolve = (_: PassportsState, { data }: PassportsEvent): PassportsState => data.sx_number;

export const issue =
  (agent_id: string) =>
  (issued: PassportsState): PassportsEvent[] => {
    if (issued >= MOST_PASSPORTS)
      refuse(identityProblems["campaign-over"], `all ${MOST_PASSPORTS} passports of the campaign are issued`);
    return [{ type: "PassportIssued", data: { sx_number: issued + 1, agent_id } }];
  };
