/** The goods of the simulation: each sale is one event, so a second one for a payment shows. */
import { z } from "zod";
import { pay } from "../../src/api/declare/access/pay.ts";
import { type Operation, operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import type { EventOf } from "../../src/core/model/entity.ts";

export const events = {
  Sold: {
    means: "The till sold something.",
    1: z.strictObject({ name: z.string(), payment_id: z.string() }),
  },
};

type TillEvent = EventOf<typeof events>;
type Till = { sold: readonly string[] };

export const prefix = "till-";
export const streamOf = (id: string) => prefix + id;
export const initialState = (): Till => ({ sold: [] });
export const evolve = ({ sold }: Till, event: TillEvent): Till => ({ sold: [...sold, event.data.name] });

const sell = (name: string, payment_id: string) => (): TillEvent[] => [
  { type: "Sold", data: { name, payment_id } },
];

export const PRICE_MICRO = 50_000n;

const declared = operation({
  name: "till_buy",
  route: "POST /v1/agent/till/buy",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Buys from the till",
  description: "Appends one sale.",
  access: [pay("0.05")],
  input: z.object({ till: z.string(), name: z.string() }),
  output: json(z.object({ data: z.object({ name: z.string(), nth: z.int() }), meta: z.object({}) })),
  status: 201,
  example: { till: "a", name: "bread" },
  handle: async ({ input, unit, request }) => {
    const till = { streamOf, initialState, evolve, events, prefix };
    const { state } = await unit.decide(
      till,
      { tenant: "acme", id: input.till },
      sell(input.name, request.payment_id ?? ""),
    );
    return { data: { name: input.name, nth: state.sold.length }, meta: {} };
  },
});

export const buy: Operation = { ...declared, area: "till" } as unknown as Operation;
