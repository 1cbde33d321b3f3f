/** The open work of every area in numbers: no tenant, no content. */
import type pg from "pg";

export type OpenWork = {
  orders: { awaiting_payment: number; to_ship: number };
  executions: { requested: number; running: number };
  tasks: { queued: number; leased: number; disputed: number; settled: number; refunded: number };
  withdrawals: { open: number };
  webhooks: { active: number; paused: number; waiting: number; late: number };
};

const MINUTES_LATE = 5;

/** A moment old. Each count has an index of its own with few rows, however long the log is. */
export async function openWork(pool: pg.Pool, now: Date): Promise<OpenWork> {
  const count = (from: string) => `(select count(*)::int from read.${from})`;
  const text = `select
    json_build_object(
      'awaiting_payment', ${count("orders_v1 where status = 'awaiting_payment'")},
      'to_ship', ${count("orders_v1 where status = 'paid'")}) as orders,
    json_build_object(
      'requested', ${count("skill_executions_v1 where status in ('requested', 'running') and status = 'requested'")},
      'running', ${count("skill_executions_v1 where status in ('requested', 'running') and status = 'running'")}) as executions,
    json_build_object(
      'queued', ${count("compute_tasks_v4 where status = 'queued'")},
      'leased', ${count("compute_tasks_v4 where status = 'leased'")},
      'disputed', ${count("compute_tasks_v4 where status = 'disputed'")},
      'settled', coalesce((select settled from read.compute_sums_v4), 0),
      'refunded', coalesce((select refunded from read.compute_sums_v4), 0)) as tasks,
    json_build_object('open', ${count("withdrawals_v2 where paid_at is null")}) as withdrawals,
    json_build_object(
      'active', ${count("alert_subscriptions_v1 where status in ('active', 'paused') and status = 'active'")},
      'paused', ${count("alert_subscriptions_v1 where status in ('active', 'paused') and status = 'paused'")},
      'waiting', ${count("alerts_waiting_v1")},
      'late', ${count(`alerts_waiting_v1 where next_attempt_at < $1::timestamptz - interval '${MINUTES_LATE} minutes'`)}) as webhooks`;
  return (await pool.query<OpenWork>(text, [now.toISOString()])).rows[0]!;
}
