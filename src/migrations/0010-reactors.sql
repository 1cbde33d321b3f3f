-- Which process runs a reactor, and what its last turns came to: seen by all processes.
create schema if not exists reactors;

create table reactors.leases (
  reactor    text primary key,
  holder     uuid,
  token      bigint not null default 0,
  held_until timestamptz not null default '-infinity',
  -- 'done', or the name of a trouble that lasts since `since`.
  status     text not null default 'done',
  reason     text,
  since      timestamptz not null default clock_timestamp(),
  good_at    timestamptz
);

-- What keeps a projection from folding; null while it goes on.
alter table read.checkpoints add column if not exists trouble text;
