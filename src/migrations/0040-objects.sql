-- Bytes that are not events: what a call brought or a worker made, of which the log has the digest. They may be deleted.
create schema if not exists objects;

create table objects.small (
  -- <area>/<owner's id>/<SHA-256 in hex>: two owners share nothing, so what is one's can be deleted.
  name       text primary key collate "C",
  bytes      bytea not null,
  keep_until timestamptz not null
);
create index small_due on objects.small (keep_until);
