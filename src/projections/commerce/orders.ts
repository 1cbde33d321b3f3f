/** One row per order, for lists, searches by id, and due orders. Customers stay sealed. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { saveRows } from "../../core/read-models/rows.ts";
import type { Order, OrderStatus } from "../../domain/commerce/order.ts";
import * as order from "../../domain/commerce/order.ts";

/** `position`: of the order's first event. */
type OrderRow = {
  tenant: string;
  order_id: number;
  status: OrderStatus;
  payment_id: string | null;
  is_paid: boolean;
  expires_at: string;
  position: number;
  state: Order;
};

export const ordersProjection = projection({
  name: "orders",
  version: 1,
  ddl: `
    create table if not exists read.orders_v1 (
      tenant     text not null,
      order_id   bigint not null,
      status     text not null,
      payment_id text,
      is_paid    boolean not null,
      expires_at text not null,
      position   bigint not null,
      state      jsonb not null,
      primary key (tenant, order_id)
    );
    create index if not exists orders_v1_newest on read.orders_v1 (tenant, position desc);
    create index if not exists orders_v1_id on read.orders_v1 (order_id);
    create index if not exists orders_v1_payers on read.orders_v1 (tenant) where is_paid;
    create index if not exists orders_v1_due on read.orders_v1 (expires_at) where status = 'awaiting_payment';
    create index if not exists orders_v1_unshipped on read.orders_v1 (payment_id) where status = 'paid';`,
  of: [order],
  async fold(events, tx) {
    const named = [...new Set(events.map(({ tenant, id }) => `${tenant}\n${id}`))];
    const rows = await rowsOf(tx, named);
    for (const event of events) {
      const { tenant, position } = event;
      const name = `${tenant}\n${event.id}`;
      const row = rows.get(name);
      const state = order.existing(order.evolve(row?.state, event));
      rows.set(name, {
        tenant,
        order_id: state.facts.order_id,
        status: state.status,
        payment_id: state.paid?.payment_id ?? null,
        is_paid: state.paid !== null,
        expires_at: order.expiresAt(state.facts),
        position: row?.position ?? position,
        state,
      });
    }
    await saveRows(tx, "read.orders_v1", ["tenant", "order_id"], rows.values());
  },
});

async function rowsOf(tx: pg.ClientBase, names: string[]): Promise<Map<string, OrderRow>> {
  const keys = names.map((name) => name.split("\n") as [string, string]);
  const sql = `select * from read.orders_v1
    where (tenant, order_id) in (select * from unnest($1::text[], $2::bigint[]))`;
  const values = [keys.map(([tenant]) => tenant), keys.map(([, id]) => id)];
  const { rows } = await tx.query<OrderRow>(sql, values);
  return new Map(rows.map((row) => [`${row.tenant}\n${row.order_id}`, row]));
}

/** Newest first; `total` counts all of the tenant's orders. */
export async function listOrders(
  pool: pg.Pool,
  { tenant, limit, offset }: { tenant: string; limit: number; offset: number },
): Promise<{ orders: Order[]; total: number }> {
  const sql = `select (select count(*) from read.orders_v1 where tenant = $1)::int as total,
    (select coalesce(jsonb_agg(state order by position desc), '[]')
       from (select * from read.orders_v1 where tenant = $1 order by position desc limit $2 offset $3) page) as orders`;
  const { rows } = await pool.query<{ orders: Order[]; total: number }>(sql, [tenant, limit, offset]);
  return rows[0]!;
}

/** The tenant of an order; several only if two tenants got the same number. */
export async function buyersOf(pool: pg.Pool, order_id: number): Promise<string[]> {
  const sql = "select tenant from read.orders_v1 where order_id = $1 order by position";
  return (await pool.query<{ tenant: string }>(sql, [order_id])).rows.map(({ tenant }) => tenant);
}

/** True if a tenant has a paid order without a refund; a moment old. */
export async function hasPaid(pool: pg.Pool, tenant: string): Promise<boolean> {
  const sql = `select exists(select from read.orders_v1
    where tenant = $1 and is_paid and status not in ('cancelled', 'returned')) as has_paid`;
  return (await pool.query<{ has_paid: boolean }>(sql, [tenant])).rows[0]!.has_paid;
}

export type OrderKey = { tenant: string; order_id: number };

const PAGE = 200;

/** Unpaid orders whose expiry may be decided, the longest due first. */
export async function dueOrders(pool: pg.Pool, now: string): Promise<OrderKey[]> {
  const sql = `select tenant, order_id from read.orders_v1
    where status = 'awaiting_payment' and expires_at <= $1 order by expires_at limit ${PAGE}`;
  return (await pool.query<OrderKey>(sql, [now])).rows;
}

/** The time at which the next unpaid order expires; null if none. */
export async function nextExpiry(pool: pg.Pool): Promise<string | null> {
  const sql = "select min(expires_at) as at from read.orders_v1 where status = 'awaiting_payment'";
  return (await pool.query<{ at: string | null }>(sql)).rows[0]!.at;
}

/** Paid, unshipped orders whose payment the chain reverted for good. */
export async function undoneOrders(pool: pg.Pool): Promise<OrderKey[]> {
  const sql = `select o.tenant, o.order_id from read.orders_v1 o join read.payments_v1 p on p.id = o.payment_id
    where o.status = 'paid' and p.status = 'failed' and p.final limit ${PAGE}`;
  return (await pool.query<OrderKey>(sql)).rows;
}

/** Orders of a shop with this status, the oldest first: the operator's work. */
export async function ordersOf(
  pool: pg.Pool,
  { space, status }: { space: "live" | "test"; status: OrderStatus },
): Promise<{ tenant: string; order: Order }[]> {
  const sql = `select tenant, state as "order" from read.orders_v1
    where status = $1 and starts_with(tenant, 'test:') = $2 order by position limit ${PAGE}`;
  return (await pool.query<{ tenant: string; order: Order }>(sql, [status, space === "test"])).rows;
}
