import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/core/model/refusal.ts";
import { entriesOf } from "../../src/domain/commerce/buckets.ts";
import * as stock from "../../src/domain/commerce/stock.ts";
import {
  adjust,
  availableAt,
  confirm,
  events,
  evolve,
  initialState,
  MOST_STOCK,
  missingUnits,
  pick,
  receive,
  release,
  reserve,
  restock,
  type StockEvent,
  type StockLine,
  type StockState,
  ship,
  unitsLeft,
} from "../../src/domain/commerce/stock.ts";
import { scaled } from "../support/scale.ts";
import { refusedAs, specificationOf } from "../support/specification.ts";
import { AT, confirmed, later, linesOf, received, reserved, wanted } from "./facts.ts";

/** The state after events; each must match its schema. */
function stateAfter(history: readonly StockEvent[]): StockState {
  for (const { type, data } of history) events[type][1].parse(data);
  return history.reduce(evolve, initialState());
}

const adjusted = (location: string, delta: number): StockEvent => ({
  type: "StockAdjusted",
  data: { location, delta, reason: "counted", adjusted_at: AT },
});
const released = (order_id: number): StockEvent => ({
  type: "StockReleased",
  data: { order_id, reason: "expired", released_at: AT },
});
const gone = (order_id: number): StockEvent => ({ type: "StockShipped", data: { order_id, shipped_at: AT } });
const back = (order_id: number, lines: Record<string, number>): StockEvent => ({
  type: "StockRestocked",
  data: { order_id, lines: linesOf(lines), restocked_at: AT },
});

const byNewcomer = (order_id: number, lines: Record<string, number>): StockEvent => {
  const { type, data } = reserved(order_id, lines) as Extract<StockEvent, { type: "StockReserved" }>;
  return { type, data: { ...data, tenant: `wallet:${order_id}`, newcomer: true } };
};

const given = specificationOf(stock);
type Decision = (state: StockState) => StockEvent[];
type Story = [what: string, history: StockEvent[], decision: Decision, then: StockEvent[]];

const receiveAt = (location: string, quantity: number) =>
  receive({ location, quantity, reference: null, received_at: AT });
const adjustAt = (location: string, delta: number) =>
  adjust({ location, delta, reason: "counted", adjusted_at: AT });

const stories: Story[] = [
  ["comes in", [], receiveAt("riga", 10), [received("riga", 10)]],
  [
    "is corrected down to what is reserved",
    [received("riga", 10), reserved(1, { riga: 4 })],
    adjustAt("riga", -6),
    [adjusted("riga", -6)],
  ],
  ["is corrected by nothing", [received("riga", 10)], adjustAt("riga", 0), []],
  [
    "is reserved to the last unit",
    [received("riga", 10)],
    reserve(wanted(1, 10), AT),
    [reserved(1, { riga: 10 })],
  ],
  [
    "comes from the first location with all of it",
    [received("riga", 4), received("liepaja", 9), received("cesis", 20)],
    reserve(wanted(1, 5), AT),
    [reserved(1, { liepaja: 5 })],
  ],
  [
    "otherwise comes from as few locations as possible",
    [received("riga", 4), received("liepaja", 9), received("cesis", 7)],
    reserve(wanted(1, 15), AT),
    [reserved(1, { liepaja: 9, cesis: 6 })],
  ],
  [
    "comes in whole ordered units: a pallet ships from one location",
    [received("riga", 100), received("liepaja", 129)],
    reserve(wanted(1, 2, { unit: "pallet", base: 65 }), AT),
    [reserved(1, { riga: 65, liepaja: 65 })],
  ],
  [
    "is reserved for a buyer with fewer than three unpaid orders",
    [received("riga", 10), ...[1, 2, 3].map((id) => reserved(id, { riga: 1 }))],
    reserve(wanted(4, 1, { tenant: "other" }), AT),
    [reserved(4, { riga: 1 }, "other")],
  ],
  [
    "is reserved again for a buyer who paid one of three",
    [received("riga", 10), ...[1, 2, 3].map((id) => reserved(id, { riga: 1 })), confirmed(2)],
    reserve(wanted(4, 1), AT),
    [reserved(4, { riga: 1 })],
  ],
  ["is confirmed", [received("riga", 10), reserved(1, { riga: 1 })], confirm(1, AT), [confirmed(1)]],
  ["is confirmed twice", [received("riga", 10), reserved(1, { riga: 1 }), confirmed(1)], confirm(1, AT), []],
  ["is released", [received("riga", 10), reserved(1, { riga: 1 })], release(1, "expired", AT), [released(1)]],
  [
    "is released once",
    [received("riga", 10), reserved(1, { riga: 1 }), released(1)],
    release(1, "expired", AT),
    [],
  ],
  ["is shipped", [received("riga", 10), reserved(1, { riga: 1 }), confirmed(1)], ship(1, AT), [gone(1)]],
  [
    "comes back",
    [received("riga", 10), reserved(1, { riga: 1 }), confirmed(1), gone(1)],
    restock({ order_id: 1, lines: linesOf({ riga: 1 }), restocked_at: AT }),
    [back(1, { riga: 1 })],
  ],
];
test.each(stories)("stock %s", (_, history, decision, then) => {
  given(history).when(decision).then(then);
});

type Refused = [what: string, history: StockEvent[], decision: Decision, slug: string, says: string];
const refusals: Refused[] = [
  [
    "more than there is",
    [received("riga", 10)],
    reserve(wanted(1, 11), AT),
    "out-of-stock",
    "10 are left, counted in bags",
  ],
  [
    "goods of other orders",
    [received("riga", 10), reserved(1, { riga: 9 })],
    reserve(wanted(2, 2), AT),
    "out-of-stock",
    "1 is left",
  ],
  [
    "a pallet from two locations",
    [received("riga", 64), received("liepaja", 64)],
    reserve(wanted(1, 1, { unit: "pallet", base: 65 }), AT),
    "out-of-stock",
    "0 are left, counted in pallets",
  ],
  ["an order before any delivery", [], reserve(wanted(1, 1), AT), "out-of-stock", "0 are left"],
  [
    "a fourth unpaid order",
    [received("riga", 10), ...[1, 2, 3].map((id) => reserved(id, { riga: 1 }))],
    reserve(wanted(4, 1), AT),
    "unpaid-orders",
    "3 unpaid orders",
  ],
  [
    "more than half of a product for wallets that never paid, however many they are",
    [received("riga", 7), received("liepaja", 4), byNewcomer(1, { riga: 5 })],
    reserve(wanted(2, 2, { tenant: "wallet:2", newcomer: true }), AT),
    "newcomers-share",
    "1 is left, counted in bags, for wallets without a paid order",
  ],
  [
    "the same order twice",
    [received("riga", 10), reserved(1, { riga: 1 })],
    reserve(wanted(1, 1), AT),
    "conflict",
    "already",
  ],
  [
    "to remove reserved goods",
    [received("riga", 10), reserved(1, { riga: 4 })],
    adjustAt("riga", -7),
    "stock-reserved",
    "at most 6",
  ],
  ["to correct a location without a delivery", [], adjustAt("riga", 1), "not-found", "riga"],
  ["a stock above the maximum", [received("riga", MOST_STOCK)], receiveAt("riga", 1), "invalid", "at most"],
  [
    "to confirm a released reservation",
    [received("riga", 10), reserved(1, { riga: 1 }), released(1)],
    confirm(1, AT),
    "order-not-payable",
    "no longer reserved",
  ],
  [
    "to ship unpaid goods",
    [received("riga", 10), reserved(1, { riga: 1 })],
    ship(1, AT),
    "order-state",
    "paid goods",
  ],
  [
    "to ship twice",
    [received("riga", 10), reserved(1, { riga: 1 }), confirmed(1), gone(1)],
    ship(1, AT),
    "order-state",
    "reserved and paid",
  ],
];
test.each(refusals)("stock refuses %s", (_, history, decision, slug, says) => {
  given(history).when(decision).thenThrows(refusedAs(slug, says));
});

test("newcomers regain what their orders paid for or freed; others order from the whole stock", () => {
  const held = [received("riga", 11), byNewcomer(1, { riga: 6 })];
  const more = wanted(2, 1, { tenant: "wallet:2", newcomer: true });
  expect(() => reserve(more, AT)(stateAfter(held))).toThrow("0 are left");
  expect(reserve(wanted(3, 5), AT)(stateAfter(held))).toHaveLength(1);
  for (const end of [confirmed(1), released(1)])
    expect(reserve(more, AT)(stateAfter([...held, end]))).toMatchObject([{ data: { newcomer: true } }]);
  expect(reserve({ ...more, quantity: 1 }, AT)(stateAfter([received("riga", 1)]))).toHaveLength(1);
});

test("newcomers reserve half of the rest: sold or reserved goods of others do not count", () => {
  const more = (order_id: number, quantity: number) =>
    reserve(wanted(order_id, quantity, { tenant: `wallet:${order_id}`, newcomer: true }), AT);
  for (const held of [[reserved(1, { riga: 10 }), confirmed(1)], [reserved(1, { riga: 10 })]]) {
    const state = stateAfter([received("riga", 20), ...held]);
    expect(more(2, 5)(state)).toHaveLength(1);
    expect(() => more(2, 6)(state)).toThrow("5 are left, counted in bags, for wallets");
  }
});

describe("whole units", () => {
  const shelves = fc
    .array(fc.record({ on_hand: fc.nat(300), reserved: fc.nat(300) }), { maxLength: 6 })
    .map((all) =>
      all.map(({ on_hand, reserved }, at) => ({
        location: `place-${at}`,
        on_hand: Math.max(on_hand, reserved),
        reserved: Math.min(on_hand, reserved),
      })),
    );

  test("come exactly from their locations, never more than there are, and from the fewest", () => {
    fc.assert(
      fc.property(
        shelves,
        fc.integer({ min: 1, max: 65 }),
        fc.integer({ min: 1, max: 40 }),
        (stocked, base, quantity) => {
          const lines = pick(stocked, base, quantity);
          expect(lines !== undefined).toBe(unitsLeft(stocked, base) >= quantity);
          if (!lines) return;
          expect(lines.reduce((sum, line) => sum + line.quantity, 0)).toBe(base * quantity);
          for (const line of lines) {
            expect(line.quantity % base).toBe(0);
            expect(line.quantity).toBeLessThanOrEqual(
              availableAt(stocked.find(({ location }) => location === line.location)!),
            );
          }
          // The fewest: one location less does not suffice, even with the fullest.
          const fullest = stocked.map((shelf) => Math.floor(availableAt(shelf) / base)).sort((a, b) => b - a);
          const fewer = fullest.slice(0, lines.length - 1).reduce((sum, units) => sum + units, 0);
          expect(fewer).toBeLessThan(quantity);
        },
      ),
      { numRuns: scaled(500, 10) },
    );
  });
});

describe("1,000 random runs", () => {
  const order = fc.integer({ min: 1, max: 12 });
  const place = fc.constantFrom("riga", "liepaja", "cesis");
  const step: fc.Arbitrary<Decision> = fc.oneof(
    fc.tuple(place, fc.integer({ min: 1, max: 50 })).map(([at, n]) => receiveAt(at, n)),
    fc.tuple(place, fc.integer({ min: -30, max: 30 })).map(([at, n]) => adjustAt(at, n)),
    fc
      .tuple(order, fc.integer({ min: 1, max: 20 }), fc.constantFrom(1, 5), fc.constantFrom("a", "b", "c"))
      .chain((given) => fc.boolean().map((newcomer) => [...given, newcomer] as const))
      .map(([id, n, base, tenant, newcomer]) => reserve(wanted(id, n, { base, tenant, newcomer }), AT)),
    order.map((id) => confirm(id, AT)),
    order.map((id) => release(id, "cancelled", AT)),
    order.map((id) => ship(id, AT)),
    fc
      .tuple(order, place, fc.integer({ min: 1, max: 20 }))
      .map(([order_id, at, n]) => restock({ order_id, lines: linesOf({ [at]: n }), restocked_at: later(1) })),
  );

  test("available is never below zero, arrivals less departures equal the stock, and a cold fold is equal", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let state = initialState();
        const history: StockEvent[] = [];
        for (const decision of steps) {
          try {
            for (const event of decision(state)) {
              history.push(event);
              state = evolve(state, event);
              // Newcomers take no more than they leave, except the odd unit.
              if (event.type === "StockReserved" && event.data.newcomer)
                expect(state.newcomers).toBeLessThanOrEqual(freeIn(state) + 1);
            }
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
          }
          const held = entriesOf(state.open).flatMap(([, { lines }]) => lines);
          const unpaid = entriesOf(state.open).filter(([, one]) => one.newcomer && !one.confirmed);
          expect(state.newcomers).toBe(unitsIn(unpaid.flatMap(([, { lines }]) => lines)));
          for (const { location, on_hand, reserved } of state.shelves) {
            expect(reserved).toBeGreaterThanOrEqual(0);
            expect(on_hand).toBeGreaterThanOrEqual(reserved);
            const lines = held.filter((line) => line.location === location);
            expect(reserved).toBe(lines.reduce((sum, { quantity }) => sum + quantity, 0));
          }
        }
        expect(stateAfter(history)).toEqual(state);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        expect(state.shelves.reduce((sum, { on_hand }) => sum + on_hand, 0)).toBe(cameAndWent(history));
      }),
      { numRuns: scaled(1_000, 10) },
    );
  });

  const unitsIn = (lines: readonly StockLine[]) => lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const freeIn = ({ shelves }: StockState) => shelves.reduce((sum, shelf) => sum + availableAt(shelf), 0);

  /** received + adjusted + restocked − shipped, from the events alone. */
  function cameAndWent(history: readonly StockEvent[]): number {
    const held = new Map<number, number>();
    let sum = 0;
    for (const { type, data } of history) {
      const count = "lines" in data ? data.lines.reduce((all, { quantity }) => all + quantity, 0) : 0;
      if (type === "StockReceived") sum += data.quantity;
      if (type === "StockAdjusted") sum += data.delta;
      if (type === "StockReserved") held.set(data.order_id, count);
      if (type === "StockRestocked") sum += count;
      if (type === "StockShipped") sum -= held.get(data.order_id)!;
    }
    return sum;
  }
});

describe("known faults of other shops", () => {
  test("Medusa #16502: two lines of one item in one order are not checked against the same number", () => {
    const first = reserve(wanted(1, 3), AT)(stateAfter([received("riga", 5)]));
    const between = first.reduce(evolve, stateAfter([received("riga", 5)]));
    expect(() => reserve(wanted(2, 3), AT)(between)).toThrow("2 are left");
  });

  test("Vendure #1738: goods are reserved when ordered, and not only when paid", () => {
    const ordered = stateAfter([received("riga", 1), reserved(1, { riga: 1 })]);
    expect(() => reserve(wanted(2, 1, { tenant: "other" }), AT)(ordered)).toThrow("0 are left");
    expect(confirm(1, AT)(ordered)).toEqual([confirmed(1)]);
  });
});

test("missing units are those that no reservation in the same order could get", () => {
  const shelf = fc.record({
    on_hand: fc.integer({ min: 0, max: 300 }),
    reserved: fc.integer({ min: 0, max: 300 }),
  });
  const line = fc.record({ base: fc.constantFrom(1, 65), quantity: fc.integer({ min: 1, max: 200 }) });
  fc.assert(
    fc.property(fc.array(shelf, { maxLength: 4 }), fc.array(line, { maxLength: 4 }), (shelved, lines) => {
      const shelves = shelved.map(({ on_hand, reserved }, at) => ({
        ...{ location: `place-${at}`, on_hand },
        reserved: Math.min(on_hand, reserved),
      }));
      const missing = missingUnits(shelves, lines);
      let state: StockState = { ...initialState(), shelves };
      for (const [at, { base, quantity }] of lines.entries()) {
        const most = unitsLeft(state.shelves, base);
        expect(missing[at]).toBe(Math.max(0, quantity - most));
        if (missing[at] === quantity) continue;
        const request = { order_id: at + 1, tenant: `t${at}`, unit: "bag" as const, until: later(30) };
        const events = reserve({ ...request, base, quantity: quantity - missing[at]! }, AT)(state);
        state = events.reduce(evolve, state);
      }
    }),
    { numRuns: scaled(100, 100) },
  );
  expect(missingUnits([], [{ base: 1, quantity: 3 }])).toEqual([3]);
});
