-- Who was heard of last: the heartbeats of nodes and of leases, which are no events. What follows from silence is one, and says so.
create schema if not exists compute;

create table compute.nodes_heard (
  sx        bigint primary key,
  heard_at  timestamptz not null,
  -- Heartbeats since the window began: a node may send so many in it.
  window_at timestamptz not null,
  beats     int not null
);

create table compute.leases_heard (
  lease_sha256 text primary key,
  heard_at     timestamptz not null
);
