-- Appends many requests in one call, as `append` does, and as if one after the other in the order given: a stream may stand in several
-- of them, and each finds it as those before have left it.
--
-- Parameters and results are those of `append`, with these beside them, an element a stream:
-- p_firsts:   where in the call the same stream stands first, as an ordinal: its own, mostly.
-- p_lengths:  how many events it is extended by; 0 where it is only checked.
-- p_rests_on: the earlier request of the call without whose events this one means nothing; 0 where there is none.
-- outcomes:   3 = not appended, as what it rests on was not.
-- versions:   what the stream was before its request.
create function eventstore.append_in_order(
  p_log_id          int,
  p_keys            text[],
  p_request_hashes  bytea[],
  p_sizes           int[],
  p_stream_requests int[],
  p_tenants         text[],
  p_stream_ids      text[],
  p_expected        int8[],
  p_firsts          int[],
  p_lengths         int[],
  p_rests_on        int[],
  p_event_streams   int[],
  p_event_ids       uuid[],
  p_types           text[],
  p_schema_versions int[],
  p_payloads        bytea[],
  p_metas           bytea[],
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
set enable_sort = off
as $$
declare
  v_origin         text;
  v_position       int8;
  v_log_hash       bytea;
  -- Where a stream stands first in the call: what it has become so far.
  v_now            int8[];
  v_now_hashes     bytea[];
  v_begin          int := 1;
  v_end            int;
  v_stream         int := 0;
  v_request        int := 0;
  v_first          int;
  v_header         bytea;
  v_version        int8;
  v_prev_hash      bytea;
  v_payload_hash   bytea;
  v_meta_hash      bytea;
  v_event_hash     bytea;
  -- One element per appended event.
  v_events         int[]   := '{}';
  v_commits        int[]   := '{}';
  v_positions      int8[]  := '{}';
  v_versions       int8[]  := '{}';
  v_payload_hashes bytea[] := '{}';
  v_meta_hashes    bytea[] := '{}';
  v_prev_hashes    bytea[] := '{}';
  v_log_hashes     bytea[] := '{}';
begin
  perform eventstore.lock_log(p_log_id);

  select log.origin, coalesce(tail.position, 0), tail.log_hash,
         greatest(tail.recorded_at_us, (extract(epoch from clock_timestamp()) * 1000000)::int8)
    into v_origin, v_position, v_log_hash, recorded_at_us
    from eventstore.logs log
    left join lateral (
      select e.position, e.log_hash, e.recorded_at_us from eventstore.events e
       where e.log_id = p_log_id order by e.position desc limit 1
    ) tail on true
   where log.log_id = p_log_id;
  if not found then
    raise exception 'there is no log %', p_log_id using errcode = 'no_data_found';
  end if;
  v_log_hash := coalesce(v_log_hash, eventstore.log_genesis(v_origin));
  first_position := v_position + 1;

  select array_agg(coalesce(head.version, 0) order by s.ordinal), array_agg(head.event_hash order by s.ordinal)
    into v_now, v_now_hashes
    from unnest(p_tenants, p_stream_ids, p_firsts) with ordinality s (tenant, stream_id, first, ordinal)
    left join lateral (
      select e.version, e.event_hash from eventstore.events e
       where s.first = s.ordinal and e.log_id = p_log_id and e.tenant = s.tenant and e.stream_id = s.stream_id
       order by e.version desc limit 1
    ) head on true;
  versions := v_now;

  select array_agg(case when used.request_hash is null then 0
                        when used.request_hash = r.request_hash then 1 else 2 end order by r.ordinal)
    into outcomes
    from unnest(p_keys, p_request_hashes) with ordinality r (idem_key, request_hash, ordinal)
    left join lateral (
      select e.request_hash from eventstore.events e
       where e.log_id = p_log_id and e.idem_key = r.idem_key limit 1
    ) used on true;

  -- The streams of a request stand next to each other.
  for r in 1 .. cardinality(outcomes) loop
    v_end := v_begin;
    while p_stream_requests[v_end] = r loop
      versions[v_end] := v_now[p_firsts[v_end]];
      if outcomes[r] <> 0 then
        null;
      elsif p_rests_on[v_end] > 0 and outcomes[p_rests_on[v_end]] <> 0 then
        outcomes[r] := 3;
      elsif p_expected[v_end] <> versions[v_end] and p_expected[v_end] <> -1
            and (p_expected[v_end] <> -2 or versions[v_end] = 0) then
        outcomes[r] := -v_end;
      end if;
      v_end := v_end + 1;
    end loop;
    if outcomes[r] = 0 then
      for s in v_begin .. v_end - 1 loop
        v_now[p_firsts[s]] := versions[s] + p_lengths[s];
      end loop;
    end if;
    v_begin := v_end;
  end loop;

  event_hashes := '{}';
  for e in 1 .. cardinality(p_event_streams) loop
    v_first := null;
    if p_event_streams[e] <> v_stream then
      v_stream := p_event_streams[e];
      if p_stream_requests[v_stream] <> v_request then
        v_request := p_stream_requests[v_stream];
        v_first := v_request;
      end if;
      v_version := versions[v_stream];
      v_header := 'TS/EVENT/1\000'::bytea || eventstore.length_prefixed(v_origin)
        || eventstore.length_prefixed(p_tenants[v_stream]) || eventstore.length_prefixed(p_stream_ids[v_stream]);
    end if;
    continue when outcomes[v_request] <> 0;

    v_position := v_position + 1;
    v_version := v_version + 1;
    v_prev_hash := coalesce(v_now_hashes[p_firsts[v_stream]],
      eventstore.stream_genesis(v_origin, p_tenants[v_stream], p_stream_ids[v_stream]));
    v_payload_hash := sha256('TS/PAYLOAD/1\000'::bytea || p_payloads[e]);
    v_meta_hash := sha256('TS/META/1\000'::bytea || p_metas[e]);
    v_event_hash := sha256(v_header || int8send(v_version) || uuid_send(p_event_ids[e])
      || eventstore.length_prefixed(p_types[e]) || int4send(p_schema_versions[e]) || int8send(recorded_at_us)
      || v_payload_hash || v_meta_hash || v_prev_hash);
    v_log_hash := sha256('TS/LOG/1\000'::bytea || v_log_hash || int8send(v_position) || v_event_hash);
    v_now_hashes[p_firsts[v_stream]] := v_event_hash;

    v_events := v_events || e;
    v_commits := v_commits || v_first;
    v_positions := v_positions || v_position;
    v_versions := v_versions || v_version;
    v_payload_hashes := v_payload_hashes || v_payload_hash;
    v_meta_hashes := v_meta_hashes || v_meta_hash;
    v_prev_hashes := v_prev_hashes || v_prev_hash;
    event_hashes := event_hashes || v_event_hash;
    v_log_hashes := v_log_hashes || v_log_hash;
  end loop;

  insert into eventstore.events
  select p_log_id, n.position, p_tenants[p_event_streams[n.event]], p_stream_ids[p_event_streams[n.event]], n.version,
         p_event_ids[n.event], p_types[n.event], p_schema_versions[n.event], recorded_at_us,
         p_payloads[n.event], p_metas[n.event], n.payload_hash, n.meta_hash, n.prev_hash, n.event_hash, n.log_hash,
         p_keys[n.commit], p_request_hashes[n.commit], p_sizes[n.commit]
    from unnest(v_events, v_commits, v_positions, v_versions, v_payload_hashes, v_meta_hashes, v_prev_hashes,
                event_hashes, v_log_hashes)
      as n (event, commit, position, version, payload_hash, meta_hash, prev_hash, event_hash, log_hash);
end $$;
