import { z } from "zod";
import { madeId, time } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { mailSubject, sealLocation } from "../../../core/model/sealed.ts";
import { decimalEuro, sumOf, vatOfLines } from "../../../domain/commerce/money.ts";
import { MOST_UNITS } from "../../../domain/commerce/order.ts";
import type { Product, UnitName } from "../../../domain/commerce/product.ts";
import * as product from "../../../domain/commerce/product.ts";
import * as quotes from "../../../domain/commerce/quote.ts";
import { json, key, operation, pay } from "../../declare/index.ts";
import {
  inputMail,
  inputName,
  inputQuantity,
  inputUnit,
  money,
  shopMeta,
  shownTotal,
  totalShown,
} from "./fields.ts";

const DAY_MS = 86_400_000;

const item = z.strictObject(
  {
    product_id: product.productId.describe("From products_list"),
    quantity: inputQuantity.describe(`How many, 1 to ${MOST_UNITS}`),
    unit: inputUnit.describe("bag or pallet; omitted = the unit of stock").optional(),
  },
  "is { product_id, quantity, unit }",
);

const create = operation({
  name: "quotes_create",
  route: "POST /v1/agent/quotes",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "A quote: prices fixed for two weeks",
  description: `Current prices with value added tax. orders_create accepts them by \`quote_id\` for ${quotes.VALID_DAYS} days, for at most the quoted units an
order. It reserves no goods: orders depend on the stock of then. Name and mail are sealed and can be erased.`,
  access: [key("quote"), pay("0.01")],
  input: z.object({
    client_name: inputName.describe("The quote's client"),
    client_email: inputMail.describe("The client's mail address"),
    items: z
      .array(item, "is a list of { product_id, quantity, unit }")
      .min(1, "has at least 1 item")
      .max(quotes.MOST_ITEMS, `has at most ${quotes.MOST_ITEMS} items`)
      .describe(`1 to ${quotes.MOST_ITEMS} products`),
  }),
  output: json(
    z.object({
      data: z.object({
        quote_id: madeId,
        status: z.literal("draft"),
        items: z.array(
          z.object({
            product_id: product.productId,
            product_slug: product.slug,
            unit: z.enum(product.unitNames),
            quantity: z.int(),
            unit_net: money.describe("EUR for one unit, without tax"),
            net: money.describe("EUR, for all units"),
            vat: money.describe("EUR, its share of the quote's tax; the shares add up to it"),
            gross: money.describe("EUR, with tax"),
          }),
        ),
        ...totalShown,
        valid_until: time,
        drafted_at: time,
      }),
      meta: z.object(shopMeta),
    }),
  ),
  status: 201,
  secrets: ["client_name", "client_email"],
  refuses: [404],
  example: {
    client_name: "Anna Ozola",
    client_email: "anna@example.org",
    items: [{ product_id: 1, quantity: 2, unit: "pallet" }],
  },
  handle: async ({ input, caller, app, unit }) => {
    const { tenant } = caller;
    const now = app.clock.now();
    const ids = [...new Set(input.items.map(({ product_id }) => product_id))];
    const loaded = await Promise.all(ids.map((id) => app.load(product, product.targetOf(tenant, id))));
    const products = new Map(ids.map((id, at) => [id, loaded[at]]));
    const target = { tenant, id: unit.fresh_id };
    const client = unit.personal({
      subject: mailSubject(tenant, input.client_email),
      place: sealLocation(quotes, target, "QuoteDrafted"),
      value: { name: input.client_name, mail: input.client_email },
    });
    const draft = (state: quotes.QuoteState) => {
      const priced = input.items.map((one, at) => pricedItem(products.get(one.product_id), one, at, now));
      return quotes.draft({
        quote_id: unit.fresh_id,
        items: priced.map(({ item }) => item),
        ...sumOf(priced.map(({ line }) => line)),
        valid_until: new Date(now.getTime() + quotes.VALID_DAYS * DAY_MS).toISOString(),
        client,
        drafted_at: now.toISOString(),
      })(state);
    };
    const { state } = await unit.decide(quotes, target, draft, { is_new: true });
    if (!state) throw new Error("what was drafted is known");
    const lines = state.items.map(({ product_id, quantity, net_cents }) => ({
      net_cents: net_cents * quantity,
      vat_bp: products.get(product_id)!.facts.vat_bp,
    }));
    const vat = vatOfLines(lines, state.vat_cents);
    const items = state.items.map(({ product_id, unit, quantity, net_cents }, at) => ({
      product_id,
      product_slug: products.get(product_id)!.facts.slug,
      unit,
      quantity,
      unit_net: decimalEuro(net_cents),
      net: decimalEuro(lines[at]!.net_cents),
      vat: decimalEuro(vat[at]!),
      gross: decimalEuro(lines[at]!.net_cents + vat[at]!),
    }));
    const { valid_until, drafted_at } = state;
    return {
      data: {
        quote_id: unit.fresh_id,
        status: "draft" as const,
        items,
        ...shownTotal(state),
        valid_until,
        drafted_at,
      },
      meta: { tenant },
    };
  },
});

type QuoteItem = { product_id: number; quantity: number; unit?: UnitName | undefined };

/** An item at the current price; `at`: its index in the input. */
function pricedItem(
  found: Product | undefined,
  { product_id, quantity, unit: requested }: QuoteItem,
  at: number,
  now: Date,
) {
  if (!found || found.withdrawn_at !== null)
    return refuse(
      "not_found",
      `items.${at}.product_id: there is no product ${product_id}; products_list names them`,
    );
  const unit = requested ?? found.facts.base_unit;
  const price = product.priceAt(found, unit, now.toISOString());
  if (!price) {
    const sold = product.pricedUnits(found, now.toISOString()).map((one) => one.unit);
    const message = `is one of the units of ${found.facts.slug}: ${sold.join(", ") || "none now"}`;
    return refuseField(`items.${at}.unit`, message);
  }
  const { net_cents } = price;
  return {
    item: { product_id, unit, quantity, net_cents },
    line: { net_cents: net_cents * quantity, vat_bp: found.facts.vat_bp },
  };
}

export const quoteOperations = [create];
