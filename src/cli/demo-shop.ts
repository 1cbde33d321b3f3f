/** The demo of the shop: an agent buys pellets, from the price list to the delivery. */
import type { LocalAccount } from "viem/accounts";
import { z } from "zod";
import { refuse } from "../core/model/refusal.ts";
import { decimalUsdc } from "../domain/payments/usdc.ts";
import { ask, type BuyerRequest, buy, sign } from "./demo-buyer.ts";
import { listen, type NoticeListener } from "./demo-notices.ts";
import type { DemoService } from "./demo-service.ts";
import { tell } from "./demo-story.ts";
import { onceFinal } from "./shop.ts";
import { stories } from "./stories.ts";

const FINAL_S = 120;

const product = z.looseObject({
  product_id: z.int(),
  slug: z.string(),
  name: z.string(),
  price_per_kg: z.string(),
  units: z.array(z.looseObject({ unit: z.string(), net: z.string() })),
});
const quote = z.looseObject({
  quote_id: z.string(),
  net: z.string(),
  vat: z.string(),
  gross: z.string(),
  valid_until: z.string(),
});
const order = z.looseObject({
  order_id: z.int(),
  status: z.string(),
  gross: z.string(),
  total_usdc: z.string(),
  eur_usd: z.string(),
  until: z.string(),
});
const placed = order.extend({ pay: z.looseObject({ url: z.url(), body: z.looseObject({}) }) });
const shown = order.extend({ customer: z.unknown() });

/** Requests, signs the 402, requests again, and parses the answer. */
async function bought<Schema extends z.ZodType>(
  wallet: LocalAccount,
  url: string,
  schema: Schema,
  { most, ...question }: BuyerRequest & { most?: bigint } = {},
): Promise<z.infer<Schema>> {
  const offer = await ask(url, question, most);
  if (!/development chain/i.test(offer.resource.description))
    refuse(
      "forbidden",
      `${url} does not settle on a development chain, and this story buys for play money: start one by \`npm start\``,
    );
  const { body, settlement } = await buy(url, await sign(wallet, offer), question);
  tell.line("paid", `${decimalUsdc(offer.amount_micro)} USDC in ${settlement.transaction}`);
  const read = schema.safeParse((JSON.parse(body) as { data?: unknown }).data);
  return read.success ? read.data : refuse("unprocessable", `${url} is not a Tallystick service`);
}

export async function buyPellets(place: DemoService, wallet: LocalAccount): Promise<void> {
  const listener = await listen(place.url, wallet);
  try {
    await buyAndHear(place, wallet, listener);
  } finally {
    listener.close();
  }
}

async function buyAndHear(
  { url, app }: DemoService,
  wallet: LocalAccount,
  listener: NoticeListener,
): Promise<void> {
  const at = (path: string) => `${url}/v1/agent/${path}`;
  tell.step(1, "The stock", "GET /v1/agent/products?type=granulas");
  const [pellets] = await bought(wallet, at("products?type=granulas"), z.array(product));
  if (!pellets)
    return refuse("not_found", `${url} has no pellets in stock: \`tallystick shop receive\` adds some`);
  tell.line("pellets", `${pellets.name}, EUR ${pellets.price_per_kg} a kilogram without tax`);

  tell.step(2, "A quote", "POST /v1/agent/quotes");
  const items = [{ product_id: pellets.product_id, quantity: 10, unit: "bag" }];
  const client = { client_name: "Anna Ozola", client_email: "anna@example.org" };
  const quoted = await bought(wallet, at("quotes"), quote, { body: { ...client, items } });
  tell.line(
    "ten bags",
    `EUR ${quoted.net} and ${quoted.vat} tax are ${quoted.gross}, until ${quoted.valid_until}`,
  );

  tell.step(3, "The order reserves the bags", "POST /v1/agent/orders");
  const wanted = {
    product_slug: pellets.slug,
    quantity: 10,
    unit: "bag",
    quote_id: quoted.quote_id,
    customer_email: client.client_email,
    customer_name: client.client_name,
    delivery_address: "Brīvības iela 1, Rīga",
  };
  const made = await bought(wallet, at("orders"), placed, { body: wanted });
  tell.line("order", `${made.order_id}, ${made.status}, held until ${made.until}`);
  tell.line("total", `EUR ${made.gross} at ${made.eur_usd} are ${made.total_usdc} USDC`);
  tell.line("", "Name and address are sealed in the log: destroying their key erases them.");

  tell.step(4, "Paying for it", "POST /v1/agent/orders/pay");
  const paid = await bought(wallet, at("orders/pay"), order, {
    body: made.pay.body,
    most: stories.shop.most,
  });
  tell.line("order", `${paid.order_id} is ${paid.status}: goods, order and payment are one commit`);

  tell.step(5, "The operator ships it", `tallystick shop ship ${made.order_id}`);
  if (app) {
    await deliver(app, made.order_id);
    await listener.until("order.delivered", String(made.order_id), ["order.cancelled"]);
    tell.line("notices", `${listener.count} notices by GET /v1/agent/notices; the buyer polled 0 times`);
  } else tell.line("", "This machine has no access there; its operator must ship.");

  tell.step(6, "The order's status", `GET /v1/agent/orders?order_id=${made.order_id}`);
  const [now] = await bought(wallet, at(`orders?order_id=${made.order_id}`), z.array(shown));
  if (!now) return refuse("unprocessable", "the paid order is missing");
  tell.line("order", `${now.order_id} is ${now.status}`);
  tell.line("for", JSON.stringify(now.customer));
}

/** The operator's part: the goods ship and arrive once the payment is final. */
async function deliver(app: NonNullable<DemoService["app"]>, order_id: number): Promise<void> {
  const { delivered, orderNamed, ship } = await import("../operator/shop.ts");
  const named = await orderNamed(app, order_id);
  const sent = { carrier: "Omniva", tracking: `CC${String(order_id).slice(0, 9)}LV` };
  const { shipped } = await onceFinal(() => ship(app, named, sent), FINAL_S);
  tell.line("shipped", `by ${shipped?.carrier}, ${shipped?.tracking}, once the payment was final`);
  await delivered(app, named);
}
