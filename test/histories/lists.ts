/** Lists of numbers, the subject of histories, and a process's instructions. */
import { z } from "zod";
import type { EventOf } from "../../src/core/model/entity.ts";

export const events = {
  Appended: { 1: z.strictObject({ value: z.int() }) },
};

export type ListEvent = EventOf<typeof events>;

export const prefix = "list-";
export const streamOf = (id: string) => prefix + id;
export const targetOf = (id: string) => ({ tenant: "acme", id });
export const initialState = (): readonly number[] => [];
export const evolve = (state: readonly number[], { data }: ListEvent) => [...state, data.value];
export const append = (value: number): ListEvent[] => [{ type: "Appended", data: { value } }];

/** A process's instructions; its values begin with `first`, unique to it. */
export type ListFixture = {
  url: string;
  name: string;
  first: number;
  clients: number;
  lists: number;
  /** Leaves out a commit's protection: guarded streams, or the commits in flight. */
  leaves_out?: "guards" | "ties";
};
