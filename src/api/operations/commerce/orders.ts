import { createHmac } from "node:crypto";
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { idFrom, limit, offset } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { mailSubject, sealLocation } from "../../../core/model/sealed.ts";
import { microUsdcOf, totalOf } from "../../../domain/commerce/money.ts";
import type { Order } from "../../../domain/commerce/order.ts";
import * as orders from "../../../domain/commerce/order.ts";
import type { Product, UnitName } from "../../../domain/commerce/product.ts";
import * as product from "../../../domain/commerce/product.ts";
import * as quotes from "../../../domain/commerce/quote.ts";
import * as stock from "../../../domain/commerce/stock.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { findProduct } from "../../../projections/commerce/catalogue.ts";
import { hasPaid, listOrders, ordersProjection } from "../../../projections/commerce/orders.ts";
import { payableRate } from "../../../projections/commerce/rates.ts";
import type { Caller } from "../../declare/caller.ts";
import { json, key, operation, owner, pay } from "../../declare/index.ts";
import type { Context } from "../../declare/operation.ts";
import {
  developmentChain,
  inputLines,
  inputMail,
  inputName,
  inputOrderId,
  inputQuantity,
  inputUnit,
  money,
  orderShown,
  shopMeta,
  shownOrder,
} from "./fields.ts";

export const PAY_PATH = "/v1/agent/orders/pay";

const customerShown = z
  .object({
    name: z.string().nullable(),
    email: z.string(),
    phone: z.string().nullable(),
    delivery_address: z.string().nullable(),
    notes: z.string().nullable(),
  })
  .nullable()
  .describe("As the buyer wrote it; null once erased");

const list = operation({
  name: "orders_list",
  route: "GET /v1/agent/orders",
  summary: "An order, or your orders, newest first",
  description:
    "The status and customer of an order, or of your newest orders. With `order_id` the answer is always current. Free to its owner: the tenant's key, or the paying wallet's signature (SIGN-IN-WITH-X).",
  access: [owner("read"), pay("0.001")],
  lists: ordersProjection,
  input: z.object({
    order_id: inputOrderId.describe("The order_id from orders_create; omitted = your orders").optional(),
    limit: limit("How many to list, 1 to 100"),
    offset: offset("How many of the newest to skip"),
  }),
  output: json(
    z.object({
      data: z.array(orderShown.extend({ customer: customerShown, erased: z.boolean() })),
      meta: z.object({ ...shopMeta, count: z.int(), total: z.int() }),
    }),
  ),
  omitted_in_repeats: ["customer"],
  refuses: [404],
  example: { limit: 10 },
  handle: async ({ input, caller, app, subjects }) => {
    const { tenant } = caller;
    const { order_id } = input;
    const found =
      order_id === undefined
        ? await listOrders(app.pool, { tenant, ...input })
        : { orders: [orders.existing(await app.load(orders, orders.targetOf(tenant, order_id)))], total: 1 };
    const customers = await subjects.open(found.orders.map((order) => sealedOf(tenant, order)));
    const data = found.orders.map((order, at) => {
      const customer = customers[at]!;
      const shown = customer.erased ? null : customerShown.parse(customer.value);
      return { ...shownOrder(order), customer: shown, erased: customer.erased };
    });
    return { data, meta: { tenant, count: data.length, total: found.total } };
  },
});

/** Where the order's customer is sealed. */
const sealedOf = (tenant: string, { facts }: Order) => ({
  sealed: facts.customer,
  place: sealLocation(orders, orders.targetOf(tenant, facts.order_id), "OrderPlaced"),
});

const HOUR_S = 3_600;
/** Clients retry a call for about this long. */
const REPEATS_WITHIN_S = 600;
const minutes = (seconds: number) => seconds / 60;

const create = operation({
  name: "orders_create",
  route: "POST /v1/agent/orders",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Order goods and reserve them until payment",
  description: `Reserves the goods: ${minutes(orders.HOLD_S.x402)} minutes for a payment in USDC (${minutes(orders.HOLD_S.first)} for a payer's first paid order),
${orders.HOLD_S.invoice / HOUR_S} hours for an invoice, which needs an API key. Pay \`total_usdc\` by orders_pay. A repeat with the same Idempotency-Key or
\`idempotency_key\` returns the same order. So does an equal call within ${minutes(REPEATS_WITHIN_S)} minutes, if neither call has such a key. The customer's data is sealed and can be erased.`,
  access: [key("order"), pay("0.05")],
  named_by: "idempotency_key",
  repeats_within_s: REPEATS_WITHIN_S,
  input: z.object({
    product_slug: product.slug.describe("From products_list"),
    quantity: inputQuantity.describe(
      `How many units, 1 to ${orders.MOST_UNITS}; at most EUR 50,000 with tax`,
    ),
    unit: inputUnit.describe("bag or pallet; omitted = bag, or pallet for wood").optional(),
    customer_email: inputMail.describe("The customer's mail address"),
    customer_name: inputName.describe("The customer's name").optional(),
    customer_phone: z
      .string()
      .regex(
        /^\+?[0-9][0-9 ()./-]{3,29}$/,
        "is a telephone number: 4 to 30 digits, spaces, +, -, (), / and .",
      )
      .describe("For the carrier")
      .optional(),
    delivery_address: inputLines(300)
      .min(1, "is at least 1 character")
      .describe("The delivery address, up to 300 characters")
      .optional(),
    notes: inputLines(500).describe("Anything else, up to 500 characters").optional(),
    quote_id: idFrom("quote_id", "quotes_create")
      .describe("Your quote with the prices to use; omitted = current prices")
      .optional(),
    payment: z
      .enum(orders.paymentWays, `is ${orders.paymentWays.join(" or ")}`)
      .default("x402")
      .describe("x402: by orders_pay; invoice: paid elsewhere, needs an API key"),
    idempotency_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/, "is 1 to 128 visible ASCII characters")
      .describe("Your own name for the order, like Idempotency-Key; if you send both, they must match")
      .optional(),
  }),
  output: json(
    z.object({
      data: orderShown.extend({
        pay: z
          .object({
            operation: z.literal("orders_pay"),
            method: z.literal("POST").describe("HTTP method"),
            url: z.url(),
            body: z.object({ order_id: z.int(), total_usdc: money }),
          })
          .nullable()
          .describe("The x402 call that pays for the order; null for an invoice"),
      }),
      meta: z.object({
        ...shopMeta,
        development_chain: developmentChain,
        warning: z.string().nullable().describe("Advice for your next call"),
      }),
    }),
  ),
  status: 201,
  secrets: ["customer_email", "customer_name", "customer_phone", "delivery_address", "notes"],
  refuses: [403, 404, 409],
  example: {
    product_slug: "granulas-premium",
    quantity: 10,
    unit: "bag",
    customer_email: "anna@example.org",
    customer_name: "Anna Ozola",
    delivery_address: "Brīvības iela 1, Rīga",
  },
  handle: async (context) => {
    const { input, caller, app, unit, request } = context;
    const { tenant } = caller;
    if (input.payment === "invoice" && caller.kind !== "key")
      refuse("forbidden", "an invoice needs an API key of this shop's operator; pay by x402 instead");
    const { goods, facts, costs, reservation } = await readOrder(context);
    const target = orders.targetOf(tenant, facts.order_id);
    const customer = unit.personal({
      subject: mailSubject(tenant, input.customer_email),
      place: sealLocation(orders, target, "OrderPlaced"),
      value: customerOf(input),
    });
    // Decides on the stock first: orders of one product queue for it, and each sees the stock after the previous
    // order.
    const staged = await unit.decide(stock, goods, (state) => {
      const reserved = stock.reserve(reservation, facts.placed_at)(state);
      costs();
      return reserved;
    });
    const lines = linesOf(staged.events);
    const place = (state: orders.OrderState) =>
      orders.place({ ...facts, ...costs(), lines, customer })(state);
    const order = orders.existing((await unit.decide(orders, target, place, { is_new: true })).state);
    const isRepeatable = request.idempotency_key !== undefined || request.payment_id !== undefined;
    return {
      data: { ...shownOrder(order), pay: howToPay(app, order) },
      meta: { tenant, development_chain: app.embedded_chain, warning: isRepeatable ? null : UNREPEATABLE },
    };
  },
});

/** The product, unit and facts of an order. `costs` computes the price, and refuses an expired one. */
async function readOrder({ input, caller, app, data, unit }: Context<OrderInput>) {
  const { tenant } = caller;
  const { product_slug: slug, quote_id = null, payment, quantity } = input;
  const product_id = await findProduct(app.pool, { tenant: product.shopOf(tenant), slug });
  if (product_id === undefined)
    return refuse("not_found", `there is no product ${slug}: products_list has all products`);
  const goods = product.targetOf(tenant, product_id);
  const sold = product.existing(await unit.watch(product, goods));
  const quote = quote_id === null ? undefined : await app.load(quotes, { tenant, id: quote_id });
  const sold_in = input.unit ?? sold.facts.base_unit;
  const base = product.baseOf(sold, sold_in);
  const now = app.clock.now();
  const placed_at = now.toISOString();
  const newcomer = await isNewcomer(app, caller);
  const hold_s = newcomer && payment === "x402" ? orders.HOLD_S.first : orders.HOLD_S[payment];
  const until = new Date(now.getTime() + hold_s * 1_000).toISOString();
  const order_id = orderIdOf(app.link_secret, unit.fresh_id);
  // Runs only in the decision, so that a repeat returns the order whatever the price or exchange rate is then.
  const costs = () => {
    const item = { product_id, unit: sold_in, quantity };
    const net_cents =
      quote_id === null ? priceNow(sold, sold_in, placed_at) : quotes.quotedPrice(quote, item, placed_at);
    const total = totalOf(net_cents * quantity, sold.facts.vat_bp);
    orders.refuseTooLarge(total.gross_cents);
    const { rate, as_of } = payableRate(data.reference, { now, is_play: app.embedded_chain });
    return { ...total, usdc_micro: microUsdcOf(total.gross_cents, rate), eur_usd: rate, rate_as_of: as_of };
  };
  const reservation: stock.ReservationRequest = {
    order_id,
    tenant,
    unit: sold_in,
    base,
    quantity,
    until,
    newcomer,
  };
  const facts = {
    ...{
      order_id,
      product_id,
      slug: sold.facts.slug,
      unit: sold_in,
      quantity,
      base_quantity: quantity * base,
    },
    ...{ payment, quote_id, until, placed_at },
  };
  return { goods, facts, costs, reservation };
}

const UNREPEATABLE = `this call had no Idempotency-Key or idempotency_key: an equal call within ${minutes(REPEATS_WITHIN_S)} minutes returns this order, a later one places another`;

type OrderInput = {
  product_slug: string;
  quantity: number;
  unit?: UnitName | undefined;
  quote_id?: string | undefined;
  payment: (typeof orders.paymentWays)[number];
  customer_email: string;
  customer_name?: string | undefined;
  customer_phone?: string | undefined;
  delivery_address?: string | undefined;
  notes?: string | undefined;
};

/** The sealed part of an order. */
const customerOf = (input: OrderInput): NonNullable<z.infer<typeof customerShown>> => ({
  name: input.customer_name ?? null,
  email: input.customer_email,
  phone: input.customer_phone ?? null,
  delivery_address: input.delivery_address ?? null,
  notes: input.notes ?? null,
});

/** A wallet without a paid order could block goods at no cost, so it may reserve fewer, for a shorter time. */
async function isNewcomer(app: App, { kind, tenant }: Caller): Promise<boolean> {
  return kind === "payer" && !(await hasPaid(app.pool, tenant));
}

/** The order's number: unguessable, below 2^53, and the same for a repeated command. A counter would be contended. */
function orderIdOf(link_secret: Uint8Array, fresh_id: string): number {
  for (let n = 0; ; n++) {
    const digest = createHmac("sha256", link_secret).update(`order:${fresh_id}${n}`).digest();
    const id = digest.readUIntBE(0, 6) * 256 + digest[6]!;
    if (id > 0 && id <= Number.MAX_SAFE_INTEGER) return id;
  }
}

function priceNow(sold: Product, unit: product.UnitName, at: string): number {
  const price = product.priceAt(sold, unit, at);
  if (price) return price.net_cents;
  const message = `has no current price; prices_list shows the prices of ${sold.facts.slug}`;
  return refuseField("unit", message);
}

function linesOf(events: readonly stock.StockEvent[]): stock.StockLine[] {
  const [reserved] = events.flatMap((event) => (event.type === "StockReserved" ? [event.data] : []));
  if (!reserved) throw new Error("an order has no reserved stock");
  return reserved.lines;
}

function howToPay({ settings }: App, { facts }: Order) {
  if (facts.payment === "invoice") return null;
  return {
    operation: "orders_pay" as const,
    method: "POST" as const,
    url: settings.public_url + PAY_PATH,
    body: { order_id: facts.order_id, total_usdc: decimalUsdc(facts.usdc_micro) },
  };
}

export const orderOperations = [list, create];
