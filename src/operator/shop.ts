/** The operator's actions on the shop: products, stock and orders. The domain decides what is allowed. */
import { type App, operatorMeta } from "../core/app.ts";
import type { Work } from "../core/commands/unit.ts";
import { refuse } from "../core/model/refusal.ts";
import { sealLocation } from "../core/model/sealed.ts";
import type { Projection } from "../core/read-models/projection.ts";
import type { Order } from "../domain/commerce/order.ts";
import * as orders from "../domain/commerce/order.ts";
import { commerceProblems } from "../domain/commerce/problems.ts";
import type { ProductFacts, UnitName } from "../domain/commerce/product.ts";
import * as product from "../domain/commerce/product.ts";
import type { StockLine } from "../domain/commerce/stock.ts";
import * as stock from "../domain/commerce/stock.ts";
import {
  catalogueProjection,
  findProduct,
  listProducts,
  nextProductId,
  type StockedProduct,
} from "../projections/commerce/catalogue.ts";
import { buyersOf, type OrderKey, ordersOf, ordersProjection } from "../projections/commerce/orders.ts";
import { paymentsProjection } from "../projections/payments/payments.ts";
import { isFinal } from "../projections/payments/watched.ts";
import {
  cancelOrder,
  deliverOrder,
  returnOrder,
  settleInvoice,
  shipOrder,
} from "../reactors/commerce/steps.ts";

/** Test keys have their own shop. */
export type ShopSpace = "live" | "test";

export const shopTenant = (space: ShopSpace) => (space === "test" ? "test:operator" : "operator");

const nowOf = ({ clock }: App) => clock.now().toISOString();

/** A killed process's lease expires within this. */
const FOLDED_MS = 8_000;

/** Waits until a list includes the whole log, because look-ups need a complete one. */
async function whole(app: App, list: Projection): Promise<void> {
  const { position } = await app.store.head();
  if (!(await app.runner.reached(list, position, FOLDED_MS)))
    refuse("unavailable", "the shop's lists lag behind the log; try again in a few seconds");
}

export type NewProduct = Omit<ProductFacts, "product_id" | "listed_at" | "cn_code"> & {
  product_id?: number | undefined;
  cn_code?: string | undefined;
};

/** Lists a product, under the next free number by default. It is on sale once it has a price and stock. */
export async function listProduct(app: App, space: ShopSpace, wanted: NewProduct): Promise<number> {
  await whole(app, catalogueProjection);
  const tenant = shopTenant(space);
  if ((await findProduct(app.pool, { tenant, slug: wanted.slug })) !== undefined)
    refuse("conflict", `there is a product ${wanted.slug} already; choose another slug`);
  const product_id = wanted.product_id ?? (await nextProductId(app.pool, tenant));
  const cn_code = wanted.cn_code ?? product.CN_CODES[wanted.type];
  const facts = { ...wanted, product_id, cn_code, listed_at: nowOf(app) };
  const target = { tenant, id: String(product_id) };
  await app.decide(product, target, product.list(facts), { meta: operatorMeta("shop.list") });
  return product_id;
}

/** Finds a product by slug or number. */
async function named(app: App, space: ShopSpace, name: string): Promise<{ tenant: string; id: string }> {
  const tenant = shopTenant(space);
  if (/^\d+$/.test(name)) return { tenant, id: name };
  await whole(app, catalogueProjection);
  const product_id = await findProduct(app.pool, { tenant, slug: name });
  if (product_id === undefined) return refuse("not_found", `there is no product ${name}`);
  return { tenant, id: String(product_id) };
}

export async function setPrice(
  app: App,
  space: ShopSpace,
  { name, ...price }: { name: string; unit: UnitName; net_cents: number; from?: string | undefined },
): Promise<void> {
  const set_at = nowOf(app);
  const facts = { ...price, from: price.from ?? set_at, set_at };
  const target = await named(app, space, name);
  await app.decide(product, target, product.price(facts), { meta: operatorMeta("shop.price") });
}

/** Withdraws a product; its orders continue. */
export async function withdrawProduct(app: App, space: ShopSpace, name: string): Promise<void> {
  const target = await named(app, space, name);
  await app.decide(product, target, product.withdraw(nowOf(app)), { meta: operatorMeta("shop.withdraw") });
}

type StockLevels = { shelves: readonly stock.Shelf[] };

/** Moves a listed product's stock; returns the new stock by location. */
async function moveStock(
  app: App,
  target: { tenant: string; id: string },
  operation: string,
  decision: (state: stock.StockState) => stock.StockEvent[],
): Promise<StockLevels> {
  if (!(await app.load(product, target)))
    refuse("not_found", `there is no product ${target.id}; list it first`);
  const { result } = await app.decide(stock, target, decision, { meta: operatorMeta(operation) });
  return result.state;
}

export async function receiveStock(
  app: App,
  space: ShopSpace,
  { name, ...facts }: { name: string; location: string; quantity: number; reference: string | null },
): Promise<StockLevels> {
  const decision = stock.receive({ ...facts, received_at: nowOf(app) });
  return moveStock(app, await named(app, space, name), "shop.receive", decision);
}

export async function adjustStock(
  app: App,
  space: ShopSpace,
  { name, ...facts }: { name: string; location: string; delta: number; reason: string },
): Promise<StockLevels> {
  const decision = stock.adjust({ ...facts, adjusted_at: nowOf(app) });
  return moveStock(app, await named(app, space, name), "shop.adjust", decision);
}

/** All products of a shop, withdrawn ones included. */
export async function listGoods(app: App, space: ShopSpace): Promise<StockedProduct[]> {
  await whole(app, catalogueProjection);
  return listProducts(app.pool, { tenant: shopTenant(space) });
}

/** An order with its recipient, unless that was erased. */
export type OrderToHandle = { tenant: string; order: Order; customer: Record<string, unknown> | null };

/** A shop's orders in this status, the oldest first, at most two hundred. */
export async function listOrders(
  app: App,
  space: ShopSpace,
  status: orders.OrderStatus,
): Promise<OrderToHandle[]> {
  await whole(app, ordersProjection);
  const found = await ordersOf(app.pool, { space, status });
  const customers = await app.subjects.open(
    found.map(({ tenant, order: { facts } }) => ({
      sealed: facts.customer,
      place: sealLocation(orders, orders.targetOf(tenant, facts.order_id), "OrderPlaced"),
    })),
  );
  return found.map((one, at) => {
    const customer = customers[at]!;
    return { ...one, customer: customer.erased ? null : customer.value };
  });
}

/** The order of this number; `tenant` where two buyers were given the same. */
export async function orderNamed(app: App, order_id: number, tenant?: string): Promise<OrderKey> {
  if (tenant !== undefined) return { tenant, order_id };
  await whole(app, ordersProjection);
  const [buyer, ...others] = await buyersOf(app.pool, order_id);
  if (buyer === undefined) return refuse("not_found", `there is no order ${order_id}`);
  if (others.length > 0)
    refuse(
      "conflict",
      `several buyers have an order ${order_id}: name one of ${[buyer, ...others].join(", ")}`,
    );
  return { tenant: buyer, order_id };
}

async function step(app: App, operation: string, work: Work<{ order: Order }>): Promise<Order> {
  return (await app.commit(work, { meta: operatorMeta(operation) })).result.order;
}

/** An invoice was paid. */
export const invoicePaid = (app: App, named: OrderKey, reference: string | null): Promise<Order> =>
  step(app, "shop.paid", (unit) => settleInvoice(unit, named, { reference, at: nowOf(app) }));

/** Ships a paid order; refuses while a reorg may still revert its payment. */
export async function ship(
  app: App,
  named: OrderKey,
  sent: { carrier: string | null; tracking: string | null },
): Promise<Order> {
  await app.caughtUp(paymentsProjection);
  const { paid } = orders.existing(await app.load(orders, orders.targetOf(named.tenant, named.order_id)));
  if (paid?.payment_id && !(await isFinal(app.pool, paid.payment_id)))
    refuse(
      commerceProblems["payment-not-final"],
      "the chain may still revert the payment of this order; ship it once the payment is final, while the service runs",
      { retry_after_s: 10 },
    );
  return step(app, "shop.ship", (unit) => shipOrder(unit, named, { ...sent, shipped_at: nowOf(app) }));
}

export const delivered = (app: App, named: OrderKey): Promise<Order> =>
  step(app, "shop.deliver", (unit) => deliverOrder(unit, named, nowOf(app)));

/** `restocked`: units back in stock. Default: all, at their origin; null: none. */
export async function returned(
  app: App,
  named: OrderKey,
  { reason, restocked }: { reason: string; restocked?: StockLine[] | null | undefined },
): Promise<Order> {
  const { facts } = orders.existing(await app.load(orders, orders.targetOf(named.tenant, named.order_id)));
  const lines = restocked === undefined ? facts.lines : restocked;
  return step(app, "shop.return", (unit) =>
    returnOrder(unit, named, { reason, lines, returned_at: nowOf(app) }),
  );
}

export const cancelled = (app: App, named: OrderKey, reason: string): Promise<Order> =>
  step(app, "shop.cancel", (unit) =>
    cancelOrder(unit, named, { by: "operator", reason, cancelled_at: nowOf(app) }),
  );
