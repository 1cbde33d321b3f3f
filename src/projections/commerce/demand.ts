/**
 * Demand by product and month: base units of orders that neither expired nor were cancelled, in the month of the order;
 * and times out of stock.
 */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { saveRows } from "../../core/read-models/rows.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import type { StockOut } from "../../domain/commerce/demand.ts";
import { type MonthlySales, monthOf } from "../../domain/commerce/demand.ts";
import * as order from "../../domain/commerce/order.ts";
import * as product from "../../domain/commerce/product.ts";
import * as stock from "../../domain/commerce/stock.ts";

export const demandProjection = projection({
  name: "demand",
  version: 1,
  // Reservations are stored until the order ships: its last event only has the order's id.
  ddl: `
    create table if not exists read.demand_v1 (
      shop       text not null,
      product_id bigint not null,
      month      text not null,
      quantity   bigint not null,
      primary key (shop, product_id, month)
    );
    create table if not exists read.demand_orders_v1 (
      tenant     text not null,
      order_id   bigint not null,
      product_id bigint not null,
      month      text not null,
      quantity   bigint not null,
      primary key (tenant, order_id)
    );
    create table if not exists read.demand_stock_v1 (
      shop       text not null,
      product_id bigint not null,
      available  bigint not null,
      primary key (shop, product_id)
    );
    create table if not exists read.demand_held_v1 (
      shop       text not null,
      product_id bigint not null,
      order_id   bigint not null,
      quantity   bigint not null,
      primary key (shop, product_id, order_id)
    );
    create table if not exists read.stock_outs_v1 (
      shop       text not null,
      product_id bigint not null,
      out_from   text not null,
      out_to     text,
      position   bigint not null,
      primary key (shop, product_id, position)
    );
    create unique index if not exists stock_outs_v1_open on read.stock_outs_v1 (shop, product_id) where out_to is null;`,
  of: [order, product, stock],
  async fold(events, tx) {
    await foldOrders(tx, events.filter(isOfOrder));
    await foldStock(tx, events.filter(isStockEvent));
  },
});

type StockEvent = PositionedEvent<typeof product> | PositionedEvent<typeof stock>;
type DemandEvent = PositionedEvent<typeof order> | StockEvent;
type ProductKey = { shop: string; product_id: number };

const isOfOrder = (event: DemandEvent): event is PositionedEvent<typeof order> =>
  Object.hasOwn(order.events, event.type);
const isStockEvent = (event: DemandEvent): event is StockEvent => !isOfOrder(event);

/** An order that can still be cancelled. */
type OpenOrder = { tenant: string; order_id: number; product_id: number; month: string; quantity: number };

async function foldOrders(
  tx: pg.ClientBase,
  events: readonly PositionedEvent<typeof order>[],
): Promise<void> {
  if (events.length === 0) return;
  const { rows } = await tx.query<OpenOrder>(
    `delete from read.demand_orders_v1 where (tenant, order_id) in (select * from unnest($1::text[], $2::bigint[]))
     returning *`,
    [events.map(({ tenant }) => tenant), events.map(({ id }) => Number(id))],
  );
  const open = new Map(rows.map((row) => [`${row.tenant}\n${row.order_id}`, row]));
  const added: (ProductKey & MonthlySales)[] = [];
  const add = ({ tenant, product_id, month }: OpenOrder, quantity: number) =>
    added.push({ shop: product.shopOf(tenant), product_id, month, quantity });
  for (const { tenant, id, type, data } of events) {
    const name = `${tenant}\n${id}`;
    const openOrder = open.get(name);
    if (type === "OrderPlaced") {
      const { order_id, product_id, base_quantity: quantity, placed_at } = data;
      const placed = { tenant, order_id, product_id, month: monthOf(placed_at), quantity };
      open.set(name, placed);
      add(placed, quantity);
    } else if (type === "OrderExpired" || type === "OrderCancelled") {
      if (openOrder) add(openOrder, -openOrder.quantity);
      open.delete(name);
    } else if (type === "OrderShipped") open.delete(name);
  }
  await insert(tx, "demand_orders_v1", [...open.values()]);
  await tx.query(
    `insert into read.demand_v1 as d
     select shop, product_id, month, sum(quantity) from jsonb_populate_recordset(null::read.demand_v1, $1::jsonb)
      group by shop, product_id, month
     on conflict (shop, product_id, month) do update set quantity = d.quantity + excluded.quantity`,
    [JSON.stringify(added)],
  );
}

async function insert(tx: pg.ClientBase, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `insert into read.${table} select * from jsonb_populate_recordset(null::read.${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

type Level = ProductKey & { available: number };
type ReservationRow = ProductKey & { order_id: number; quantity: number };
type OutRow = ProductKey & { out_from: string; out_to: string | null; position: number };

/** Rows of the products that events refer to. */
type Goods = {
  levels: Map<string, Level>;
  held: Map<string, ReservationRow>;
  outs: Map<string, OutRow>;
  ended: OutRow[];
};

const nameOf = ({ shop, product_id }: ProductKey) => `${shop}\n${product_id}`;

async function foldStock(tx: pg.ClientBase, events: readonly StockEvent[]): Promise<void> {
  if (events.length === 0) return;
  const goods = await goodsOf(tx, events);
  for (const event of events) {
    const key: ProductKey = { shop: event.tenant, product_id: Number(event.id) };
    const change = changeOf(goods, key, event);
    if (change) setAvailable(goods, key, change, event.position);
  }
  await saveRows(tx, "read.demand_stock_v1", ["shop", "product_id"], goods.levels.values());
  await insert(tx, "demand_held_v1", [...goods.held.values()]);
  await insert(tx, "stock_outs_v1", [...goods.ended, ...goods.outs.values()]);
}

/** Reads and deletes the rows; foldStock inserts what remains. */
async function goodsOf(tx: pg.ClientBase, events: readonly StockEvent[]): Promise<Goods> {
  const shops = events.map(({ tenant }) => tenant);
  const ids = events.map(({ id }) => Number(id));
  const isListed = "(shop, product_id) in (select * from unnest($1::text[], $2::bigint[]))";
  const levels = await tx.query<Level>(`select * from read.demand_stock_v1 where ${isListed}`, [shops, ids]);
  const outs = await tx.query<OutRow>(
    `delete from read.stock_outs_v1 where out_to is null and ${isListed} returning *`,
    [shops, ids],
  );
  const orders = events.map(({ data }) => ("order_id" in data ? data.order_id : null));
  const held = await tx.query<ReservationRow>(
    `delete from read.demand_held_v1 where (shop, product_id, order_id) in
      (select * from unnest($1::text[], $2::bigint[], $3::bigint[])) returning *`,
    [shops, ids, orders],
  );
  return {
    levels: new Map(levels.rows.map((row) => [nameOf(row), row])),
    held: new Map(held.rows.map((row) => [`${nameOf(row)}\n${row.order_id}`, row])),
    outs: new Map(outs.rows.map((row) => [nameOf(row), row])),
    ended: [],
  };
}

/** The change of available units; undefined = none: shipped goods were reserved before. */
function changeOf(
  { held }: Goods,
  key: ProductKey,
  { type, data }: StockEvent,
): { by: number; at: string } | undefined {
  switch (type) {
    case "ProductListed":
      return { by: 0, at: data.listed_at };
    case "StockReceived":
      return { by: data.quantity, at: data.received_at };
    case "StockAdjusted":
      return { by: data.delta, at: data.adjusted_at };
    case "StockRestocked":
      return { by: sumOf(data.lines), at: data.restocked_at };
    case "StockReserved": {
      const quantity = sumOf(data.lines);
      held.set(`${nameOf(key)}\n${data.order_id}`, { ...key, order_id: data.order_id, quantity });
      return { by: -quantity, at: data.reserved_at };
    }
    case "StockReleased":
    case "StockShipped": {
      const name = `${nameOf(key)}\n${data.order_id}`;
      const quantity = held.get(name)?.quantity ?? 0;
      held.delete(name);
      return type === "StockReleased" ? { by: quantity, at: data.released_at } : undefined;
    }
    default:
      return undefined;
  }
}

const sumOf = (lines: readonly stock.StockLine[]) => lines.reduce((sum, { quantity }) => sum + quantity, 0);

/** A time out of stock begins at 0 available units and ends above. */
function setAvailable(
  { levels, outs, ended }: Goods,
  key: ProductKey,
  { by, at }: { by: number; at: string },
  position: number,
): void {
  const name = nameOf(key);
  const available = (levels.get(name)?.available ?? 0) + by;
  levels.set(name, { ...key, available });
  const out = outs.get(name);
  if (available <= 0) outs.set(name, out ?? { ...key, out_from: at, out_to: null, position });
  else if (out) {
    ended.push({ ...out, out_to: at });
    outs.delete(name);
  }
}

/** Orders of a product, and its times out of stock. */
export type ProductDemand = { sold: MonthlySales[]; outs: StockOut[] };

/** By product_id, from a month on. */
export async function demandIn(
  pool: pg.Pool,
  shop: string,
  since: string,
): Promise<Map<number, ProductDemand>> {
  const sql = `select p.product_id,
      coalesce((select jsonb_agg(jsonb_build_object('month', month, 'quantity', quantity) order by month)
        from read.demand_v1 d where d.shop = $1 and d.product_id = p.product_id and d.month >= $2), '[]') as sold,
      coalesce((select jsonb_agg(jsonb_build_object('from', out_from, 'to', out_to) order by position)
        from read.stock_outs_v1 o where o.shop = $1 and o.product_id = p.product_id
          and (o.out_to is null or o.out_to >= $2)), '[]') as outs
    from read.demand_stock_v1 p where p.shop = $1`;
  const { rows } = await pool.query<ProductDemand & { product_id: number }>(sql, [shop, since]);
  return new Map(rows.map(({ product_id, sold, outs }) => [product_id, { sold, outs }]));
}
