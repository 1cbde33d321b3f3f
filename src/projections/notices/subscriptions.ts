/** Subscriptions to notices: their owners, and those that may have a notice to deliver. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import { utc } from "../../core/read-models/times.ts";
import type { Subscription } from "../../domain/notices/subscription.ts";
import * as subscription from "../../domain/notices/subscription.ts";

type SubscriptionRow = {
  subscription_id: string;
  tenant: string;
  status: Subscription["status"];
  retry_at: string | null;
  position: number;
  changed_position: number;
  state: Subscription;
};

const TABLE = "read.notice_subscriptions_v1";

export const noticeSubscriptionsProjection = projection({
  name: "notice_subscriptions",
  version: 1,
  ddl: `
    create table if not exists read.notice_subscriptions_v1 (
      subscription_id  text primary key,
      tenant           text not null,
      status           text not null,
      retry_at         timestamptz,
      position         bigint not null,
      changed_position bigint not null,
      state            jsonb not null
    );
    create index if not exists notice_subscriptions_v1_tenant on read.notice_subscriptions_v1 (tenant, position desc);
    create index if not exists notice_subscriptions_v1_changed on read.notice_subscriptions_v1 (changed_position)
      where status = 'active';
    create index if not exists notice_subscriptions_v1_retry on read.notice_subscriptions_v1 (retry_at)
      where status = 'active' and retry_at is not null;`,
  of: [subscription],
  async fold(events, tx) {
    const ids = events.map(({ id }) => id);
    const rows = await readRows<SubscriptionRow, "subscription_id">(tx, TABLE, "subscription_id", ids);
    for (const event of events) {
      const { id, tenant, position } = event;
      const before = rows.get(id);
      const state = subscription.evolve(before?.state, event)!;
      rows.set(id, {
        subscription_id: id,
        tenant,
        status: state.status,
        retry_at: subscription.nextAttemptAt(state),
        position: before?.position ?? position,
        changed_position: position,
        state,
      });
    }
    await saveRows(tx, TABLE, ["subscription_id"], rows.values());
  },
});

/** The number of a tenant's subscriptions that are not deleted, except for this id; 0 when that one exists. */
export async function countOtherSubscriptions(pool: pg.Pool, tenant: string, id: string): Promise<number> {
  const sql = `select count(*)::int as open from ${TABLE}
    where tenant = $1 and status <> 'deleted'
      and not exists (select from ${TABLE} where tenant = $1 and subscription_id = $2)`;
  return (await pool.query<{ open: number }>(sql, [tenant, id])).rows[0]!.open;
}

type SubscriptionsQuery = {
  tenant: string;
  status: Subscription["status"] | null;
  limit: number;
  before: number | null;
};

/** A tenant's subscriptions below a position, newest first. */
export async function listSubscriptions(
  pool: pg.Pool,
  { tenant, status, limit, before }: SubscriptionsQuery,
): Promise<{ state: Subscription; position: number }[]> {
  const sql = `select state, position::float8 as position from ${TABLE}
    where tenant = $1 and ($2::text is null or status = $2) and ($4::bigint is null or position < $4)
    order by ${TABLE}.position desc limit $3`;
  const values = [tenant, status, limit, before];
  return (await pool.query<{ state: Subscription; position: number }>(sql, values)).rows;
}

export type SubscriptionKey = { tenant: string; id: string };

/** Active subscriptions that changed after a position, whose retry is due, or that one of these tenants owns. */
export async function subscriptionsToServe(
  pool: pg.Pool,
  { changed_after, at, tenants }: { changed_after: number; at: string; tenants: readonly string[] | "all" },
): Promise<SubscriptionKey[]> {
  const text = `select tenant, subscription_id as id from ${TABLE}
    where status = 'active' and ($4 or changed_position > $1 or retry_at <= $2 or tenant = any($3))
    order by position`;
  const values = [changed_after, at, tenants === "all" ? [] : tenants, tenants === "all"];
  return (await pool.query<SubscriptionKey>({ name: "notices_to_serve", text, values })).rows;
}

/** The number of active subscriptions that wait for another attempt, and the ISO time since which the oldest is due. */
export async function failingSubscriptions(
  pool: pg.Pool,
): Promise<{ count: number; retry_at: string | null }> {
  const sql = `select count(*)::int as count,
      ${utc("min(retry_at)")} as retry_at
    from ${TABLE} where status = 'active' and retry_at is not null`;
  return (await pool.query<{ count: number; retry_at: string | null }>(sql)).rows[0]!;
}
