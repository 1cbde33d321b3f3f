import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { time } from "../../core/model/fields.ts";
import { refuse, refuseField } from "../../core/model/refusal.ts";

/** Latvian names of pellets, briquettes, plywood (CN 4412) and veneer. */
export const productTypes = ["granulas", "briketes", "saplaksnis", "finieris"] as const;
export type ProductType = (typeof productTypes)[number];

/** The heading or code of the Combined Nomenclature of each type. */
export const CN_CODES: Readonly<Record<ProductType, string>> = {
  granulas: "44013100",
  briketes: "44013200",
  saplaksnis: "4412",
  finieris: "4408",
};

export const unitNames = ["bag", "pallet"] as const;
export type UnitName = (typeof unitNames)[number];
const unitName = z.enum(unitNames);

export const productId = z
  .int("is a product_id: a whole number from 1")
  .min(1, "is at least 1")
  .max(999_999_999, "is at most 999999999");

export const slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "is lower-case letters and digits, with single hyphens between")
  .max(60, "is at most 60 characters");

/** Euro cents per unit, without tax. */
export const netCents = z.int().min(1).max(10_000_000);

const listed = z.strictObject({
  product_id: productId,
  slug,
  type: z.enum(productTypes),
  name: z.string().min(1).max(120),
  cn_code: z.string().regex(/^\d{4}(\d\d){0,2}$/),
  base_unit: unitName.describe("The unit in which stock is counted."),
  units: z
    .array(z.strictObject({ unit: unitName, base: z.int().min(1).max(10_000) }))
    .min(1)
    .describe("The product's sales units, each with its number of base units."),
  kg_per_base: z.number().positive().max(100_000),
  kwh_per_kg: z
    .number()
    .positive()
    .max(20)
    .nullable()
    .describe("Net calorific value; null if it is not a fuel."),
  vat_bp: z.int().min(0).max(10_000).describe("Value added tax in basis points."),
  listed_at: time,
});

const priced = z.strictObject({
  unit: unitName,
  net_cents: netCents.describe("Price of one unit, without tax, in cents of the euro."),
  from: time.describe("The price applies from then on; until then the earlier price applies."),
  set_at: time,
});

export const events = {
  ProductListed: { means: "A product was listed.", 1: listed },
  PriceSet: { means: "A product of the shop has a new price.", 1: priced },
  ProductWithdrawn: { means: "A product left the shop.", 1: z.strictObject({ withdrawn_at: time }) },
};

export type ProductFacts = DataOf<typeof events, "ProductListed">;
export type Price = DataOf<typeof events, "PriceSet">;
export type ProductEvent = EventOf<typeof events>;

/** `prices` by the time they start; of two with the same start, the later entry counts. */
export type Product = { facts: ProductFacts; prices: readonly Price[]; withdrawn_at: string | null };
export type ProductState = Product | undefined;

export const prefix = "product-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): ProductState => undefined;

/** The owner of the shop's streams. Test keys have a shop of their own, so a test order takes no real stock. */
export const shopOf = (tenant: string): "operator" | "test:operator" =>
  tenant.startsWith("test:") ? "test:operator" : "operator";

/** A product and its stock belong to the shop of a tenant. */
export const targetOf = (tenant: string, product_id: number) => ({
  tenant: shopOf(tenant),
  id: String(product_id),
});

export function evolve(state: ProductState, { type, data }: ProductEvent): ProductState {
  if (type === "ProductListed") return { facts: data, prices: [], withdrawn_at: null };
  if (!state) return state;
  if (type === "ProductWithdrawn") return { ...state, withdrawn_at: data.withdrawn_at };
  const after = state.prices.findLastIndex(({ from }) => from <= data.from) + 1;
  return { ...state, prices: state.prices.toSpliced(after, 0, data) };
}

/** Refuses a missing or withdrawn product with `not_found`. */
export const existing = (state: ProductState): Product =>
  state && state.withdrawn_at === null ? state : refuse("not_found", "there is no such product");

export const list =
  (facts: ProductFacts) =>
  (state: ProductState): ProductEvent[] => {
    if (state) refuse("conflict", `product ${facts.product_id} is listed already; choose another product_id`);
    const names = facts.units.map(({ unit }) => unit);
    const base = facts.units.find(({ unit }) => unit === facts.base_unit);
    if (new Set(names).size !== names.length || base?.base !== 1)
      refuse("invalid", "units name each unit once, and the base unit counts 1");
    return [{ type: "ProductListed", data: facts }];
  };

/** A price starts now or later; past prices never change. */
export const price =
  (facts: Price) =>
  (state: ProductState): ProductEvent[] => {
    const product = existing(state);
    baseOf(product, facts.unit);
    if (facts.from < facts.set_at) refuse("invalid", "a price starts now or later");
    const at_once = product.prices.findLast(({ unit, from }) => unit === facts.unit && from === facts.from);
    return at_once?.net_cents === facts.net_cents ? [] : [{ type: "PriceSet", data: facts }];
  };

export const withdraw =
  (withdrawn_at: string) =>
  (state: ProductState): ProductEvent[] => {
    if (!state) return refuse("not_found", "there is no such product");
    return state.withdrawn_at === null ? [{ type: "ProductWithdrawn", data: { withdrawn_at } }] : [];
  };

/** Base units of one `unit`; `invalid` if the product is not sold in it. */
export function baseOf({ facts }: Pick<Product, "facts">, unit: UnitName): number {
  const found = facts.units.find((one) => one.unit === unit);
  if (found) return found.base;
  const message = `is a unit in which ${facts.slug} is sold: ${facts.units.map((one) => one.unit).join(", ")}`;
  return refuseField("unit", message);
}

/** The price at a time, without tax; undefined = no price then. */
export const priceAt = ({ prices }: Pick<Product, "prices">, unit: UnitName, at: string): Price | undefined =>
  prices.findLast((one) => one.unit === unit && one.from <= at);

/** A unit with its price, without tax. */
export type PricedUnit = { unit: UnitName; base: number; kg: number; net_cents: number };

/** Units with a price at a time. */
export const pricedUnits = (product: Pick<Product, "facts" | "prices">, at: string): PricedUnit[] =>
  product.facts.units.flatMap(({ unit, base }) => {
    const found = priceAt(product, unit, at);
    return found ? [{ unit, base, kg: base * product.facts.kg_per_base, net_cents: found.net_cents }] : [];
  });

/** The cheapest unit's euro cents per kilogram, without tax; undefined = no price. */
export function centsPerKg(units: readonly PricedUnit[]): number | undefined {
  const each = units.map(({ net_cents, kg }) => net_cents / kg);
  return each.length > 0 ? Math.min(...each) : undefined;
}

/** Whole units of a product at their price, without tax. `discount_cents`: what the same goods cost more by the base unit. */
export type GoodsLine = PricedUnit & { quantity: number; discount_cents: number };

export function goodsLine(units: readonly PricedUnit[], one: PricedUnit, quantity: number): GoodsLine {
  const single = units.find(({ base }) => base === 1) ?? one;
  const discount_cents = Math.max(0, quantity * (one.base * single.net_cents - single.base * one.net_cents));
  return { ...one, quantity, discount_cents };
}

/** The cheapest lines for so many base units; undefined where no units add up to them. */
export function cheapestLines(units: readonly PricedUnit[], base_units: number): GoodsLine[] | undefined {
  let left = base_units;
  const lines: GoodsLine[] = [];
  for (const one of units.toSorted(
    (a, b) => a.net_cents / a.base - b.net_cents / b.base || b.base - a.base,
  )) {
    const quantity = Math.floor(left / one.base);
    if (quantity > 0) lines.push(goodsLine(units, one, quantity));
    left -= quantity * one.base;
  }
  return left === 0 ? lines : undefined;
}

export const netOf = (lines: readonly Pick<GoodsLine, "quantity" | "net_cents">[]): number =>
  lines.reduce((sum, { quantity, net_cents }) => sum + quantity * net_cents, 0);

/** A price and its period, until the next price of the unit. */
export type PricePeriod = { unit: UnitName; net_cents: number; from: string; to: string | null };

/** Prices in force at some time after `since`, by time; `to` null = still in force. */
export function pricesSince(
  { prices }: Pick<Product, "prices">,
  since: string,
  until: string,
): PricePeriod[] {
  return prices
    .map(({ unit, net_cents, from }, at) => {
      const next = prices.slice(at + 1).find((later) => later.unit === unit);
      return { unit, net_cents, from, to: next?.from ?? null };
    })
    .filter(({ from, to }) => from <= until && from !== to && (to === null || to > since));
}
