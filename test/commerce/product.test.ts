import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pelletsFor, sameHeat, wholeUp } from "../../src/domain/commerce/calculator.ts";
import {
  converted,
  decimalEuro,
  microUsdcOf,
  placesOf,
  sumOf,
  totalOf,
  vatOf,
  vatOfLines,
} from "../../src/domain/commerce/money.ts";
import * as products from "../../src/domain/commerce/product.ts";
import {
  baseOf,
  centsPerKg,
  cheapestLines,
  events,
  evolve,
  goodsLine,
  initialState,
  list,
  netOf,
  type Product,
  type ProductEvent,
  type ProductState,
  price,
  priceAt,
  pricedUnits,
  pricesSince,
  shopOf,
  withdraw,
} from "../../src/domain/commerce/product.ts";
import { refusedAs, specificationOf } from "../support/specification.ts";
import { AT, later, listed, pellets, priced } from "./facts.ts";

function stateAfter(history: readonly ProductEvent[]): ProductState {
  for (const { type, data } of history) events[type][1].parse(data);
  return history.reduce(evolve, initialState());
}
const withdrawn: ProductEvent = { type: "ProductWithdrawn", data: { withdrawn_at: AT } };
const priceOf = (net_cents: number, from = AT, set_at = AT) =>
  price({ unit: "bag", net_cents, from, set_at });

const given = specificationOf(products);
type Decision = (state: ProductState) => ProductEvent[];
const stories: [what: string, history: ProductEvent[], decision: Decision, then: ProductEvent[]][] = [
  ["is listed", [], list(pellets), [listed]],
  ["gets a price", [listed], priceOf(495), [priced(495)]],
  ["gets one ahead", [listed, priced(495)], priceOf(520, later(60)), [priced(520, later(60))]],
  ["gets the same one again", [listed, priced(495)], priceOf(495), []],
  ["gets another from the same time", [listed, priced(495)], priceOf(500), [priced(500)]],
  ["is withdrawn", [listed], withdraw(AT), [withdrawn]],
  ["is withdrawn once", [listed, withdrawn], withdraw(AT), []],
];
test.each(stories)("a product %s", (_, history, decision, then) => {
  given(history).when(decision).then(then);
});

test.each<[string, ProductEvent[], Decision, string, string]>([
  ["to be listed twice", [listed], list(pellets), "conflict", "product 1 is listed already"],
  [
    "units without the base unit",
    [],
    list({ ...pellets, units: [{ unit: "pallet", base: 65 }] }),
    "invalid",
    "base unit",
  ],
  [
    "a unit twice",
    [],
    list({ ...pellets, units: [...pellets.units, { unit: "bag", base: 1 }] }),
    "invalid",
    "once",
  ],
  ["a price of the past", [listed], priceOf(1, AT, later(1)), "invalid", "starts now"],
  ["a price in a unit that it is not sold in", [stateless()], priceOf(1), "invalid", "unit"],
  ["a price of what is withdrawn", [listed, withdrawn], priceOf(1), "not-found", "no such product"],
  ["to withdraw a missing product", [], withdraw(AT), "not-found", "no such product"],
])("a product refuses %s", (_, history, decision, slug, says) => {
  given(history).when(decision).thenThrows(refusedAs(slug, says));
});

/** A product sold only by the pallet. */
function stateless(): ProductEvent {
  return {
    type: "ProductListed",
    data: { ...pellets, base_unit: "pallet", units: [{ unit: "pallet", base: 1 }] },
  };
}

describe("prices", () => {
  const product = stateAfter([
    listed,
    priced(500, later(120)),
    priced(495),
    priced(510, later(60)),
    priced(515, later(60)),
    priced(29_900, AT, "pallet"),
  ]) as Product;

  test("apply from their start, however late they were set; of two equal starts the last wins", () => {
    const at = (minutes: number) => priceAt(product, "bag", later(minutes))?.net_cents;
    expect([-1, 0, 59, 60, 119, 120].map(at)).toEqual([undefined, 495, 495, 515, 515, 500]);
  });

  test("of the past have from and to, and future ones are hidden", () => {
    expect(pricesSince(product, later(30), later(70))).toEqual([
      { unit: "bag", net_cents: 495, from: AT, to: later(60) },
      { unit: "pallet", net_cents: 29_900, from: AT, to: null },
      { unit: "bag", net_cents: 515, from: later(60), to: later(120) },
    ]);
    expect(pricesSince(product, later(60), later(60)).map(({ net_cents }) => net_cents)).toEqual([
      29_900, 515,
    ]);
  });

  test("per kilogram are those of the cheapest unit", () => {
    const units = pricedUnits(product, AT);
    expect(units.map(({ unit, kg }) => [unit, kg])).toEqual([
      ["bag", 15],
      ["pallet", 975],
    ]);
    expect(centsPerKg(units)).toBeCloseTo(29_900 / 975, 12);
    expect(centsPerKg([])).toBeUndefined();
  });

  test("make the cheapest lines that add up to the goods", () => {
    const units = pricedUnits(product, AT);
    const linesOf = (base_units: number) =>
      cheapestLines(units, base_units)?.map(({ unit, quantity, discount_cents }) => [
        unit,
        quantity,
        discount_cents,
      ]);
    expect(linesOf(64)).toEqual([["bag", 64, 0]]);
    // A pallet costs 299.00, and its 65 bags at 4.95 cost 321.75.
    expect(linesOf(65)).toEqual([["pallet", 1, 2_275]]);
    expect(linesOf(200)).toEqual([
      ["pallet", 3, 6_825],
      ["bag", 5, 0],
    ]);
    expect(linesOf(0)).toEqual([]);
    expect(cheapestLines([], 1)).toBeUndefined();
    expect(cheapestLines(units.slice(1), 66)).toBeUndefined();
    // Where bags cost less than the pallet of them, pallets are not a discount.
    const dear = units.map((one) => (one.unit === "pallet" ? { ...one, net_cents: 40_000 } : one));
    expect(cheapestLines(dear, 130)).toMatchObject([{ unit: "bag", quantity: 130 }]);
    expect(goodsLine(dear, dear[1]!, 2).discount_cents).toBe(0);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5_000 }),
        fc.integer({ min: 1, max: 60_000 }),
        (base_units, pallet) => {
          const priced = units.map((one) => (one.unit === "pallet" ? { ...one, net_cents: pallet } : one));
          const lines = cheapestLines(priced, base_units)!;
          expect(lines.reduce((sum, { base, quantity }) => sum + base * quantity, 0)).toBe(base_units);
          const ways = Array.from({ length: Math.floor(base_units / 65) + 1 }, (_, pallets) => {
            return pallets * pallet + (base_units - 65 * pallets) * priced[0]!.net_cents;
          });
          expect(netOf(lines)).toBe(Math.min(...ways));
        },
      ),
    );
  });

  test("are only in units of the product", () => {
    expect(baseOf(product, "pallet")).toBe(65);
  });
});

test("test keys have a shop of their own", () => {
  expect(["acme", "wallet:0xabc", "test:acme"].map(shopOf)).toEqual([
    "operator",
    "operator",
    "test:operator",
  ]);
});

describe("money", () => {
  test("is whole cents, with its tax rounded half up", () => {
    expect([0, 5, 1_050, 123_456].map(decimalEuro)).toEqual(["0.00", "0.05", "10.50", "1234.56"]);
    expect([1, 2, 3, 50, 4_950].map((net) => vatOf(net, 2_100))).toEqual([0, 0, 1, 11, 1_040]);
    expect(totalOf(4_950, 2_100)).toEqual({ net_cents: 4_950, vat_cents: 1_040, gross_cents: 5_990 });
  });

  test("in USDC is exact and rounded up at the sixth decimal", () => {
    expect(microUsdcOf(5_990, "1.0832")).toBe(64_883_680);
    expect(microUsdcOf(1, "1.00001")).toBe(10_001);
    expect(microUsdcOf(1, "1.000001")).toBe(10_001);
    expect(microUsdcOf(1, "1")).toBe(10_000);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000_000 }),
        fc.integer({ min: 5_000, max: 20_000 }),
        (cents, pips) => {
          const micro = microUsdcOf(cents, String(pips / 10_000));
          expect(micro).toBe(Math.ceil(cents * pips));
        },
      ),
    );
  });

  test("in another currency has that currency's decimals", () => {
    expect(converted(495, "1.0832", placesOf("USD"))).toBe("5.36");
    expect(converted(495, "162.5", placesOf("JPY"))).toBe("804");
    expect(converted(495, "1", placesOf("EUR"))).toBe("4.95");
  });
});

describe("fuel for a season", () => {
  const need = { kw: 10, desired_temp: 20, heating_months: 6, insulation: "average" as const };

  test("is 350 kg a kilowatt, proportional to warmth and months, and by insulation", () => {
    expect(pelletsFor(need)).toBe(3_500);
    expect(pelletsFor({ ...need, desired_temp: 10, heating_months: 3 })).toBe(875);
    expect(
      ["poor", "good", "excellent"].map((insulation) =>
        pelletsFor({ ...need, insulation: insulation as "poor" }),
      ),
    ).toEqual([4_550, 2_800, 2_275]);
  });

  test("of another kind gives the same heat", () => {
    expect(sameHeat(460, 4.6, 4.3) * 4.3).toBeCloseTo(460 * 4.6, 9);
  });

  test("is rounded up, except for binary fractions", () => {
    expect([10, 10.2, 0.1 + 0.2 + 9.7, 10.0000001].map(wholeUp)).toEqual([10, 11, 10, 10]);
  });
});

test("the tax of several lines is that of their sum, and their shares add up to it", () => {
  // Each line alone would round 0.105 up to 0.11.
  const equal = [50, 50, 50].map((net_cents) => ({ net_cents, vat_bp: 2_100 }));
  const { vat_cents } = sumOf(equal);
  expect(vat_cents).toBe(vatOf(150, 2_100));
  expect([vat_cents, vatOfLines(equal, vat_cents)]).toEqual([32, [11, 11, 10]]);
  const line = fc.record({ net_cents: fc.nat(10_000_000), vat_bp: fc.constantFrom(0, 500, 1_200, 2_100) });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 50 }), (lines) => {
      const total = sumOf(lines);
      const shares = vatOfLines(lines, total.vat_cents);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total.vat_cents);
      for (const [at, share] of shares.entries())
        expect(Math.abs(share - (lines[at]!.net_cents * lines[at]!.vat_bp) / 10_000)).toBeLessThan(1);
      if (lines.every(({ vat_bp }) => vat_bp === 2_100))
        expect(total.vat_cents).toBe(vatOf(total.net_cents, 2_100));
    }),
  );
});
