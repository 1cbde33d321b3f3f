/**
 * The stock of a product: all its locations in one stream, so that one decision sees all that can be sold. Whole base units;
 * at each location on_hand ≥ reserved ≥ 0, and what is available is the difference.
 *
 *   received + adjusted + restocked − shipped = on_hand
 */

import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { type Buckets, emptyBuckets, valueAt, withValue } from "./buckets.ts";
import { commerceProblems } from "./problems.ts";
import type { UnitName } from "./product.ts";

export const location = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "is lower-case letters and digits, with single hyphens between")
  .max(40, "is at most 40 characters");

/** More cannot lie in any shop, and sums stay exact. */
export const MOST_STOCK = 1_000_000_000;

/** No larger than JavaScript's numbers are exact. */
export const orderId = z
  .int("is an order_id: a whole number")
  .min(1, "is at least 1")
  .max(Number.MAX_SAFE_INTEGER, "is an order_id that orders_create answered");

const line = z.strictObject({
  location,
  quantity: z.int().min(1).max(MOST_STOCK).describe("Base units."),
});

export const stockLines = z.array(line).min(1);

export const events = {
  StockReceived: {
    means: "Goods arrived at a place of the shop.",
    1: z.strictObject({
      location,
      quantity: z.int().min(1).max(MOST_STOCK),
      reference: z.string().max(100).nullable().describe("The operator's own: a delivery note."),
      received_at: time,
    }),
  },
  StockAdjusted: {
    means: "A count of the goods at a place was corrected.",
    1: z.strictObject({
      location,
      delta: z.int().min(-MOST_STOCK).max(MOST_STOCK),
      reason: z.string().max(100).describe("The operator's words."),
      adjusted_at: time,
    }),
  },
  StockReserved: {
    means: "Goods were put aside for an order.",
    1: z.strictObject({
      order_id: orderId,
      tenant: z.string(),
      lines: stockLines,
      until: time,
      reserved_at: time,
      newcomer: z.literal(true).optional().describe("A wallet that had no paid order."),
    }),
  },
  ReservationConfirmed: {
    means: "Goods that were put aside are the order's own, because it was paid.",
    1: z.strictObject({ order_id: orderId, confirmed_at: time }),
  },
  StockReleased: {
    means: "Goods that were put aside for an order can be sold to others again.",
    1: z.strictObject({ order_id: orderId, reason: z.enum(["expired", "cancelled"]), released_at: time }),
  },
  StockShipped: {
    means: "The goods of an order left the shop.",
    1: z.strictObject({ order_id: orderId, shipped_at: time }),
  },
  StockRestocked: {
    means: "Goods that came back from an order lie in the shop again.",
    1: z.strictObject({ order_id: orderId, lines: stockLines, restocked_at: time }),
  },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type StockLine = z.infer<typeof line>;
export type StockEvent = EventOf<typeof events>;

export type Shelf = { location: string; on_hand: number; reserved: number };
export type Reservation = {
  tenant: string;
  lines: readonly StockLine[];
  until: string;
  confirmed: boolean;
  newcomer: boolean;
};

/**
 * `shelves` in the order in which the operator first stocked them; `open`: what orders hold, by order_id; `unpaid`: how many of those
 * are not paid for, by tenant; `newcomers`: base units of unpaid orders of wallets that had no paid one.
 */
export type StockState = {
  shelves: readonly Shelf[];
  open: Buckets<Reservation>;
  unpaid: Buckets<number>;
  newcomers: number;
};

/** What its streams are named by, before the id. */
export const prefix = "stock-";

export const streamOf = (id: string) => prefix + id;

export const fold_version = 2;

export const initialState = (): StockState => ({
  shelves: [],
  open: emptyBuckets(),
  unpaid: emptyBuckets(),
  newcomers: 0,
});

export function evolve(state: StockState, { type, data }: StockEvent): StockState {
  switch (type) {
    case "StockReceived":
      return { ...state, shelves: moved(state.shelves, [data], { on_hand: 1 }) };
    case "StockAdjusted": {
      const { location, delta } = data;
      return { ...state, shelves: moved(state.shelves, [{ location, quantity: delta }], { on_hand: 1 }) };
    }
    case "StockReserved": {
      const { order_id, tenant, lines, until, newcomer = false } = data;
      const shelves = moved(state.shelves, lines, { reserved: 1 });
      return holding({ ...state, shelves }, order_id, {
        ...{ tenant, lines, until, newcomer },
        confirmed: false,
      });
    }
    case "ReservationConfirmed": {
      const held = heldBy(state, data.order_id);
      return held ? holding(state, data.order_id, { ...held, confirmed: true }) : state;
    }
    case "StockReleased":
      return without(state, data.order_id, { reserved: -1 });
    case "StockShipped":
      return without(state, data.order_id, { reserved: -1, on_hand: -1 });
    case "StockRestocked":
      return { ...state, shelves: moved(state.shelves, data.lines, { on_hand: 1 }) };
  }
}

/** By how much of a line on_hand and reserved move. */
type Move = { on_hand?: 1 | -1; reserved?: 1 | -1 };

function moved(shelves: readonly Shelf[], lines: readonly StockLine[], move: Move): readonly Shelf[] {
  const { on_hand = 0, reserved = 0 } = move;
  const next = [...shelves];
  for (const { location, quantity } of lines) {
    const at = next.findIndex((shelf) => shelf.location === location);
    const shelf = next[at] ?? { location, on_hand: 0, reserved: 0 };
    next[at < 0 ? next.length : at] = {
      location,
      on_hand: shelf.on_hand + on_hand * quantity,
      reserved: shelf.reserved + reserved * quantity,
    };
  }
  return next;
}

function without(state: StockState, order_id: number, move: Move): StockState {
  const held = heldBy(state, order_id);
  if (!held) return state;
  return holding({ ...state, shelves: moved(state.shelves, held.lines, move) }, order_id, undefined);
}

/** What an order holds; undefined where it holds nothing, or nothing any more. */
export const heldBy = ({ open }: Pick<StockState, "open">, order_id: number): Reservation | undefined =>
  valueAt(open, String(order_id));

/** The same with what an order holds from now on, counted among its tenant's unpaid ones. */
function holding(state: StockState, order_id: number, held: Reservation | undefined): StockState {
  const before = heldBy(state, order_id);
  const { tenant } = (held ?? before)!;
  const isUnpaid = (one: Reservation | undefined) => (one && !one.confirmed ? 1 : 0);
  const unpaid = unpaidOf(state, tenant) + isUnpaid(held) - isUnpaid(before);
  const byNewcomer = (one: Reservation | undefined) =>
    one?.newcomer && !one.confirmed ? unitsIn(one.lines) : 0;
  return {
    ...state,
    newcomers: state.newcomers + byNewcomer(held) - byNewcomer(before),
    open: withValue(state.open, String(order_id), held),
    unpaid: withValue(state.unpaid, tenant, unpaid === 0 ? undefined : unpaid),
  };
}

const unitsIn = (lines: readonly StockLine[]) => lines.reduce((sum, { quantity }) => sum + quantity, 0);

const unpaidOf = ({ unpaid }: StockState, tenant: string): number => valueAt(unpaid, tenant) ?? 0;

export const availableAt = ({ on_hand, reserved }: Shelf): number => on_hand - reserved;

export const receive =
  (facts: Data<"StockReceived">) =>
  ({ shelves }: StockState): StockEvent[] => {
    refuseTooMuch(shelves, facts.quantity);
    return [{ type: "StockReceived", data: facts }];
  };

/** Corrects what was counted wrong, was lost or found; what orders hold stays. */
export const adjust =
  (facts: Data<"StockAdjusted">) =>
  ({ shelves }: StockState): StockEvent[] => {
    const shelf = shelves.find(({ location }) => location === facts.location);
    if (!shelf) return refuse("not_found", `nothing was ever received at ${facts.location}`);
    if (facts.delta === 0) return [];
    if (shelf.on_hand + facts.delta < shelf.reserved)
      refuse(
        commerceProblems["stock-reserved"],
        `${shelf.on_hand} are at ${shelf.location}, of which orders hold ${shelf.reserved}: at most ${availableAt(shelf)} can be taken away`,
      );
    refuseTooMuch(shelves, facts.delta);
    return [{ type: "StockAdjusted", data: facts }];
  };

function refuseTooMuch(shelves: readonly Shelf[], more: number): void {
  const on_hand = shelves.reduce((sum, shelf) => sum + shelf.on_hand, more);
  if (on_hand > MOST_STOCK) refuse("invalid", `a product's stock is at most ${MOST_STOCK} base units`);
}

/** What an order asks for: `quantity` units of `base` base units each. */
export type Wanted = {
  order_id: number;
  tenant: string;
  unit: UnitName;
  base: number;
  quantity: number;
  until: string;
  /** A wallet without a paid order. */
  newcomer?: boolean;
};

/** Unpaid orders by which a tenant may hold a product: else a small price would buy a whole shop for half an hour. */
export const MOST_UNPAID = 3;

/** Holds the goods for an order: from the first location that has all of it, else from as few as possible. */
export const reserve =
  ({ unit, base, quantity, newcomer = false, ...held }: Wanted, reserved_at: string) =>
  (state: StockState): StockEvent[] => {
    const { shelves } = state;
    if (heldBy(state, held.order_id)) refuse("conflict", "this order holds its goods already");
    const lines = pick(shelves, base, quantity);
    if (!lines) {
      const left = unitsLeft(shelves, base);
      refuse(
        commerceProblems["out-of-stock"],
        `${left === 1 ? "1 is" : `${left} are`} left, counted in ${unit}s`,
      );
    }
    const unpaid = unpaidOf(state, held.tenant);
    if (unpaid >= MOST_UNPAID)
      refuse(
        commerceProblems["unpaid-orders"],
        `you hold this product by ${unpaid} unpaid orders: pay or cancel one of them first`,
      );
    if (newcomer) refuseNewcomers(state, unitsIn(lines), { unit, base });
    const known = newcomer ? { newcomer: true as const } : {};
    return [{ type: "StockReserved", data: { ...held, lines, reserved_at, ...known } }];
  };

/** Wallets without a paid order are as many as anybody wants: together they hold half of the goods that nobody else holds, rounded up. */
function refuseNewcomers(
  { shelves, newcomers }: StockState,
  wanted: number,
  { unit, base }: Pick<Wanted, "unit" | "base">,
): void {
  const free = shelves.reduce((sum, shelf) => sum + availableAt(shelf), 0);
  const most = Math.ceil((free + newcomers) / 2);
  if (newcomers + wanted <= most) return;
  const left = Math.max(0, Math.floor((most - newcomers) / base));
  refuse(
    commerceProblems["newcomers-share"],
    `${left === 1 ? "1 is" : `${left} are`} left, counted in ${unit}s, for wallets without a paid order: order fewer, ask again within half an hour, or order with an API key`,
  );
}

/** Whole units of `base` base units that can be sold: none is put together from two locations. */
export const unitsLeft = (shelves: readonly Shelf[], base: number): number =>
  shelves.reduce((sum, shelf) => sum + Math.floor(availableAt(shelf) / base), 0);

/** Where so many whole units come from; undefined where they are not there. */
export function pick(shelves: readonly Shelf[], base: number, quantity: number): StockLine[] | undefined {
  const stocked = shelves.map((shelf) => ({
    location: shelf.location,
    units: Math.floor(availableAt(shelf) / base),
  }));
  const whole = stocked.find(({ units }) => units >= quantity);
  if (whole) return [{ location: whole.location, quantity: quantity * base }];
  const lines: StockLine[] = [];
  let left = quantity;
  // The fullest first: no other choice comes to fewer locations. The sort is stable, so equals stay in the operator's order.
  for (const { location, units } of stocked.sort((a, b) => b.units - a.units)) {
    const taken = Math.min(units, left);
    if (taken > 0) lines.push({ location, quantity: taken * base });
    left -= taken;
  }
  return left === 0 ? lines : undefined;
}

/** The order is paid: its goods are held until they are shipped. */
export const confirm =
  (order_id: number, confirmed_at: string) =>
  (state: StockState): StockEvent[] => {
    const held = heldBy(state, order_id);
    if (!held)
      return refuse(commerceProblems["order-not-payable"], "the goods of this order are not held any more");
    return held.confirmed ? [] : [{ type: "ReservationConfirmed", data: { order_id, confirmed_at } }];
  };

export const release =
  (order_id: number, reason: Data<"StockReleased">["reason"], released_at: string) =>
  (state: StockState): StockEvent[] =>
    heldBy(state, order_id) ? [{ type: "StockReleased", data: { order_id, reason, released_at } }] : [];

/** The goods leave; only what is paid for does. */
export const ship =
  (order_id: number, shipped_at: string) =>
  (state: StockState): StockEvent[] => {
    if (!heldBy(state, order_id)?.confirmed)
      refuse(commerceProblems["order-state"], "only goods that are held and paid for leave the shop");
    return [{ type: "StockShipped", data: { order_id, shipped_at } }];
  };

/** Goods of a returned order lie where they can be sold again. */
export const restock =
  (facts: Data<"StockRestocked">) =>
  ({ shelves }: StockState): StockEvent[] => {
    refuseTooMuch(
      shelves,
      facts.lines.reduce((sum, { quantity }) => sum + quantity, 0),
    );
    return [{ type: "StockRestocked", data: facts }];
  };
