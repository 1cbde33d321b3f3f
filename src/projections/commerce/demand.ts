/**
 * Demand by product and month: the base quantity of orders that neither expired nor were cancelled, by the month they were placed
 * in, and the times in which nothing could be ordered.
 */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import type { StockOut } from "../../domain/commerce/demand.ts";
import { monthOf, type Sold } from "../../domain/commerce/demand.ts";
import * as order from "../../domain/commerce/order.ts";
import * as product from "../../domain/commerce/product.ts";
import * as stock from "../../domain/commerce/stock.ts";

export const demandProjection = projection({
  name: "demand",
  version: 1,
  // What an order holds is kept until it ships: its end names the order alone.
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
    await foldStock(tx, events.filter(isOfGoods));
  },
});

type OfGoods = PositionedEvent<typeof product> | PositionedEvent<typeof stock>;
type DemandEvent = PositionedEvent<typeof order> | OfGoods;
type Place = { shop: string; product_id: number };

const isOfOrder = (event: DemandEvent): event is PositionedEvent<typeof order> =>
  Object.hasOwn(order.events, event.type);
const isOfGoods = (event: DemandEvent): event is OfGoods => !isOfOrder(event);

/** An order that may still be given up. */
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
  const added: (Place & Sold)[] = [];
  const add = ({ tenant, product_id, month }: OpenOrder, quantity: number) =>
    added.push({ shop: product.shopOf(tenant), product_id, month, quantity });
  for (const { tenant, id, type, data } of events) {
    const name = `${tenant}\n${id}`;
    const known = open.get(name);
    if (type === "OrderPlaced") {
      const { order_id, product_id, base_quantity: quantity, placed_at } = data;
      const placed = { tenant, order_id, product_id, month: monthOf(placed_at), quantity };
      open.set(name, placed);
      add(placed, quantity);
    } else if (type === "OrderExpired" || type === "OrderCancelled") {
      if (known) add(known, -known.quantity);
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

type Level = Place & { available: number };
type Held = Place & { order_id: number; quantity: number };
type Out = Place & { out_from: string; out_to: string | null; position: number };

/** What is known of the products that events are about. */
type Goods = { levels: Map<string, Level>; held: Map<string, Held>; outs: Map<string, Out>; ended: Out[] };

const nameOf = ({ shop, product_id }: Place) => `${shop}\n${product_id}`;

async function foldStock(tx: pg.ClientBase, events: readonly OfGoods[]): Promise<void> {
  if (events.length === 0) return;
  const goods = await goodsOf(tx, events);
  for (const event of events) {
    const place: Place = { shop: event.tenant, product_id: Number(event.id) };
    const change = changeOf(goods, place, event);
    if (change) setAvailable(goods, place, change, event.position);
  }
  await tx.query(
    `insert into read.demand_stock_v1 select * from jsonb_populate_recordset(null::read.demand_stock_v1, $1::jsonb)
     on conflict (shop, product_id) do update set available = excluded.available`,
    [JSON.stringify([...goods.levels.values()])],
  );
  await insert(tx, "demand_held_v1", [...goods.held.values()]);
  await insert(tx, "stock_outs_v1", [...goods.ended, ...goods.outs.values()]);
}

/** Reads it and takes it away: what stands afterwards is written again. */
async function goodsOf(tx: pg.ClientBase, events: readonly OfGoods[]): Promise<Goods> {
  const shops = events.map(({ tenant }) => tenant);
  const ids = events.map(({ id }) => Number(id));
  const isNamed = "(shop, product_id) in (select * from unnest($1::text[], $2::bigint[]))";
  const levels = await tx.query<Level>(`select * from read.demand_stock_v1 where ${isNamed}`, [shops, ids]);
  const outs = await tx.query<Out>(
    `delete from read.stock_outs_v1 where out_to is null and ${isNamed} returning *`,
    [shops, ids],
  );
  const orders = events.map(({ data }) => ("order_id" in data ? data.order_id : null));
  const held = await tx.query<Held>(
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

/** By how much of a product can be ordered more from then on; undefined where that stays: goods that are shipped were held before. */
function changeOf(
  { held }: Goods,
  place: Place,
  { type, data }: OfGoods,
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
      held.set(`${nameOf(place)}\n${data.order_id}`, { ...place, order_id: data.order_id, quantity });
      return { by: -quantity, at: data.reserved_at };
    }
    case "StockReleased":
    case "StockShipped": {
      const name = `${nameOf(place)}\n${data.order_id}`;
      const quantity = held.get(name)?.quantity ?? 0;
      held.delete(name);
      return type === "StockReleased" ? { by: quantity, at: data.released_at } : undefined;
    }
    default:
      return undefined;
  }
}

const sumOf = (lines: readonly stock.StockLine[]) => lines.reduce((sum, { quantity }) => sum + quantity, 0);

/** A time without stock begins when there is nothing to order, and ends when there is again. */
function setAvailable(
  { levels, outs, ended }: Goods,
  place: Place,
  { by, at }: { by: number; at: string },
  position: number,
): void {
  const name = nameOf(place);
  const available = (levels.get(name)?.available ?? 0) + by;
  levels.set(name, { ...place, available });
  const out = outs.get(name);
  if (available <= 0) outs.set(name, out ?? { ...place, out_from: at, out_to: null, position });
  else if (out) {
    ended.push({ ...out, out_to: at });
    outs.delete(name);
  }
}

/** What was ordered of each product of a shop, and when it was out of stock. */
export type Ordered = { sold: Sold[]; outs: StockOut[] };

/** By product_id, from a month on. */
export async function orderedIn(pool: pg.Pool, shop: string, since: string): Promise<Map<number, Ordered>> {
  const sql = `select p.product_id,
      coalesce((select jsonb_agg(jsonb_build_object('month', month, 'quantity', quantity) order by month)
        from read.demand_v1 d where d.shop = $1 and d.product_id = p.product_id and d.month >= $2), '[]') as sold,
      coalesce((select jsonb_agg(jsonb_build_object('from', out_from, 'to', out_to) order by position)
        from read.stock_outs_v1 o where o.shop = $1 and o.product_id = p.product_id
          and (o.out_to is null or o.out_to >= $2)), '[]') as outs
    from read.demand_stock_v1 p where p.shop = $1`;
  const { rows } = await pool.query<Ordered & { product_id: number }>(sql, [shop, since]);
  return new Map(rows.map(({ product_id, sold, outs }) => [product_id, { sold, outs }]));
}
