/** A product of the shop: what it is, the units it is sold in, and the price of each from when on. */

import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";

/** Pellets, briquettes, matchwood (plywood of CN 4412) and veneer, by their Latvian names. */
export const productTypes = ["granulas", "briketes", "saplaksnis", "finieris"] as const;
export type ProductType = (typeof productTypes)[number];

/** Heading or code of the Combined Nomenclature that each type belongs to. */
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

/** Cents of the euro for one unit, without tax. */
export const netCents = z.int().min(1).max(10_000_000);

const listed = z.strictObject({
  product_id: productId,
  slug,
  type: z.enum(productTypes),
  name: z.string().min(1).max(120),
  cn_code: z.string().regex(/^\d{4}(\d\d){0,2}$/),
  base_unit: unitName.describe("Stock is counted in these."),
  units: z
    .array(z.strictObject({ unit: unitName, base: z.int().min(1).max(10_000) }))
    .min(1)
    .describe("What it is sold in, and how many base units each has."),
  kg_per_base: z.number().positive().max(100_000),
  kwh_per_kg: z
    .number()
    .positive()
    .max(20)
    .nullable()
    .describe("Net calorific value; null of what is no fuel."),
  vat_bp: z.int().min(0).max(10_000).describe("Value added tax in basis points."),
  listed_at: time,
});

const priced = z.strictObject({
  unit: unitName,
  net_cents: netCents.describe("Of one unit, without tax, in cents of the euro."),
  from: time.describe("From when on it holds; until then the price before it does."),
  set_at: time,
});

export const events = {
  ProductListed: { means: "A product came into the shop.", 1: listed },
  PriceSet: { means: "A product of the shop has a new price.", 1: priced },
  ProductWithdrawn: { means: "A product left the shop.", 1: z.strictObject({ withdrawn_at: time }) },
};

export type ProductFacts = DataOf<typeof events, "ProductListed">;
export type Price = DataOf<typeof events, "PriceSet">;
export type ProductEvent = EventOf<typeof events>;

/** `prices` in the order in which they come to hold; of two that begin at once, the one that was set last counts. */
export type Product = { facts: ProductFacts; prices: readonly Price[]; withdrawn_at: string | null };
export type ProductState = Product | undefined;

/** What its streams are named by, before the id. */
export const prefix = "product-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): ProductState => undefined;

/** Whose streams a buyer's shop is: test keys have one of their own, so that a test order takes no real stock. */
export const shopOf = (tenant: string): "operator" | "test:operator" =>
  tenant.startsWith("test:") ? "test:operator" : "operator";

/** Where a product and its stock lie, in the shop of a tenant. */
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

/** The product; `not_found` where there is none, or none any more. */
export const standing = (state: ProductState): Product =>
  state && state.withdrawn_at === null ? state : refuse("not_found", "there is no such product");

export const list =
  (facts: ProductFacts) =>
  (state: ProductState): ProductEvent[] => {
    if (state) refuse("conflict", `product ${facts.product_id} is listed already; take another product_id`);
    const names = facts.units.map(({ unit }) => unit);
    const base = facts.units.find(({ unit }) => unit === facts.base_unit);
    if (new Set(names).size !== names.length || base?.base !== 1)
      refuse("invalid", "units name each unit once, and the base unit counts 1");
    return [{ type: "ProductListed", data: facts }];
  };

/** Sets a price from now on, or from a later time: what was to be paid before is never changed. */
export const price =
  (facts: Price) =>
  (state: ProductState): ProductEvent[] => {
    const product = standing(state);
    baseOf(product, facts.unit);
    if (facts.from < facts.set_at) refuse("invalid", "a price holds from now on, or from a later time");
    const at_once = product.prices.findLast(({ unit, from }) => unit === facts.unit && from === facts.from);
    return at_once?.net_cents === facts.net_cents ? [] : [{ type: "PriceSet", data: facts }];
  };

export const withdraw =
  (withdrawn_at: string) =>
  (state: ProductState): ProductEvent[] => {
    if (!state) return refuse("not_found", "there is no such product");
    return state.withdrawn_at === null ? [{ type: "ProductWithdrawn", data: { withdrawn_at } }] : [];
  };

/** How many base units one of these has; `invalid` where the product is not sold in them. */
export function baseOf({ facts }: Pick<Product, "facts">, unit: UnitName): number {
  const found = facts.units.find((one) => one.unit === unit);
  if (found) return found.base;
  const message = `is one that ${facts.slug} is sold in: ${facts.units.map((one) => one.unit).join(", ")}`;
  return refuse("invalid", "invalid input: unit", { errors: [{ path: "unit", message }] });
}

/** What one of these units costs at a time, without tax; undefined where it has no price then. */
export const priceAt = ({ prices }: Pick<Product, "prices">, unit: UnitName, at: string): Price | undefined =>
  prices.findLast((one) => one.unit === unit && one.from <= at);

/** A unit with its price, tax not included. */
export type PricedUnit = { unit: UnitName; base: number; kg: number; net_cents: number };

/** The units that have a price at a time. */
export const pricedUnits = (product: Pick<Product, "facts" | "prices">, at: string): PricedUnit[] =>
  product.facts.units.flatMap(({ unit, base }) => {
    const found = priceAt(product, unit, at);
    return found ? [{ unit, base, kg: base * product.facts.kg_per_base, net_cents: found.net_cents }] : [];
  });

/** Cents of the euro a kilogram, without tax, of the cheapest unit; undefined without any price. */
export function centsPerKg(units: readonly PricedUnit[]): number | undefined {
  const each = units.map(({ net_cents, kg }) => net_cents / kg);
  return each.length > 0 ? Math.min(...each) : undefined;
}

/** What held when: each price until the next of the same unit came. */
export type Held = { unit: UnitName; net_cents: number; from: string; to: string | null };

/** Prices that held at some time after `since`, in the order of time; `to` is null while nothing follows. */
export function heldSince({ prices }: Pick<Product, "prices">, since: string, until: string): Held[] {
  return prices
    .map(({ unit, net_cents, from }, at) => {
      const next = prices.slice(at + 1).find((later) => later.unit === unit);
      return { unit, net_cents, from, to: next?.from ?? null };
    })
    .filter(({ from, to }) => from <= until && from !== to && (to === null || to > since));
}
