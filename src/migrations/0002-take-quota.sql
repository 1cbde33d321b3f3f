-- Takes calls from the quotas of many keys at once: rows are locked in key order, so two processes never deadlock.
create or replace function access.take_quota(
  keys text[], wanted int[], dailies int[], monthlies int[], today text, this_month text)
returns table (key_id text, granted int, day_used int, month_used int)
language plpgsql as $$
#variable_conflict use_column
begin
  insert into access.quota_usage (key_id) select k from unnest(keys) k order by k on conflict do nothing;
  return query
    with held as (
      select u.key_id,
             -- A window never goes back: processes whose clocks differ at midnight agree on the later day.
             greatest(u.day, today) as day, greatest(u.month, this_month) as month,
             case when u.day >= today then u.day_used else 0 end as day_used,
             case when u.month >= this_month then u.month_used else 0 end as month_used
        from access.quota_usage u where u.key_id = any(keys) order by u.key_id for update
    ), allowed as (
      select h.key_id, h.day, h.month, h.day_used, h.month_used,
             greatest(0, least(a.n, coalesce(a.daily - h.day_used, a.n), coalesce(a.monthly - h.month_used, a.n))) as n
        from held h
        join unnest(keys, wanted, dailies, monthlies) as a(key_id, n, daily, monthly) using (key_id)
    )
    update access.quota_usage u
       set day = a.day, month = a.month, day_used = a.day_used + a.n, month_used = a.month_used + a.n
      from allowed a where u.key_id = a.key_id
    returning u.key_id, a.n, u.day_used, u.month_used;
end $$;
