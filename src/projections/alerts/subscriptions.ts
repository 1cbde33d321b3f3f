/** The read model of alert delivery: subscriptions, waiting alerts, and the releases evaluated. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { utc } from "../../core/read-models/times.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import * as evaluation from "../../domain/alerts/evaluation.ts";
import type { Subscription, Watch } from "../../domain/alerts/subscription.ts";
import * as subscription from "../../domain/alerts/subscription.ts";
import type { ReleaseRow } from "../trade/releases.ts";

export const alertsProjection = projection({
  name: "alerts",
  version: 1,
  ddl: `
    create table if not exists read.alert_subscriptions_v1 (
      subscription_id text primary key,
      tenant          text not null,
      watch           jsonb not null,
      status          text not null,
      credits         int not null,
      position        bigint not null
    );
    create index if not exists alert_subscriptions_v1_open on read.alert_subscriptions_v1 (position)
      where status in ('active', 'paused');
    create index if not exists alert_subscriptions_v1_tenant on read.alert_subscriptions_v1 (tenant);
    create table if not exists read.alerts_waiting_v1 (
      alert_id        text primary key,
      subscription_id text not null,
      next_attempt_at timestamptz not null
    );
    create index if not exists alerts_waiting_v1_due on read.alerts_waiting_v1 (next_attempt_at);
    create index if not exists alerts_waiting_v1_subscription on read.alerts_waiting_v1 (subscription_id);
    create table if not exists read.alerts_evaluated_v1 (
      dataset          text primary key,
      release_position bigint not null
    );`,
  of: [subscription, evaluation],
  async fold(events, tx) {
    for (const event of events) await add(tx, event);
  },
});

async function add(
  tx: pg.ClientBase,
  { id, tenant, position, ...event }: PositionedEvent<typeof subscription | typeof evaluation>,
): Promise<void> {
  const set = (changes: string, ...values: unknown[]) =>
    tx.query(`update read.alert_subscriptions_v1 set ${changes} where subscription_id = $1`, [id, ...values]);
  const forget = (alertId: string) =>
    tx.query("delete from read.alerts_waiting_v1 where alert_id = $1", [alertId]);
  const retryWaiting = (at: string) =>
    tx.query(
      `update read.alerts_waiting_v1 w set next_attempt_at = $2 from read.alert_subscriptions_v1 s
        where s.subscription_id = $1 and s.status = 'disabled' and w.subscription_id = $1`,
      [id, at],
    );
  switch (event.type) {
    case "AlertsEvaluated":
      await tx.query(
        `insert into read.alerts_evaluated_v1 values ($1, $2)
         on conflict (dataset) do update set release_position = excluded.release_position`,
        [event.data.dataset, event.data.release_position],
      );
      return;
    case "AlertSubscribed": {
      const { watch, credits } = event.data;
      await tx.query("insert into read.alert_subscriptions_v1 values ($1, $2, $3, 'active', $4, $5)", [
        id,
        tenant,
        JSON.stringify(watch),
        credits,
        position,
      ]);
      return;
    }
    case "AlertToppedUp":
      await retryWaiting(event.data.topped_up_at);
      await set("status = 'active', credits = $2", event.data.credits_left);
      return;
    case "AlertResumed":
      await retryWaiting(event.data.resumed_at);
      await set("status = 'active'");
      return;
    case "AlertTriggered":
      await tx.query("insert into read.alerts_waiting_v1 values ($1, $2, $3)", [
        event.data.alert_id,
        id,
        event.data.triggered_at,
      ]);
      return;
    case "AlertDelivered":
      await forget(event.data.alert_id);
      await set("credits = $2", event.data.credits_left);
      return;
    case "AlertDeliveryFailed":
      await tx.query("update read.alerts_waiting_v1 set next_attempt_at = $2 where alert_id = $1", [
        event.data.alert_id,
        event.data.next_attempt_at ?? event.data.failed_at,
      ]);
      return;
    case "AlertPaused":
      await set("status = 'paused'");
      return;
    case "AlertDisabled":
      await set("status = 'disabled'");
      return;
    case "AlertSubscriptionDeleted":
      await tx.query("delete from read.alerts_waiting_v1 where subscription_id = $1", [id]);
      await set("status = 'deleted', credits = 0");
  }
}

/** The number of a tenant's subscriptions that are not deleted, except for this id; 0 when that one exists. */
export async function countOthers(pool: pg.Pool, tenant: string, id: string): Promise<number> {
  const sql = `select count(*)::int as open from read.alert_subscriptions_v1
    where tenant = $1 and status <> 'deleted'
      and not exists (select from read.alert_subscriptions_v1 where tenant = $1 and subscription_id = $2)`;
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
): Promise<{ id: string; position: number }[]> {
  const sql = `select subscription_id as id, position::float8 as position from read.alert_subscriptions_v1
    where tenant = $1 and ($2::text is null or status = $2) and ($4::bigint is null or position < $4)
    order by read.alert_subscriptions_v1.position desc limit $3`;
  const values = [tenant, status, limit, before];
  return (await pool.query<{ id: string; position: number }>(sql, values)).rows;
}

export type DueAlert = { alert_id: string; subscription_id: string; tenant: string };

/** Alerts due by an ISO time, at most `each` a subscription and within its credits; the longest due first. */
export async function dueAlerts(
  pool: pg.Pool,
  { at, each, limit }: { at: string; each: number; limit: number },
): Promise<DueAlert[]> {
  const sql = `
    select alert_id, subscription_id, tenant from (
      select w.alert_id, s.subscription_id, s.tenant, s.credits, w.next_attempt_at,
        row_number() over (partition by s.subscription_id order by w.next_attempt_at, w.alert_id) as place
      from read.alerts_waiting_v1 w join read.alert_subscriptions_v1 s using (subscription_id)
      where w.next_attempt_at <= $1 and s.status = 'active') due
    where place <= least($2, credits) order by next_attempt_at, alert_id limit $3`;
  return (await pool.query<DueAlert>(sql, [at, each, limit])).rows;
}

/** The time of the next attempt that credits allow; null if none waits. */
export async function nextAttempt(pool: pg.Pool): Promise<string | null> {
  const sql = `select ${utc("min(w.next_attempt_at)")} as at
    from read.alerts_waiting_v1 w join read.alert_subscriptions_v1 s using (subscription_id)
    where s.status = 'active' and s.credits > 0`;
  return (await pool.query<{ at: string | null }>(sql)).rows[0]!.at;
}

export type Watcher = { subscription_id: string; tenant: string; watch: Watch };
export type Unseen = Pick<ReleaseRow, "dataset" | "vintage" | "synthetic" | "position">;

/** The newest unevaluated release of each dataset that an older subscription may wait for. */
export async function unseenReleases(pool: pg.Pool): Promise<Unseen[]> {
  const sql = `
    select dataset, vintage, synthetic, r.position::float8 as position from (
      select distinct on (dataset) * from read.trade_releases_v1 order by dataset, position desc) r
    where not exists (
        select from read.alerts_evaluated_v1 e where e.dataset = r.dataset and e.release_position >= r.position)
      and exists (select from read.alert_subscriptions_v1 s where ${WATCHES})`;
  return (await pool.query<Unseen>(sql)).rows;
}

/** Subscriptions that a release may alert, the oldest first. */
export async function watchersOf(
  pool: pg.Pool,
  { dataset, synthetic, position }: Unseen,
): Promise<Watcher[]> {
  const sql = `select s.subscription_id, s.tenant, s.watch from read.alert_subscriptions_v1 s,
      (select $1::text as dataset, $2::boolean as synthetic, $3::bigint as position) r
    where ${WATCHES} order by s.position`;
  return (await pool.query<Watcher>(sql, [dataset, synthetic, position])).rows;
}

const WATCHES = `s.status in ('active', 'paused') and s.position < r.position
  and case when s.watch->>'dataset' is null then not r.synthetic else s.watch->>'dataset' = r.dataset end`;

/** The number of waiting alerts, and the ISO time since which the oldest is due; null where none is. */
export async function waitingAlerts(pool: pg.Pool): Promise<{ count: number; due_since: string | null }> {
  const sql = `select count(*)::int as count,
      ${utc("min(w.next_attempt_at) filter (where w.next_attempt_at <= now())")} as due_since
    from read.alerts_waiting_v1 w join read.alert_subscriptions_v1 s using (subscription_id) where s.status = 'active'`;
  return (await pool.query<{ count: number; due_since: string | null }>(sql)).rows[0]!;
}
