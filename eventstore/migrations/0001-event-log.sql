-- The event log: tables, append functions and read functions of the schema eventstore.

-- A log is the unit of order. Its origin never changes, because every hash of the log contains it.
create table eventstore.logs (
  log_id     int         primary key check (log_id > 0),
  origin     text        not null unique collate "C",
  epoch      text        not null check (epoch ~ '^[0-9a-f]{16}$'),
  created_at timestamptz not null default now()
);

-- One row per event. Payload and meta are the exact bytes that were hashed (RFC 8785 JSON), so they are not jsonb.
-- Only the first event of a commit has its key, request hash and size.
--
-- There are no foreign keys and no checks: the append functions are the only writers, and Postgres would prepare each
-- check again in every call, which doubles the time of a single append (40 µs against 13 for this insert).
create table eventstore.events (
  log_id         int   not null,
  position       int8  not null,
  tenant         text  not null collate "C",
  stream_id      text  not null collate "C",
  version        int8  not null,
  event_id       uuid  not null,
  type           text  not null collate "C",
  schema_version int4  not null,
  recorded_at_us int8  not null,
  payload        bytea not null,
  meta           bytea not null,
  payload_hash   bytea not null,
  meta_hash      bytea not null,
  prev_hash      bytea not null,
  event_hash     bytea not null,
  log_hash       bytea not null,
  idem_key       text  collate "C",
  request_hash   bytea,
  commit_size    int4,
  primary key (log_id, position),
  unique (log_id, tenant, stream_id, version),
  unique (log_id, event_id)
);

create unique index events_idem_key on eventstore.events (log_id, idem_key) where idem_key is not null;

-- Makes a tenant's feed independent of how many events other tenants have.
create index events_tenant on eventstore.events (log_id, tenant, position);

-- Finds long streams, which need snapshots, without reading other events: one event in five hundred of a stream.
create index events_long_streams on eventstore.events (log_id, position) where version % 500 = 0;

-- Grants stop the application from changing the log; these triggers stop the owner from doing it by accident.
create function eventstore.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception '% on eventstore.% is refused: the log is append-only', tg_op, tg_table_name
    using errcode = 'restrict_violation', hint = 'Append a compensating event instead.';
end $$;

create trigger append_only before update or delete or truncate on eventstore.events
  for each statement execute function eventstore.refuse_change();

create trigger append_only before update or delete or truncate on eventstore.logs
  for each statement execute function eventstore.refuse_change();

-- LP(x) of docs/event-log.md: u32 big-endian length, then the UTF-8 bytes.
-- It is stable, as convert_to is; otherwise Postgres would not inline it.
create function eventstore.length_prefixed(value text) returns bytea
language sql stable strict parallel safe
as $$ select int4send(octet_length(value)) || convert_to(value, 'UTF8') $$;

-- The log_hash of position 0, which binds an empty log to its origin.
create function eventstore.log_genesis(origin text) returns bytea
language sql stable strict parallel safe
as $$ select sha256('TS/LOG/1\000'::bytea || eventstore.length_prefixed(origin)) $$;

-- The prev_hash of a stream's first event.
create function eventstore.stream_genesis(origin text, tenant text, stream_id text) returns bytea
language sql stable strict parallel safe
as $$
  select sha256('TS/STREAM/1\000'::bytea || eventstore.length_prefixed(origin)
    || eventstore.length_prefixed(tenant) || eventstore.length_prefixed(stream_id))
$$;

-- Lets one transaction at a time append to a log, so that positions become visible in their order.
-- A snapshot older than the lock would show an old tail, so only read committed is allowed.
create function eventstore.lock_log(p_log_id int) returns void
language plpgsql volatile
as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'events are appended in read committed transactions only'
      using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(1413565517, p_log_id);
end $$;

-- Appends one event to one stream: the same as `append` without arrays, for a commit that travels alone.
-- Parameters and results mean the same as in `append`. It does not sort, for the reason given at `read_streams`.
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
set enable_sort = off
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

-- Appends many requests in one call, as if one after the other in the given order: one lock, one read of the tail, one
-- insert. Several requests may extend the same stream; each sees the stream as the earlier ones left it.
--
-- Requests, streams and events are parallel arrays. A stream names its request, and an event its stream, by a 1-based
-- ordinal. Events are in log order, and the events of a stream are adjacent.
--
-- p_expected: a version, or -1 for any version, or -2 for a stream that exists.
-- p_firsts:   the ordinal of the same stream's first occurrence in the call, mostly its own.
-- p_lengths:  how many events the request adds to the stream; 0 if it only checks the version.
-- p_rests_on: the earlier request that must be appended for this one to make sense; 0 if there is none.
-- outcomes:   for each request 0 = appended, 1 = replayed, 2 = another request used the key, 3 = not appended, because
--             the request that it depends on was not, -n = stream n has another version.
-- versions:   for each stream, its version before its request.
-- event_hashes: those of the appended events, whose positions start at first_position and follow the given order.
create function eventstore.append(
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
  -- By a stream's first ordinal in the call: its version and hash so far.
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
  -- One element for each appended event.
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

  -- The streams of a request are adjacent.
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

-- The first position recorded at or after a time; one past the head if there is none.
-- Positions have no gaps and their times never decrease, so a binary search needs no index on time.
create function eventstore.position_at(p_log_id int, p_since_us int8) returns int8
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  v_low  int8 := 1;
  v_high int8 := 1 + coalesce(
    (select e.position from eventstore.events e where e.log_id = p_log_id order by e.position desc limit 1), 0);
  v_middle int8;
begin
  while v_low < v_high loop
    v_middle := (v_low + v_high) / 2;
    if (select e.recorded_at_us from eventstore.events e where e.log_id = p_log_id and e.position = v_middle) < p_since_us
    then v_low := v_middle + 1;
    else v_high := v_middle;
    end if;
  end loop;
  return v_low;
end $$;

-- Streams are read by functions, because a function can forbid sorting. Before the first ANALYZE the planner may prefer
-- the tenant's index to the stream's, and would read and sort all events of the tenant for each stream.
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

-- The version and hash of a stream's last event.
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
