import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { madeId, time } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { mailSubject, sealLocation } from "../../../core/model/sealed.ts";
import { decimalEuro, sumOf, vatOfLines } from "../../../domain/commerce/money.ts";
import { MOST_UNITS } from "../../../domain/commerce/order.ts";
import type { Product, UnitName } from "../../../domain/commerce/product.ts";
import * as product from "../../../domain/commerce/product.ts";
import * as quotes from "../../../domain/commerce/quote.ts";
import * as stock from "../../../domain/commerce/stock.ts";
import { json, key, operation, pay } from "../../declare/index.ts";
import {
  inputMail,
  inputName,
  inputQuantity,
  inputUnit,
  lineShown,
  missingShown,
  money,
  shopMeta,
  shownLine,
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

const cheaperShown = z
  .object({
    lines: z.array(lineShown).describe("The units and their prices"),
    net: money.describe("EUR, for all lines, without tax"),
    saved: money.describe("EUR saved against the quoted item, without tax"),
  })
  .nullable()
  .describe("The same goods in cheaper units; null: no units are cheaper");

const create = operation({
  name: "quotes_create",
  route: "POST /v1/agent/quotes",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "A quote: prices fixed for two weeks",
  description: `Current prices with value added tax. orders_create accepts them by \`quote_id\` for ${quotes.VALID_DAYS} days, for at most the quoted units an
order. It reserves no goods: an order depends on the stock at its time, and \`missing\` is what the stock lacks now. \`cheaper\` names units by which the
same goods cost less. Name and mail are sealed and can be erased.`,
  access: [key("quote"), pay("0.01")],
  input: z.object({
    client_name: inputName.describe("The client's name"),
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
            ...lineShown.shape,
            vat: money.describe("EUR: the item's share of the quote's tax; all shares add up to that tax"),
            gross: money.describe("EUR, with tax"),
            missing: missingShown,
            cheaper: cheaperShown,
          }),
        ),
        ...totalShown,
        discount: money.describe("EUR, of all items, without tax"),
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
    if (!state) throw new Error("a drafted quote has no state");
    const lines = state.items.map(({ product_id, quantity, net_cents }) => ({
      net_cents: net_cents * quantity,
      vat_bp: products.get(product_id)!.facts.vat_bp,
    }));
    const vat = vatOfLines(lines, state.vat_cents);
    const goods = state.items.map(({ product_id, unit, quantity }) => {
      const units = product.pricedUnits(products.get(product_id)!, state.drafted_at);
      const line = product.goodsLine(units, units.find((one) => one.unit === unit)!, quantity);
      return { product_id, line, cheaper: cheaperLines(units, line) };
    });
    const missing = await missingOf(app, tenant, goods);
    const items = goods.map(({ product_id, line, cheaper }, at) => ({
      product_id,
      product_slug: products.get(product_id)!.facts.slug,
      ...shownLine(line),
      vat: decimalEuro(vat[at]!),
      gross: decimalEuro(lines[at]!.net_cents + vat[at]!),
      missing: missing[at]!,
      cheaper,
    }));
    const discount_cents = goods.reduce((sum, { line }) => sum + line.discount_cents, 0);
    const { valid_until, drafted_at } = state;
    return {
      data: {
        quote_id: unit.fresh_id,
        status: "draft" as const,
        items,
        ...shownTotal(state),
        discount: decimalEuro(discount_cents),
        valid_until,
        drafted_at,
      },
      meta: { tenant },
    };
  },
});

type QuotedGoods = { product_id: number; line: product.GoodsLine };

/** How many units of each item the stock lacks. Items of one product share its stock. */
async function missingOf(app: App, tenant: string, goods: readonly QuotedGoods[]): Promise<number[]> {
  const ids = [...new Set(goods.map(({ product_id }) => product_id))];
  const missing = new Array<number>(goods.length).fill(0);
  await Promise.all(
    ids.map(async (id) => {
      const { shelves } = await app.load(stock, product.targetOf(tenant, id));
      const places = goods.flatMap(({ product_id }, at) => (product_id === id ? [at] : []));
      const lacking = stock.missingUnits(
        shelves,
        places.map((at) => goods[at]!.line),
      );
      for (const [n, at] of places.entries()) missing[at] = lacking[n]!;
    }),
  );
  return missing;
}

/** The same goods in other units, if those cost less. */
function cheaperLines(
  units: readonly product.PricedUnit[],
  line: product.GoodsLine,
): z.infer<typeof cheaperShown> {
  const lines = product.cheapestLines(units, line.base * line.quantity);
  const [net_cents, cheapest_cents] = [product.netOf([line]), product.netOf(lines ?? [line])];
  if (!lines || cheapest_cents >= net_cents) return null;
  return {
    lines: lines.map(shownLine),
    net: decimalEuro(cheapest_cents),
    saved: decimalEuro(net_cents - cheapest_cents),
  };
}

type QuoteItem = { product_id: number; quantity: number; unit?: UnitName | undefined };

/** An item of a quote at the current price. `at`: the item's index in the input. */
function pricedItem(
  found: Product | undefined,
  { product_id, quantity, unit: requested }: QuoteItem,
  at: number,
  now: Date,
) {
  if (!found || found.withdrawn_at !== null)
    return refuse(
      "not_found",
      `items.${at}.product_id: there is no product ${product_id}; products_list has all products`,
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
