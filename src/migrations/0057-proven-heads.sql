create schema if not exists gate;
-- Tree heads that prove another history of this log: the chain keeps them under our account, or our own key has signed them.
-- Every process holds the log against them. A log that continues them is the right one again.
create table gate.proven_heads_v1 (
  origin  text not null,
  size    bigint not null,
  root    text not null,
  -- Who showed it, in words.
  source  text not null,
  -- The signed note; null where the chain is the evidence.
  note    text,
  seen_at timestamptz not null default clock_timestamp(),
  primary key (origin, size, root)
);
