-- How far the rows of a log were held against their hashes this time round, and the first row that does not fit them.
create table gate.checked_rows_v1 (
  log_id         int primary key,
  position       bigint not null,
  fault_position bigint,
  fault          text
);
