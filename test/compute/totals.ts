/** Totals of all tasks, counted over each of them. */
export const COUNTED = `select
  count(*) filter (where status = 'leased') as running,
  count(*) filter (where status = 'queued') as queued,
  count(*) filter (where status = 'settled' and state->'judged' = 'null') as settled,
  coalesce(sum((state->'settled'->>'price_micro')::bigint) filter (where status = 'settled'), 0)::bigint as settled_micro,
  count(*) filter (where state->'refunded' <> 'null' and copy_of is null) as refunded,
  count(*) filter (where state->'audit'->>'verdict' in ('valid', 'mismatch')) as audited,
  count(*) filter (where state->'audit'->>'verdict' = 'mismatch') as mismatches
  from read.compute_tasks_v4`;
