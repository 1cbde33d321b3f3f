-- Scores of trust that were computed for somebody as of a position and day, so that nobody has them computed twice, and how often
-- each key asked for that in a UTC day. Rows beyond the newest thousand go when one is added.
create table access.trust_exact (
  position      bigint not null,
  day           bigint not null,
  made          bigint generated always as identity,
  result_sha256 text not null,
  -- `<number> <score> <attested>`, a line each, in micro-points; agents of whom both are 0 are left out.
  scores        text not null,
  primary key (position, day)
);
create index trust_exact_made on access.trust_exact (made);

create table access.trust_exact_calls (
  key_id text not null,
  day    bigint not null,
  calls  int not null,
  primary key (key_id, day)
);
