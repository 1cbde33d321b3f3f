-- Up to which block the transfers to an account were compared with the payments of the log.
create table access.payments_looked_for (
  network      text not null,
  account      text not null,
  block_number bigint not null,
  primary key (network, account)
);
