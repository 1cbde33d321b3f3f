import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { madeId, time } from "../../../core/model/fields.ts";
import { decimalEuro } from "../../../domain/commerce/money.ts";
import { MOST_UNITS, type Order, paymentWays, statuses } from "../../../domain/commerce/order.ts";
import {
  centsPerKg,
  type GoodsLine,
  type PricedUnit,
  productId,
  productTypes,
  slug,
  unitNames,
} from "../../../domain/commerce/product.ts";
import { orderId } from "../../../domain/commerce/stock.ts";
import { decimalUsdc } from "../../../domain/payments/usdc.ts";
import { mailAddress } from "../../../standards/mail-address.ts";

/** A decimal string with the currency's own decimals. */
export const money = z.string().regex(/^\d+(\.\d+)?$/);
const euro = (about: string) => money.describe(`EUR, ${about}`);

export const inputType = z
  .enum(productTypes, `is one of ${productTypes.join(", ")}`)
  .describe("granulas: pellets, briketes: briquettes, saplaksnis: plywood, finieris: veneer")
  .optional();
export const inputProductId = productId.describe("From products_list").optional();
export const inputSlug = slug.describe("From products_list").optional();
export const inputUnit = z.enum(unitNames, `is ${unitNames.join(" or ")}`);
export const inputQuantity = z
  .int(`is a whole number from 1 to ${MOST_UNITS}`)
  .min(1, "is at least 1")
  .max(MOST_UNITS, `is at most ${MOST_UNITS}`);
export const inputOrderId = orderId.describe("The order_id from orders_create");

export const inputMail = mailAddress;

/** Invisible characters that change how a terminal or page shows the surrounding text. */
const HIDDEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const hidesNothing = (text: string) => !HIDDEN.test(text);

/** A person's text in one line. */
const inputLine = (most: number) =>
  z
    .string()
    .min(1, "is at least 1 character")
    .max(most, `is at most ${most} characters`)
    .refine(hidesNothing, "is one line, without control or bidirectional characters");

/** A person's text, with line breaks. */
export const inputLines = (most: number) =>
  z
    .string()
    .max(most, `is at most ${most} characters`)
    .refine(
      (text) => hidesNothing(text.replaceAll(/[\n\r\t]/g, "")),
      "is without control or bidirectional characters; new lines are fine",
    );

export const inputName = inputLine(200);

export const developmentChain = z
  .boolean()
  .describe("True where the USDC is worthless and exchange rates may be invented");

export const shopMeta = {
  tenant: z.string().describe("The owner: the key's tenant, or the wallet that paid"),
};

export const unitShown = z.object({
  unit: z.enum(unitNames),
  base_units: z.int().describe("Number of the product's base units"),
  kg: z.number(),
  net: euro("without tax"),
});

export const shownUnit = ({ unit, base, kg, net_cents }: PricedUnit): z.infer<typeof unitShown> => ({
  unit,
  base_units: base,
  kg,
  net: decimalEuro(net_cents),
});

/** The price per kilogram, with four decimals because a kilogram costs cents. */
export const perKg = (units: readonly PricedUnit[], rate = "1"): string | null => {
  const cents = centsPerKg(units);
  return cents === undefined ? null : ((cents / 100) * Number(rate)).toFixed(4);
};

export const orderShown = z.object({
  order_id: orderId,
  status: z.enum(statuses),
  product_id: productId,
  product_slug: slug,
  unit: z.enum(unitNames),
  quantity: z.int(),
  base_quantity: z.int().describe("In the unit of stock"),
  net: euro("without tax"),
  vat: euro("value added tax"),
  gross: euro("with tax"),
  total_usdc: money.describe(
    "The order's price with tax, in USDC at eur_usd, rounded up; fixed at placement",
  ),
  eur_usd: z.string().describe("Dollars per euro, the ECB's reference rate; one USDC counts as one dollar"),
  rate_as_of: z.iso.date(),
  payment: z.enum(paymentWays),
  quote_id: madeId.nullable(),
  until: time.describe("The goods are reserved until then"),
  placed_at: time,
  paid: z
    .object({
      payment_id: z
        .string()
        .nullable()
        .describe("For payment_status, which also shows a refund; null for an invoice"),
      paid_at: time,
    })
    .nullable(),
  shipped: z
    .object({ carrier: z.string().nullable(), tracking: z.string().nullable(), shipped_at: time })
    .nullable(),
  delivered_at: time.nullable(),
  ended: z
    .object({
      by: z.enum(["buyer", "operator", "chain", "time"]),
      reason: z.string().nullable(),
      ended_at: time,
    })
    .nullable()
    .describe("The end of a cancelled, returned or expired order: party and reason"),
});

/**
 * An order in answers. Each field is listed, because events from the log order their fields differently from new
 * ones.
 */
export function shownOrder(order: Order): z.infer<typeof orderShown> {
  const { facts, paid, shipped } = order;
  return {
    order_id: facts.order_id,
    status: order.status,
    product_id: facts.product_id,
    product_slug: facts.slug,
    unit: facts.unit,
    quantity: facts.quantity,
    base_quantity: facts.base_quantity,
    net: decimalEuro(facts.net_cents),
    vat: decimalEuro(facts.vat_cents),
    gross: decimalEuro(facts.gross_cents),
    total_usdc: decimalUsdc(facts.usdc_micro),
    eur_usd: facts.eur_usd,
    rate_as_of: facts.rate_as_of,
    payment: facts.payment,
    quote_id: facts.quote_id,
    until: facts.until,
    placed_at: facts.placed_at,
    paid: paid && { payment_id: paid.payment_id, paid_at: paid.paid_at },
    shipped: shipped && {
      carrier: shipped.carrier,
      tracking: shipped.tracking,
      shipped_at: shipped.shipped_at,
    },
    delivered_at: order.delivered_at,
    ended: endOf(order),
  };
}

function endOf({ cancelled, returned, expired_at }: Order): z.infer<typeof orderShown>["ended"] {
  if (cancelled) return { by: cancelled.by, reason: cancelled.reason, ended_at: cancelled.cancelled_at };
  if (returned) return { by: "operator", reason: returned.reason, ended_at: returned.returned_at };
  return expired_at === null ? null : { by: "time", reason: null, ended_at: expired_at };
}

/** A total with its tax, as in quotes. */
export const totalShown = { net: euro("without tax"), vat: euro("value added tax"), gross: euro("with tax") };

export const shownTotal = ({
  net_cents,
  vat_cents,
  gross_cents,
}: Record<`${"net" | "vat" | "gross"}_cents`, number>) => ({
  net: decimalEuro(net_cents),
  vat: decimalEuro(vat_cents),
  gross: decimalEuro(gross_cents),
});

/** The goods of a calculation or quote: one line for each unit. */
export const lineShown = z.object({
  unit: z.enum(unitNames),
  quantity: z.int().describe("Number of these units"),
  unit_net: euro("for one unit, without tax"),
  net: euro("for all units, without tax"),
  discount: euro("saved against buying the same goods by the base unit, without tax"),
});

export const shownLine = ({ unit, quantity, net_cents, discount_cents }: GoodsLine) => ({
  unit,
  quantity,
  unit_net: decimalEuro(net_cents),
  net: decimalEuro(quantity * net_cents),
  discount: decimalEuro(discount_cents),
});

export const missingShown = z
  .int()
  .describe("Units of the line that the stock lacks now; 0 = all can be ordered");

export const vatPercent = z.string().describe("Value added tax in percent");

export const nowOf = ({ clock }: App): string => clock.now().toISOString();
