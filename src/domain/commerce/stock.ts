/**
 * All locations of a product share one stream, so one decision sees all sellable stock. Whole base units; at each
 * location on_hand ≥ reserved ≥ 0, and available is their difference.
 *
 * received + adjusted + restocked − shipped = on_hand
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

/** Keeps all sums exact. */
export const MOST_STOCK = 1_000_000_000;

/** JavaScript's largest exact integer. */
export const orderId = z
  .int("is an order_id: a whole number")
  .min(1, "is at least 1")
  .max(Number.MAX_SAFE_INTEGER, "is an order_id that orders_create returned");

const line = z.strictObject({
  location,
  quantity: z.int().min(1).max(MOST_STOCK).describe("Base units."),
});

export const stockLines = z.array(line).min(1);

export const events = {
  StockReceived: {
    means: "Goods arrived at a location of the shop.",
    1: z.strictObject({
      location,
      quantity: z.int().min(1).max(MOST_STOCK),
      reference: z
        .string()
        .max(100)
        .nullable()
        .describe("The operator's own reference, such as a delivery note."),
      received_at: time,
    }),
  },
  StockAdjusted: {
    means: "The count of the goods at a location was corrected.",
    1: z.strictObject({
      location,
      delta: z.int().min(-MOST_STOCK).max(MOST_STOCK),
      reason: z.string().max(100).describe("The operator's words."),
      adjusted_at: time,
    }),
  },
  StockReserved: {
    means: "Goods were reserved for an order.",
    1: z.strictObject({
      order_id: orderId,
      tenant: z.string(),
      lines: stockLines,
      until: time,
      reserved_at: time,
      newcomer: z.literal(true).optional().describe("The buyer is a wallet without a paid order."),
    }),
  },
  ReservationConfirmed: {
    means: "Reserved goods belong to their order, because it was paid.",
    1: z.strictObject({ order_id: orderId, confirmed_at: time }),
  },
  StockReleased: {
    means: "Reserved goods of an order can be sold again.",
    1: z.strictObject({ order_id: orderId, reason: z.enum(["expired", "cancelled"]), released_at: time }),
  },
  StockShipped: {
    means: "The goods of an order left the shop.",
    1: z.strictObject({ order_id: orderId, shipped_at: time }),
  },
  StockRestocked: {
    means: "Returned goods are in stock again.",
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
 * `shelves` in the order of first stocking; `open`: reservations by order_id; `unpaid`: number of unpaid ones by
 * tenant; `newcomers`: base units in unpaid orders of wallets without a paid one.
 */
export type StockState = {
  shelves: readonly Shelf[];
  open: Buckets<Reservation>;
  unpaid: Buckets<number>;
  newcomers: number;
};

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
      return withReservation({ ...state, shelves }, order_id, {
        ...{ tenant, lines, until, newcomer },
        confirmed: false,
      });
    }
    case "ReservationConfirmed": {
      const reservation = reservationOf(state, data.order_id);
      return reservation ? withReservation(state, data.order_id, { ...reservation, confirmed: true }) : state;
    }
    case "StockReleased":
      return without(state, data.order_id, { reserved: -1 });
    case "StockShipped":
      return without(state, data.order_id, { reserved: -1, on_hand: -1 });
    case "StockRestocked":
      return { ...state, shelves: moved(state.shelves, data.lines, { on_hand: 1 }) };
  }
}

/** Signs by which a line changes on_hand and reserved. */
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
  const reservation = reservationOf(state, order_id);
  if (!reservation) return state;
  return withReservation(
    { ...state, shelves: moved(state.shelves, reservation.lines, move) },
    order_id,
    undefined,
  );
}

/** The reservation of an order, if it has one. */
export const reservationOf = (
  { open }: Pick<StockState, "open">,
  order_id: number,
): Reservation | undefined => valueAt(open, String(order_id));

/** Sets or removes an order's reservation and counts it among its tenant's unpaid ones. */
function withReservation(
  state: StockState,
  order_id: number,
  reservation: Reservation | undefined,
): StockState {
  const before = reservationOf(state, order_id);
  const { tenant } = (reservation ?? before)!;
  const isUnpaid = (one: Reservation | undefined) => (one && !one.confirmed ? 1 : 0);
  const unpaid = unpaidOf(state, tenant) + isUnpaid(reservation) - isUnpaid(before);
  const byNewcomer = (one: Reservation | undefined) =>
    one?.newcomer && !one.confirmed ? unitsIn(one.lines) : 0;
  return {
    ...state,
    newcomers: state.newcomers + byNewcomer(reservation) - byNewcomer(before),
    open: withValue(state.open, String(order_id), reservation),
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

/** Corrects count errors, losses and finds; reservations stay. */
export const adjust =
  (facts: Data<"StockAdjusted">) =>
  ({ shelves }: StockState): StockEvent[] => {
    const shelf = shelves.find(({ location }) => location === facts.location);
    if (!shelf) return refuse("not_found", `nothing was ever received at ${facts.location}`);
    if (facts.delta === 0) return [];
    if (shelf.on_hand + facts.delta < shelf.reserved)
      refuse(
        commerceProblems["stock-reserved"],
        `${shelf.on_hand} are at ${shelf.location}, of which orders reserve ${shelf.reserved}: remove at most ${availableAt(shelf)}`,
      );
    refuseTooMuch(shelves, facts.delta);
    return [{ type: "StockAdjusted", data: facts }];
  };

function refuseTooMuch(shelves: readonly Shelf[], more: number): void {
  const on_hand = shelves.reduce((sum, shelf) => sum + shelf.on_hand, more);
  if (on_hand > MOST_STOCK) refuse("invalid", `a product's stock is at most ${MOST_STOCK} base units`);
}

/** `quantity` units of `base` base units each. */
export type ReservationRequest = {
  order_id: number;
  tenant: string;
  unit: UnitName;
  base: number;
  quantity: number;
  until: string;
  /** A wallet without a paid order. */
  newcomer?: boolean;
};

/**
 * The most unpaid orders of a tenant for a product: otherwise a small price would block a whole shop for half an hour.
 */
export const MOST_UNPAID = 3;

/** Reserves goods at the first location with all of them, otherwise at as few as possible. */
export const reserve =
  ({ unit, base, quantity, newcomer = false, ...reservation }: ReservationRequest, reserved_at: string) =>
  (state: StockState): StockEvent[] => {
    const { shelves } = state;
    if (reservationOf(state, reservation.order_id))
      refuse("conflict", "this order has reserved its goods already");
    const lines = pick(shelves, base, quantity);
    if (!lines) {
      const left = unitsLeft(shelves, base);
      refuse(
        commerceProblems["out-of-stock"],
        `${left === 1 ? "1 is" : `${left} are`} left, counted in ${unit}s`,
      );
    }
    const unpaid = unpaidOf(state, reservation.tenant);
    if (unpaid >= MOST_UNPAID)
      refuse(
        commerceProblems["unpaid-orders"],
        `you have ${unpaid} unpaid orders of this product: pay or cancel one first`,
      );
    if (newcomer) refuseNewcomers(state, unitsIn(lines), { unit, base });
    const flag = newcomer ? { newcomer: true as const } : {};
    return [{ type: "StockReserved", data: { ...reservation, lines, reserved_at, ...flag } }];
  };

/** New wallets are free, so all of them together may reserve half of the goods that no other order has, rounded up. */
function refuseNewcomers(
  { shelves, newcomers }: StockState,
  requested: number,
  { unit, base }: Pick<ReservationRequest, "unit" | "base">,
): void {
  const free = shelves.reduce((sum, shelf) => sum + availableAt(shelf), 0);
  const most = Math.ceil((free + newcomers) / 2);
  if (newcomers + requested <= most) return;
  const left = Math.max(0, Math.floor((most - newcomers) / base));
  refuse(
    commerceProblems["newcomers-share"],
    `${left === 1 ? "1 is" : `${left} are`} left, counted in ${unit}s, for wallets without a paid order: order fewer, retry in ten minutes, or order with an API key`,
  );
}

/** Sellable whole units; a unit comes from one location. */
export const unitsLeft = (shelves: readonly Shelf[], base: number): number =>
  shelves.reduce((sum, shelf) => sum + Math.floor(availableAt(shelf) / base), 0);

/** The locations of this many whole units; undefined = too few. */
export function pick(shelves: readonly Shelf[], base: number, quantity: number): StockLine[] | undefined {
  const stocked = shelves.map((shelf) => ({
    location: shelf.location,
    units: Math.floor(availableAt(shelf) / base),
  }));
  const whole = stocked.find(({ units }) => units >= quantity);
  if (whole) return [{ location: whole.location, quantity: quantity * base }];
  const lines: StockLine[] = [];
  let left = quantity;
  // The fullest first needs the fewest locations. The sort is stable: equal ones stay in the operator's order.
  for (const { location, units } of stocked.sort((a, b) => b.units - a.units)) {
    const taken = Math.min(units, left);
    if (taken > 0) lines.push({ location, quantity: taken * base });
    left -= taken;
  }
  return left === 0 ? lines : undefined;
}

/** Units of each line that the stock lacks, where the lines are taken in their order. */
export function missingUnits(
  shelves: readonly Shelf[],
  lines: readonly { base: number; quantity: number }[],
): number[] {
  let left = shelves;
  return lines.map(({ base, quantity }) => {
    const taken = Math.min(quantity, unitsLeft(left, base));
    left = moved(left, pick(left, base, taken) ?? [], { reserved: 1 });
    return quantity - taken;
  });
}

/** A paid order's goods stay reserved until they ship. */
export const confirm =
  (order_id: number, confirmed_at: string) =>
  (state: StockState): StockEvent[] => {
    const reservation = reservationOf(state, order_id);
    if (!reservation)
      return refuse(commerceProblems["order-not-payable"], "the goods of this order are no longer reserved");
    return reservation.confirmed ? [] : [{ type: "ReservationConfirmed", data: { order_id, confirmed_at } }];
  };

export const release =
  (order_id: number, reason: Data<"StockReleased">["reason"], released_at: string) =>
  (state: StockState): StockEvent[] =>
    reservationOf(state, order_id)
      ? [{ type: "StockReleased", data: { order_id, reason, released_at } }]
      : [];

/** Only paid goods ship. */
export const ship =
  (order_id: number, shipped_at: string) =>
  (state: StockState): StockEvent[] => {
    if (!reservationOf(state, order_id)?.confirmed)
      refuse(commerceProblems["order-state"], "only reserved and paid goods can ship");
    return [{ type: "StockShipped", data: { order_id, shipped_at } }];
  };

/** Returned goods can be sold again. */
export const restock =
  (facts: Data<"StockRestocked">) =>
  ({ shelves }: StockState): StockEvent[] => {
    refuseTooMuch(
      shelves,
      facts.lines.reduce((sum, { quantity }) => sum + quantity, 0),
    );
    return [{ type: "StockRestocked", data: facts }];
  };
