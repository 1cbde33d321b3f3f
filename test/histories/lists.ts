/** Lists of numbers: what histories are made of, and what a process that makes one is told. */
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

/** What a process is told; its values begin with `first`, which no other has. */
export type Told = {
  url: string;
  name: string;
  first: number;
  clients: number;
  lists: number;
  /** Leaves out what holds commits to what they rest upon: guarded streams, or the commits on their way. */
  leaves_out?: "guards" | "ties";
};
