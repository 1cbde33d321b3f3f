-- A log is the unit of order. Its origin is fixed when it is made and stands in every hash of the log.
create table eventstore.logs (
  log_id     int         primary key check (log_id > 0),
  origin     text        not null unique collate "C",
  epoch      text        not null check (epoch ~ '^[0-9a-f]{16}$'),
  created_at timestamptz not null default now()
);
