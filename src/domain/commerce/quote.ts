/** A quote guarantees prices for two weeks, up to its quantity per order. It reserves no goods. */

import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { madeId, time } from "../../core/model/fields.ts";
import { refuse, refuseField } from "../../core/model/refusal.ts";
import { sealed } from "../../core/model/sealed.ts";
import { MOST_UNITS } from "./order.ts";
import { commerceProblems } from "./problems.ts";
import { netCents, productId, type UnitName, unitNames } from "./product.ts";

export const MOST_ITEMS = 50;

export const VALID_DAYS = 14;

const cents = z.int().min(0);

const drafted = z.strictObject({
  quote_id: madeId,
  items: z
    .array(
      z.strictObject({
        product_id: productId,
        unit: z.enum(unitNames),
        quantity: z.int().min(1).max(MOST_UNITS),
        net_cents: netCents.describe("Price of one unit, without tax."),
      }),
    )
    .min(1)
    .max(MOST_ITEMS),
  net_cents: cents.describe("Price of all items."),
  vat_cents: cents,
  gross_cents: cents,
  valid_until: time,
  client: sealed,
  drafted_at: time,
});

export const events = {
  QuoteDrafted: { means: "A price was promised for goods, until a named time.", 1: drafted },
};

export type QuoteFacts = DataOf<typeof events, "QuoteDrafted">;
export type QuoteEvent = EventOf<typeof events>;
export type QuoteState = QuoteFacts | undefined;

export const prefix = "quote-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): QuoteState => undefined;

export const evolve = (_state: QuoteState, { data }: QuoteEvent): QuoteState => data;

export const draft =
  (facts: QuoteFacts) =>
  (state: QuoteState): QuoteEvent[] =>
    state ? refuse("conflict", "this quote was drafted before") : [{ type: "QuoteDrafted", data: facts }];

export type QuotedItem = { product_id: number; unit: UnitName; quantity: number };

/** The quoted unit price; refuses an unlisted item, a higher quantity, and an expired quote. */
export function quotedPrice(quote: QuoteState, requested: QuotedItem, at: string): number {
  if (!quote) return refuse("not_found", "you have no such quote: take quote_id from quotes_create");
  if (at >= quote.valid_until)
    refuse(
      commerceProblems["quote-expired"],
      `this quote was valid until ${quote.valid_until}; draft another`,
    );
  const { product_id, unit, quantity } = requested;
  const line = quote.items.filter((item) => item.product_id === product_id && item.unit === unit);
  const enough = line.find((item) => item.quantity >= quantity);
  if (enough) return enough.net_cents;
  const most = Math.max(0, ...line.map((item) => item.quantity));
  const message =
    most > 0 ? `is at most ${most} by this quote` : `this quote names no ${unit} of this product`;
  const path = most > 0 ? "quantity" : "quote_id";
  return refuseField(path, message);
}
