-- The tables that no log can rebuild, as they stand in databases made before these files were numbered. Each is made in a schema
-- of its own first. Where its place is empty it moves there; where a table stands there already, the two have to be of one shape,
-- and the one with the rows stays.
create schema adopting;

-- How far a projection has folded the log, and who folds it.
create table adopting.checkpoints (
  projection text primary key,
  position   bigint not null default 0,
  holder     uuid,
  token      bigint not null default 0,
  held_until timestamptz not null default '-infinity'
);

create table adopting.quota_usage (
  key_id     text primary key,
  day        text not null default '',
  day_used   int  not null default 0,
  month      text not null default '',
  month_used int  not null default 0
) with (fillfactor = 50);

create table adopting.kept_answers (
  name           text primary key,
  request_sha256 text not null,
  status         int not null,
  body           bytea,
  payment_id     text,
  kept_at        timestamptz not null default now()
);
create index kept_answers_kept_at on adopting.kept_answers (kept_at);

-- Full tiles of 256 hashes, 32 bytes each.
create table adopting.tiles_v1 (
  log_id     int not null,
  level      int not null,
  tile_index int8 not null,
  hashes     bytea not null check (length(hashes) = 8192),
  root       bytea not null check (length(root) = 32),
  primary key (log_id, level, tile_index)
);

create table adopting.proofs_v1 (
  log_id       int not null,
  size         int8 not null,
  transaction  text not null,
  block_number int8 not null,
  block_hash   text not null,
  evidence     text not null,
  primary key (log_id, size, transaction, block_hash)
);

create table adopting.transfers_followed_v1 (
  network    text not null,
  account    text not null,
  token      text not null,
  from_block bigint not null,
  to_block   bigint not null,
  to_hash    text not null,
  primary key (network, account, token)
);

create table adopting.transfers_v1 (
  network      text not null,
  account      text not null,
  token        text not null,
  block_number bigint not null,
  index        int not null,
  block_hash   text not null,
  transaction  text not null,
  sender       text not null,
  recipient    text not null,
  amount       numeric not null,
  primary key (network, account, token, block_number, index)
);

-- A line for each column, constraint and index of a table.
create function adopting.shape(of_table regclass) returns text[] language sql as $$
  select array_agg(line order by line) from (
    select format('column %s: %I %s%s%s', row_number() over (order by attnum), attname, format_type(atttypid, atttypmod),
                  case when attnotnull then ' not null' end, ' default ' || pg_get_expr(adbin, adrelid))
      from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
     where attrelid = of_table and attnum > 0 and not attisdropped
    union all
    -- Newer versions of Postgres count "not null" as a constraint; it stands with the column.
    select format('constraint %I: %s', conname, pg_get_constraintdef(oid))
      from pg_constraint where conrelid = of_table and contype <> 'n'
    union all
    select regexp_replace(pg_get_indexdef(indexrelid), ' ON \S+ ', ' ON ') from pg_index where indrelid = of_table
  ) as shape (line)
$$;

create schema if not exists read;
create schema if not exists access;
create schema if not exists anchoring;

do $$
declare
  place text;
  wanted text[];
  found text[];
begin
  foreach place in array array['read.checkpoints', 'access.quota_usage', 'access.kept_answers', 'anchoring.tiles_v1',
    'anchoring.proofs_v1', 'read.transfers_followed_v1', 'read.transfers_v1']
  loop
    if to_regclass(place) is null then
      execute format('alter table adopting.%I set schema %I', split_part(place, '.', 2), split_part(place, '.', 1));
      continue;
    end if;
    wanted := adopting.shape(format('adopting.%I', split_part(place, '.', 2))::regclass);
    found := adopting.shape(place::regclass);
    if wanted <> found then
      raise exception 'the table % is not as this service makes it', place using hint = format(
        'missing: %s; not expected: %s',
        coalesce((select string_agg(line, ', ') from unnest(wanted) line where line <> all (found)), 'nothing'),
        coalesce((select string_agg(line, ', ') from unnest(found) line where line <> all (wanted)), 'nothing'));
    end if;
  end loop;
end $$;

drop schema adopting cascade;
