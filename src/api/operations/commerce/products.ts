import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { time } from "../../../core/model/fields.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { converted, percentOf, placesOf, totalOf } from "../../../domain/commerce/money.ts";
import {
  type PricedUnit,
  pricedUnits,
  pricesSince,
  productId,
  productTypes,
  shopOf,
  slug,
  targetOf,
  unitNames,
} from "../../../domain/commerce/product.ts";
import * as stock from "../../../domain/commerce/stock.ts";
import {
  type CatalogueFilter,
  catalogueProjection,
  listProducts,
  type StockedProduct,
} from "../../../projections/commerce/catalogue.ts";
import { type Rate, rateOf } from "../../../projections/commerce/rates.ts";
import { json, key, operation, pay } from "../../declare/index.ts";
import {
  inputProductId,
  inputSlug,
  inputType,
  money,
  nowOf,
  perKg,
  shownUnit,
  unitShown,
  vatPercent,
} from "./fields.ts";

/** A sold product, with the units that have a price. */
type SoldProduct = StockedProduct & { units: PricedUnit[] };

async function soldIn(app: App, filter: CatalogueFilter, at: string): Promise<SoldProduct[]> {
  return (await listProducts(app.pool, filter))
    .map((product) => ({ ...product, units: pricedUnits(product, at) }))
    .filter(({ withdrawn_at, units }) => withdrawn_at === null && units.length > 0);
}

const named = {
  product_id: productId,
  slug,
  type: z.enum(productTypes).describe("Kind of product"),
  name: z.string(),
};

const nameOf = ({ facts: { product_id, slug, type, name } }: StockedProduct) => ({
  product_id,
  slug,
  type,
  name,
});

const counted = { count: z.int() };

const shelfShown = z.object({
  location: z.string(),
  available: z.int().describe("Base units available to order"),
});

const products = operation({
  name: "products_list",
  route: "GET /v1/agent/products",
  summary: "List the shop's products in stock",
  description:
    "Heating fuel and wood available to order, with units, prices without tax and locations. A test key sees the separate shop of test keys.",
  access: [key("read"), pay("0.001")],
  lists: catalogueProjection,
  input: z.object({ type: inputType }),
  output: json(
    z.object({
      data: z.array(
        z.object({
          ...named,
          cn_code: z.string().describe("Combined Nomenclature code"),
          base_unit: z.enum(unitNames).describe("The unit of stock"),
          units: z.array(unitShown),
          price_per_kg: money.nullable().describe("EUR without tax, of the cheapest unit"),
          kwh_per_kg: z.number().nullable().describe("Net calorific value; null for non-fuels"),
          stock: z.array(shelfShown),
        }),
      ),
      meta: z.object(counted),
    }),
  ),
  example: { type: "granulas" },
  handle: async ({ input: { type }, caller, app }) => {
    const sold = await soldIn(app, { tenant: shopOf(caller.tenant), type }, nowOf(app));
    const data = sold.flatMap(({ shelves, units, ...product }) => {
      const { cn_code, base_unit, kwh_per_kg } = product.facts;
      const lying = shelves
        .map((shelf) => ({ location: shelf.location, available: stock.availableAt(shelf) }))
        .filter(({ available }) => available > 0);
      if (lying.length === 0) return [];
      return {
        ...nameOf({ shelves, ...product }),
        cn_code,
        base_unit,
        units: units.map(shownUnit),
        price_per_kg: perKg(units),
        kwh_per_kg,
        stock: lying,
      };
    });
    return { data, meta: { count: data.length } };
  },
});

const EUR = "EUR";

const rateShown = z
  .object({
    rate: z.string().describe("Currency units per euro"),
    as_of: z.iso.date(),
    source: z.string(),
    dataset: z.string(),
    vintage: z.string(),
    synthetic: z.boolean().describe("true: invented figures of the sandbox"),
  })
  .nullable()
  .describe("The ECB's last reference rate; null for EUR");

const prices = operation({
  name: "prices_list",
  route: "GET /v1/agent/prices",
  summary: "The price list, in any currency that the ECB quotes",
  description:
    "Every unit sold, with and without tax. Figures in another currency than EUR use the ECB's last reference rate, for information only: orders are in euro, and orders_create says what to pay.",
  access: [key("read"), pay("0.001")],
  lists: catalogueProjection,
  input: z.object({
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "is a currency of three capital letters, such as EUR")
      .default(EUR)
      .describe("EUR, or a currency of the ECB's reference rates, such as USD"),
  }),
  output: json(
    z.object({
      data: z.array(
        z.object({
          ...named,
          unit: z.enum(unitNames),
          kg: z.number(),
          net: money.describe("For one unit, without tax"),
          vat: money,
          gross: money.describe("With tax"),
          vat_percent: vatPercent,
          price_per_kg: money.describe("Without tax, a unit"),
        }),
      ),
      meta: z.object({ ...counted, currency: z.string(), rate: rateShown }),
    }),
  ),
  example: { currency: "USD" },
  handle: async ({ input: { currency }, caller, app, data: { reference } }) => {
    const rate: Rate | null = currency === EUR ? null : rateOf(reference, currency);
    const places = placesOf(currency);
    const inCurrency = (cents: number) => converted(cents, rate?.rate ?? "1", places);
    const sold = await soldIn(app, { tenant: shopOf(caller.tenant) }, nowOf(app));
    const data = sold.flatMap((product) =>
      product.units.map((one) => {
        const { net_cents, vat_cents, gross_cents } = totalOf(one.net_cents, product.facts.vat_bp);
        return {
          ...nameOf(product),
          unit: one.unit,
          kg: one.kg,
          net: inCurrency(net_cents),
          vat: inCurrency(vat_cents),
          gross: inCurrency(gross_cents),
          vat_percent: percentOf(product.facts.vat_bp),
          price_per_kg: perKg([one], rate?.rate),
        };
      }),
    );
    return { data, meta: { count: data.length, currency, rate } };
  },
});

type ProductQuery = { product_id?: number | undefined; slug?: string | undefined };

/**
 * The requested products; all by default. Refuses with `not_found` if a product is missing, or if its id and slug
 * disagree.
 */
async function requestedProducts(
  app: App,
  tenant: string,
  { product_id, slug }: ProductQuery,
): Promise<StockedProduct[]> {
  const found = await listProducts(app.pool, { tenant: shopOf(tenant), product_id, slug });
  if (found.length > 0 || (product_id === undefined && slug === undefined)) return found;
  const isTwice = product_id !== undefined && slug !== undefined;
  const why = isTwice ? "no product has both this product_id and this slug" : "there is no such product";
  return refuse("not_found", `${why}: products_list has all products`);
}

const history = operation({
  name: "prices_history",
  route: "GET /v1/agent/prices/history",
  summary: "How prices have changed",
  description:
    "Each price of the last months, with its start and end, for one product or all. Past prices never change; a price set ahead shows from the day it applies. A payment is not taken if no price changed; a key, whose calls cost no money, then gets the prices that apply.",
  access: [key("read"), pay("0.05")],
  lists: catalogueProjection,
  input: z.object({
    slug: inputSlug,
    product_id: inputProductId,
    months: z
      .int("is a whole number from 1 to 60")
      .min(1, "is at least 1")
      .max(60, "is at most 60")
      .default(12)
      .describe("How many months back, 1 to 60"),
  }),
  output: json(
    z.object({
      data: z.array(
        z.object({
          ...named,
          unit: z.enum(unitNames),
          net: money.describe("EUR for one unit, without tax"),
          from: time.describe("When the price began"),
          to: time.nullable().describe("When the next price starts or started; null while none is set"),
        }),
      ),
      meta: z.object({ ...counted, since: time }),
    }),
  ),
  refuses: [404],
  example: { months: 12 },
  handle: async ({ input, caller, app, request }) => {
    const now = app.clock.now();
    const since = new Date(now);
    since.setUTCMonth(since.getUTCMonth() - input.months);
    const found = await requestedProducts(app, caller.tenant, input);
    const data = found.flatMap((product) =>
      pricesSince(product, since.toISOString(), now.toISOString()).map(({ unit, net_cents, from, to }) => ({
        ...nameOf(product),
        unit,
        net: converted(net_cents, "1", 2),
        from,
        to,
      })),
    );
    const isChanged = data.some(({ to }) => to !== null);
    if (request.payment_id !== undefined && !isChanged)
      refuse(
        "not_found",
        `no price changed in ${input.months} months, and nothing is charged: request more months, or the current prices by prices_list`,
      );
    return { data, meta: { count: data.length, since: since.toISOString() } };
  },
});

const availability = operation({
  name: "availability_list",
  route: "GET /v1/agent/availability",
  summary: "Stock of a product by location, and how much can be ordered",
  description:
    "By location, in base units: `on_hand` is in stock, `reserved` belongs to orders, `available` is the difference. The stock of one product is always current; a list is current up to as_of_position.",
  access: [key("read"), pay("0.005")],
  lists: catalogueProjection,
  input: z.object({ product_id: inputProductId, slug: inputSlug }),
  output: json(
    z.object({
      data: z.array(
        z.object({
          ...named,
          base_unit: z.enum(unitNames),
          location: z.string(),
          on_hand: z.int(),
          reserved: z.int(),
          available: z.int().describe("Quantity free to order, in base units"),
        }),
      ),
      meta: z.object(counted),
    }),
  ),
  refuses: [404],
  example: {},
  handle: async ({ input, caller, app }) => {
    const found = (await requestedProducts(app, caller.tenant, input)).filter(
      ({ withdrawn_at }) => withdrawn_at === null,
    );
    const isOne = input.product_id !== undefined || input.slug !== undefined;
    const data = await Promise.all(
      found.map(async (product) => {
        const { facts } = product;
        const { shelves } = isOne
          ? await app.load(stock, targetOf(caller.tenant, facts.product_id))
          : product;
        return shelves.map((shelf) => ({
          ...nameOf(product),
          base_unit: facts.base_unit,
          location: shelf.location,
          on_hand: shelf.on_hand,
          reserved: shelf.reserved,
          available: stock.availableAt(shelf),
        }));
      }),
    );
    return { data: data.flat(), meta: { count: data.flat().length } };
  },
});

export const productOperations = [products, prices, history, availability];
