/** A meter, an event type of two versions: kilograms in the first, grams in the second. */
import { z } from "zod";
import type { EventOf } from "../../src/core/model/entity.ts";
import { projection } from "../../src/core/read-models/projection.ts";

export const events = {
  MeterRead: {
    means: "A meter was read.",
    1: z.strictObject({ kg: z.number() }),
    2: z.strictObject({ grams: z.int(), reader: z.string() }),
    upcast: { 1: ({ kg }: { kg?: unknown }) => ({ grams: Number(kg) * 1_000, reader: "unsaid" }) },
  },
  MeterSealed: { means: "A meter was sealed.", 1: z.strictObject({ at_grams: z.int() }) },
};

export type MeterEvent = EventOf<typeof events>;
export type Meter = { grams: number; readers: string[]; sealed: boolean };
export type MeterState = Meter | undefined;

export const prefix = "meter-";
export const streamOf = (id: string) => prefix + id;
export const initialState = (): MeterState => undefined;
export function evolve(state: MeterState, { type, data }: MeterEvent): MeterState {
  const { grams, readers, sealed } = state ?? { grams: 0, readers: [], sealed: false };
  if (type === "MeterSealed") return { grams, readers, sealed: true };
  return { grams: grams + data.grams, readers: [...readers, data.reader], sealed };
}

export const read =
  (grams: number, reader: string) =>
  (state: MeterState): MeterEvent[] =>
    state?.sealed ? [] : [{ type: "MeterRead", data: { grams, reader } }];

/** Beyond its limit it is sealed. */
export const sealPast =
  (most: number) =>
  (state: MeterState): MeterEvent[] =>
    state && !state.sealed && state.grams > most
      ? [{ type: "MeterSealed", data: { at_grams: state.grams } }]
      : [];

const meter = { prefix, events, streamOf, initialState, evolve };

export const metersProjection = projection({
  name: "meters",
  version: 1,
  ddl: "create table if not exists read.meters_v1 (id text primary key, tenant text, grams bigint, readers text[])",
  of: [meter],
  async fold(folded, tx) {
    for (const { type, data, id, tenant } of folded)
      if (type === "MeterRead")
        await tx.query(
          `insert into read.meters_v1 as known values ($1, $2, $3, array[$4])
           on conflict (id) do update set grams = known.grams + excluded.grams, readers = known.readers || $4`,
          [id, tenant, data.grams, data.reader],
        );
  },
});
