-- LP(x) of docs/event-log.md: u32 big-endian length, then the UTF-8 bytes. Stable, as convert_to is, so that it is inlined.
create function eventstore.length_prefixed(value text) returns bytea
language sql stable strict parallel safe
as $$ select int4send(octet_length(value)) || convert_to(value, 'UTF8') $$;

-- log_hash of position 0: an empty log is already bound to its origin.
create function eventstore.log_genesis(origin text) returns bytea
language sql stable strict parallel safe
as $$ select sha256('TS/LOG/1\000'::bytea || eventstore.length_prefixed(origin)) $$;

-- prev_hash of a stream's first event.
create function eventstore.stream_genesis(origin text, tenant text, stream_id text) returns bytea
language sql stable strict parallel safe
as $$
  select sha256('TS/STREAM/1\000'::bytea || eventstore.length_prefixed(origin)
    || eventstore.length_prefixed(tenant) || eventstore.length_prefixed(stream_id))
$$;
