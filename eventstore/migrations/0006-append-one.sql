-- Appends one event to one stream: what `append` does, without arrays, for moments when nothing else waits.
-- Parameters and results mean the same as there.
create function eventstore.append_one(
  p_log_id         int,
  p_key            text,
  p_request_hash   bytea,
  p_tenant         text,
  p_stream_id      text,
  p_expected       int8,
  p_event_id       uuid,
  p_type           text,
  p_schema_version int,
  p_payload        bytea,
  p_meta           bytea,
  out first_position int8,
  out recorded_at_us int8,
  out outcomes       int[],
  out versions       int8[],
  out event_hashes   bytea[]
)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_origin       text;
  v_log_hash     bytea;
  v_version      int8;
  v_prev_hash    bytea;
  v_key_used_by  bytea;
  v_payload_hash bytea := sha256('TS/PAYLOAD/1\000'::bytea || p_payload);
  v_meta_hash    bytea := sha256('TS/META/1\000'::bytea || p_meta);
  v_event_hash   bytea;
begin
  perform eventstore.lock_log(p_log_id);

  select log.origin, coalesce(tail.position, 0) + 1, tail.log_hash,
         greatest(tail.recorded_at_us, (extract(epoch from clock_timestamp()) * 1000000)::int8),
         coalesce(stream.version, 0), stream.event_hash, used.request_hash
    into v_origin, first_position, v_log_hash, recorded_at_us, v_version, v_prev_hash, v_key_used_by
    from eventstore.logs log
    left join lateral (
      select e.position, e.log_hash, e.recorded_at_us from eventstore.events e
       where e.log_id = p_log_id order by e.position desc limit 1
    ) tail on true
    left join lateral (
      select e.version, e.event_hash from eventstore.events e
       where e.log_id = p_log_id and e.tenant = p_tenant and e.stream_id = p_stream_id
       order by e.version desc limit 1
    ) stream on true
    left join lateral (
      select e.request_hash from eventstore.events e
       where e.log_id = p_log_id and e.idem_key = p_key limit 1
    ) used on true
   where log.log_id = p_log_id;
  if not found then
    raise exception 'there is no log %', p_log_id using errcode = 'no_data_found';
  end if;

  versions := array[v_version];
  outcomes := array[case
    when v_key_used_by = p_request_hash then 1
    when v_key_used_by is not null then 2
    when p_expected = v_version or p_expected = -1 or (p_expected = -2 and v_version > 0) then 0
    else -1 end];
  if outcomes[1] <> 0 then return; end if;

  v_prev_hash := coalesce(v_prev_hash, eventstore.stream_genesis(v_origin, p_tenant, p_stream_id));
  v_event_hash := sha256('TS/EVENT/1\000'::bytea
    || eventstore.length_prefixed(v_origin) || eventstore.length_prefixed(p_tenant)
    || eventstore.length_prefixed(p_stream_id) || int8send(v_version + 1) || uuid_send(p_event_id)
    || eventstore.length_prefixed(p_type) || int4send(p_schema_version) || int8send(recorded_at_us)
    || v_payload_hash || v_meta_hash || v_prev_hash);
  v_log_hash := sha256('TS/LOG/1\000'::bytea || coalesce(v_log_hash, eventstore.log_genesis(v_origin))
    || int8send(first_position) || v_event_hash);
  event_hashes := array[v_event_hash];

  insert into eventstore.events values (
    p_log_id, first_position, p_tenant, p_stream_id, v_version + 1, p_event_id, p_type, p_schema_version,
    recorded_at_us, p_payload, p_meta, v_payload_hash, v_meta_hash, v_prev_hash, v_event_hash, v_log_hash,
    p_key, p_request_hash, 1);
end $$;
