-- Which processes live, each by a name of its run alone: what one that died was at is taken over by another.
create table access.processes (
  process    text primary key,
  holder     uuid,
  token      bigint not null default 0,
  held_until timestamptz not null default '-infinity'
);
