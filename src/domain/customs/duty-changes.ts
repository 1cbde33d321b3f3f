/** Import duties that a release of TARIC's table changed, by goods code. A code's changes are one public stream. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { sha256 } from "../../core/model/fields.ts";

/** The most duties of a code that one event lists on each side. */
const MOST_LISTED = 500;

const duty = z.strictObject({
  suffix: z.string().max(2).describe("Product line suffix: 80 can be declared."),
  measure_code: z.string().max(3),
  origin_code: z.string().max(4).describe("1011 is erga omnes; other numbers are groups of countries."),
  duty: z.string().max(5_000).describe("As published."),
  start: z.iso.date(),
  end: z.iso.date().nullable().describe("null while in force."),
  additional_code: z.string().max(5_000).nullable(),
  order_no: z.string().max(5_000).nullable().describe("A quota's order number."),
});

export type ChangedDuty = z.infer<typeof duty>;

const listed = z.array(duty).max(MOST_LISTED);

export const events = {
  DutyChanged: {
    means: "A release of TARIC changed the import duties of a goods code.",
    1: z.strictObject({
      goods_code: z.string().regex(/^\d{10}$/),
      added: listed.describe("In this release and not in the one before."),
      ended: listed.describe("In the release before and not in this one."),
      dataset: z.string(),
      vintage: sha256,
      replaces: sha256,
      synthetic: z.boolean(),
      release_position: z.int().positive().describe("The release's log position."),
    }),
    public: true,
  },
};

export type DutyChange = DataOf<typeof events, "DutyChanged">;
export type DutyEvent = EventOf<typeof events>;
/** The newest change of a code. */
export type DutyState = { release_position: number } | undefined;

/** A sandbox's codes are streams of their own. */
export const targetOf = ({ dataset, goods_code }: Pick<DutyChange, "dataset" | "goods_code">) => ({
  tenant: "operator",
  id: `${dataset}-${goods_code}`,
});

export const prefix = "duty-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): DutyState => undefined;

export const evolve = (_: DutyState, { data: { release_position } }: DutyEvent): DutyState => ({
  release_position,
});

/** Once for each release, however often it is compared. */
export const change =
  (facts: DutyChange) =>
  (state: DutyState): DutyEvent[] =>
    state && facts.release_position <= state.release_position ? [] : [{ type: "DutyChanged", data: facts }];

type Dutied = ChangedDuty & { goods_code: string };

/** The codes whose duties differ between two states of the table, in the order of the codes. */
export function changesBetween(
  before: readonly Dutied[],
  after: readonly Dutied[],
): { goods_code: string; added: ChangedDuty[]; ended: ChangedDuty[] }[] {
  const [old, current] = [new Map(before.map(keyed)), new Map(after.map(keyed))];
  const changed = new Map<string, { added: ChangedDuty[]; ended: ChangedDuty[] }>();
  const note = (side: "added" | "ended", { goods_code, ...row }: Dutied) => {
    const of = changed.get(goods_code) ?? { added: [], ended: [] };
    changed.set(goods_code, of);
    if (of[side].length < MOST_LISTED) of[side].push(row);
  };
  for (const [key, row] of current) if (!old.has(key)) note("added", row);
  for (const [key, row] of old) if (!current.has(key)) note("ended", row);
  return [...changed]
    .map(([goods_code, of]) => ({ goods_code, ...of }))
    .sort((a, b) => (a.goods_code < b.goods_code ? -1 : 1));
}

function keyed(row: Dutied): [string, Dutied] {
  const { goods_code, suffix, measure_code, origin_code, duty, start, end, additional_code, order_no } = row;
  const own = { goods_code, suffix, measure_code, origin_code, duty, start, end, additional_code, order_no };
  return [JSON.stringify(own), own];
}
