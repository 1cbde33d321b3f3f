-- One row an event. Payload and meta are the very bytes that were hashed (RFC 8785 JSON), never jsonb.
-- A commit's key, request hash and size stand on its first event alone.
--
-- No foreign key to logs and no check constraints: the append functions are the only writers, and Postgres would
-- prepare each check anew for every call, which doubles the time of a single append (40 µs against 13 for this insert).
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

-- A tenant's feed reads this one, so that other tenants' events cost it nothing.
create index events_tenant on eventstore.events (log_id, tenant, position);
