-- One row an event. Payload and meta are the very bytes that were hashed (RFC 8785 JSON), never jsonb.
-- A commit's key, request hash and size stand on its first event alone. No foreign key to logs: append reads the log's
-- row anyway, and a key would check it again for every event.
create table eventstore.events (
  log_id         int   not null,
  position       int8  not null check (position > 0),
  tenant         text  not null collate "C" check (octet_length(tenant) between 1 and 255),
  stream_id      text  not null collate "C" check (octet_length(stream_id) between 1 and 255),
  version        int8  not null check (version > 0),
  event_id       uuid  not null,
  type           text  not null collate "C" check (octet_length(type) between 1 and 255),
  schema_version int4  not null check (schema_version > 0),
  recorded_at_us int8  not null,
  payload        bytea not null,
  meta           bytea not null,
  payload_hash   bytea not null,
  meta_hash      bytea not null,
  prev_hash      bytea not null,
  event_hash     bytea not null,
  log_hash       bytea not null,
  idem_key       text  collate "C" check (octet_length(idem_key) between 1 and 255),
  request_hash   bytea check (octet_length(request_hash) = 32),
  commit_size    int4  check (commit_size > 0),
  primary key (log_id, position),
  unique (log_id, tenant, stream_id, version),
  unique (log_id, event_id),
  check ((idem_key is null) = (request_hash is null)),
  check (idem_key is null or commit_size is not null)
);

create unique index events_idem_key on eventstore.events (log_id, idem_key) where idem_key is not null;

-- A tenant's feed reads this one, so that other tenants' events cost it nothing.
create index events_tenant on eventstore.events (log_id, tenant, position);
