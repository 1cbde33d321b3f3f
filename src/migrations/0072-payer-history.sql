-- How payers and their code fared when their payments were carried to the chain: those that failed there cost gas, and are not carried again.
create table chain.payer_history (
  network    text not null,
  -- An address, or `code:` and the SHA-256 of a contract's code.
  name       text not null,
  -- A payment of this contract wallet settled here.
  carried_at timestamptz,
  failed_at  timestamptz,
  -- True where the failure was a contract's: then it counts for good.
  is_code    boolean not null default false,
  noted_at   timestamptz not null default clock_timestamp(),
  primary key (network, name)
);

create index payer_history_noted on chain.payer_history (network, noted_at);
