-- Folded states of long streams, so that a process that starts need not fold them from their beginning. All may be deleted.
create table read.stream_snapshots (
  log_id       int4   not null,
  tenant       text   not null collate "C",
  stream_id    text   not null collate "C",
  -- The state is that after the event of this version, whose hash stands for all before it.
  version      int8   not null,
  event_hash   bytea  not null,
  -- What the entity's streams are named by, and the version of the fold that made the state.
  entity       text   not null,
  fold_version int4   not null,
  state        bytea  not null,
  -- Only who has the service's key can make it: a state that somebody else put here is not gone on from.
  seal         bytea  not null,
  primary key (log_id, tenant, stream_id)
);
