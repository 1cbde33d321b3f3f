-- Objects above a megabyte: their bytes lie in a folder or in S3; here stands that they do, and until when.
create table objects.large (
  name       text primary key collate "C",
  bytes      bigint not null check (bytes >= 0),
  keep_until timestamptz not null
);
create index large_due on objects.large (keep_until);
