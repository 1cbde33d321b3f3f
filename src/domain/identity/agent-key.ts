/** A public key across all agents: whose it is, so that it is live on one passport only. */
import { z } from "zod";
import type { EventOf } from "../../core/model/entity.ts";
import { time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { sxId, sxNumber } from "./fields.ts";
import { identityProblems } from "./problems.ts";

/** So long after its revocation a key is taken by its former passport alone. */
export const HELD_DAYS = 180;
const HELD_MS = HELD_DAYS * 86_400_000;

export const events = {
  AgentKeyBound: {
    means: "A key belongs to one agent from now on, and can be claimed by no other.",
    1: z.strictObject({ kid: z.string(), sx_number: sxNumber, bound_at: time }),
    public: true,
  },
  AgentKeyFreed: {
    means: "A key belongs to no agent any more.",
    1: z.strictObject({ kid: z.string(), sx_number: sxNumber, freed_at: time }),
    public: true,
  },
};

export type AgentKeyEvent = EventOf<typeof events>;

export type AgentKeyState = { sx_number: number; freed_at: string | null } | undefined;

/** What its streams are named by, before the kid. */
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

/** The passport that a key is live on now; undefined where it is on none. */
export const boundTo = (state: AgentKeyState) => (state?.freed_at === null ? state.sx_number : undefined);

/** `endorsed_s`: when the word of the key that vouches was asked for, in seconds of Unix time; null of a first key, for which none does. */
export const bind =
  (facts: { kid: string; sx_number: number; bound_at: string }, endorsed_s: number | null) =>
  (state: AgentKeyState): AgentKeyEvent[] => {
    const bound: AgentKeyEvent[] = [{ type: "AgentKeyBound", data: facts }];
    if (!state) return bound;
    const { sx_number, freed_at } = state;
    if (sx_number === facts.sx_number) {
      if (freed_at === null) return [];
      if (endorsed_s !== null && endorsed_s * 1_000 < Date.parse(freed_at)) refuseOldWord(freed_at);
      return bound;
    }
    if (freed_at === null)
      refuse(
        identityProblems["key-in-use"],
        `this key is live on ${sxId(sx_number)}; revoke it there, or take another`,
      );
    const free_from = Date.parse(freed_at!) + HELD_MS;
    if (Date.parse(facts.bound_at) < free_from)
      refuse(
        identityProblems["key-in-use"],
        `this key was ${sxId(sx_number)}'s; until ${new Date(free_from).toISOString()} only that passport may take it again`,
      );
    return bound;
  };

/** Whoever holds a revoked key may still hold the text that vouched for it. */
const refuseOldWord = (freed_at: string): never =>
  refuse(
    identityProblems["proof-refused"],
    `the proof is not good: endorsement.challenge is older than this key's revocation at ${freed_at}; ask for another`,
    {
      errors: [
        { path: "endorsement.challenge", message: `is older than this key's revocation at ${freed_at}` },
      ],
    },
  );

/** Said once it is revoked there; of a key that is not live on the passport nothing is to be said. */
export const free =
  (facts: { kid: string; sx_number: number; freed_at: string }) =>
  (state: AgentKeyState): AgentKeyEvent[] =>
    boundTo(state) === facts.sx_number ? [{ type: "AgentKeyFreed", data: facts }] : [];
