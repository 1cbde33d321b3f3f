-- Streams are read through functions, because these can keep the planner from sorting: before the first ANALYZE it may prefer the
-- tenant's index to the stream's and sort what it finds, which reads all events of the tenant for every stream.
create function eventstore.read_streams(
  p_log_ids int4[], p_tenants text[], p_stream_ids text[], p_after_versions int8[], p_limits int4[]
) returns table (ordinal int4, event eventstore.events)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_sort = off
as $$
begin
  for i in 1 .. cardinality(p_stream_ids) loop
    return query
      select i, e from eventstore.events e
       where e.log_id = p_log_ids[i] and e.tenant = p_tenants[i] and e.stream_id = p_stream_ids[i]
         and e.version > p_after_versions[i]
       order by e.version limit p_limits[i];
  end loop;
end $$;

-- A stream's last version; null when there is no such stream.
create function eventstore.stream_version(p_log_id int4, p_tenant text, p_stream_id text) returns int8
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_sort = off
as $$
begin
  return (select e.version from eventstore.events e
           where e.log_id = p_log_id and e.tenant = p_tenant and e.stream_id = p_stream_id
           order by e.version desc limit 1);
end $$;
