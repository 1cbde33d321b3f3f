-- A stream's last event, by the index that is in that order: its version, and the hash that stands for all of its events.
create function eventstore.stream_head(p_log_id int4, p_tenant text, p_stream_id text)
returns table (version int8, event_hash bytea)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_sort = off
as $$
begin
  return query
    select e.version, e.event_hash from eventstore.events e
     where e.log_id = p_log_id and e.tenant = p_tenant and e.stream_id = p_stream_id
     order by e.version desc limit 1;
end $$;

-- One event in five hundred of a stream: where long streams are, found without reading any other.
create index events_long_streams on eventstore.events (log_id, position) where version % 500 = 0;
