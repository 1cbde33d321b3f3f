/** The counter of passports: one stream, whose version n is the passport SX#n. Its newest event tells how many there are. */
import { z } from "zod";
import type { EventOf } from "../../core/model/entity.ts";
import { refuse } from "../../core/model/refusal.ts";
import { sxNumber } from "./fields.ts";
import { identityProblems } from "./problems.ts";

/** Passports of the campaign. */
export const MOST_PASSPORTS = 1_000_000;

export const events = {
  PassportIssued: {
    means: "The next number was given to an agent's passport.",
    1: z
      .strictObject({ sx_number: sxNumber, agent_id: z.string() })
      .describe("Its place in the stream is the passport's number."),
    public: true,
  },
};

export type PassportsEvent = EventOf<typeof events>;

/** How many were issued. */
export type PassportsState = number;

/** There is one stream, and this is its name. */
export const prefix = "passports";

export const streamOf = (id: string) => prefix + id;

/** The campaign's one counter. */
export const target = { tenant: "operator", id: "" };

/** A million events are not folded where the last few hundred will do. */
export const fold_version = 1;

export const initialState = (): PassportsState => 0;

export const evolve = (_: PassportsState, { data }: PassportsEvent): PassportsState => data.sx_number;

/** The next number, for this agent. */
export const issue =
  (agent_id: string) =>
  (issued: PassportsState): PassportsEvent[] => {
    if (issued >= MOST_PASSPORTS)
      refuse(identityProblems["campaign-over"], `all ${MOST_PASSPORTS} passports of the campaign are issued`);
    return [{ type: "PassportIssued", data: { sx_number: issued + 1, agent_id } }];
  };
