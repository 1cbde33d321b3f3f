-- By what keys each process signs, pays and draws, as anybody may know them: those that share a log have the same.
create table access.process_keys (
  process text primary key,
  keys    jsonb not null
);

-- Notes the keys of a process, unless one that lives has others: the names of those that differ.
create function access.enter_keys(entering text, own jsonb) returns text[]
language plpgsql as $$
declare
  differing text[];
begin
  -- Of two that start at once one sees the other; no lock of the table, so that no transaction of anybody else is waited for.
  perform pg_advisory_xact_lock(1413565517, 56);
  delete from access.process_keys k where not exists (
    select from access.processes p where p.process = k.process and p.held_until > clock_timestamp());
  select coalesce(array_agg(distinct o.key), '{}') into differing
    from access.process_keys k, jsonb_each_text(own) o
    where k.process <> entering and k.keys ? o.key and k.keys ->> o.key <> o.value;
  if differing = '{}' then
    insert into access.process_keys values (entering, own) on conflict (process) do update set keys = excluded.keys;
  end if;
  return differing;
end $$;
