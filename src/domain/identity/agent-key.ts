/** One stream per public key across all agents, so a key is live on one passport only. */
import { z } from "zod";
import type { EventOf } from "../../core/model/entity.ts";
import { time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { sxId, sxNumber } from "./fields.ts";
import { identityProblems } from "./problems.ts";

/** For this long after its revocation only its former passport may prove a key again. */
export const RESERVED_DAYS = 180;
const RESERVED_MS = RESERVED_DAYS * 86_400_000;

export const events = {
  AgentKeyBound: {
    means: "A key belongs to one agent from now on; no other can claim it.",
    1: z.strictObject({ kid: z.string(), sx_number: sxNumber, bound_at: time }),
    public: true,
  },
  AgentKeyFreed: {
    means: "A key no longer belongs to an agent.",
    1: z.strictObject({ kid: z.string(), sx_number: sxNumber, freed_at: time }),
    public: true,
  },
};

export type AgentKeyEvent = EventOf<typeof events>;

export type AgentKeyState = { sx_number: number; freed_at: string | null } | undefined;

export const prefix = "agentkey-";

export const streamOf = (kid: string) => prefix + kid;

export const targetOf = (kid: string) => ({ tenant: "operator", id: kid });

export const initialState = (): AgentKeyState => undefined;

export function evolve(_: AgentKeyState, event: AgentKeyEvent): AgentKeyState {
  switch (event.type) {
    case "AgentKeyBound":
      return { sx_number: event.data.sx_number, freed_at: null };
    case "AgentKeyFreed":
      return { sx_number: event.data.sx_number, freed_at: event.data.freed_at };
  }
}

/** undefined = live on no passport. */
export const boundTo = (state: AgentKeyState) => (state?.freed_at === null ? state.sx_number : undefined);

/** `endorsed_s`: issue time of the endorsement, Unix seconds; null for a first key, which needs none. */
export const bind =
  (facts: { kid: string; sx_number: number; bound_at: string }, endorsed_s: number | null) =>
  (state: AgentKeyState): AgentKeyEvent[] => {
    const bound: AgentKeyEvent[] = [{ type: "AgentKeyBound", data: facts }];
    if (!state) return bound;
    const { sx_number, freed_at } = state;
    if (sx_number === facts.sx_number) {
      if (freed_at === null) return [];
      if (endorsed_s !== null && endorsed_s * 1_000 < Date.parse(freed_at)) refuseOldEndorsement(freed_at);
      return bound;
    }
    if (freed_at === null)
      refuse(
        identityProblems["key-in-use"],
        `this key is live on ${sxId(sx_number)}; revoke it there, or use another key`,
      );
    const free_from = Date.parse(freed_at!) + RESERVED_MS;
    if (Date.parse(facts.bound_at) < free_from)
      refuse(
        identityProblems["key-in-use"],
        `this key was ${sxId(sx_number)}'s; until ${new Date(free_from).toISOString()} only that passport may take it again`,
      );
    return bound;
  };

/** The owner of a revoked key may still have an old endorsement. */
const refuseOldEndorsement = (freed_at: string): never =>
  refuse(
    identityProblems["proof-refused"],
    `the proof is invalid: endorsement.challenge is older than this key's revocation at ${freed_at}; get a new one`,
    {
      errors: [
        { path: "endorsement.challenge", message: `is older than this key's revocation at ${freed_at}` },
      ],
    },
  );

/** A key that is not live on the passport changes nothing; repeatable. */
export const free =
  (facts: { kid: string; sx_number: number; freed_at: string }) =>
  (state: AgentKeyState): AgentKeyEvent[] =>
    boundTo(state) === facts.sx_number ? [{ type: "AgentKeyFreed", data: facts }] : [];
