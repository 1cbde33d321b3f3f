/** An entity with endless streams, whose state has every possible kind of value. */
import { z } from "zod";
import type { Area } from "../../src/areas/area.ts";
import type { EventOf } from "../../src/core/model/entity.ts";

const events = {
  StonesPiled: {
    means: "Stones were put on a pile.",
    1: z.strictObject({ name: z.string(), stones: z.int() }),
  },
};
type PileEvent = EventOf<typeof events>;
export type Pile = { stones: ReadonlyMap<string, bigint>; last: string | undefined; count: number };

const prefix = "pile-";
export const pile = {
  prefix,
  events,
  fold_version: 1,
  streamOf: (id: string) => prefix + id,
  initialState: (): Pile => ({ stones: new Map(), last: undefined, count: 0 }),
  evolve: (state: Pile, { data: { name, stones } }: PileEvent): Pile => ({
    stones: new Map(state.stones).set(name, (state.stones.get(name) ?? 0n) + BigInt(stones)),
    last: stones < 0 ? undefined : name,
    count: state.count + 1,
  }),
};

/** This many events in one commit, each of another weight. */
export const heap =
  (many: number, begin = 1) =>
  (): PileEvent[] =>
    Array.from({ length: many }, (_, n) => ({
      type: "StonesPiled",
      data: { name: `stone ${(begin + n) % 7}`, stones: (n % 5) - 1 },
    }));

export const pilesArea: Area = {
  name: "piles",
  about: "Piles of stones",
  envelope: "none",
  entities: [pile],
  projections: [],
  reactors: [],
  operations: [],
  problems: {},
};
