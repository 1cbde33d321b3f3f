-- A transaction is written down before it is sent, with the most that it may cost, until its end is known.
alter table chain.gas
  add column sender   text,
  add column nonce    bigint,
  add column most_wei numeric;

create index gas_open on chain.gas (network) where fee_wei is null;
create index gas_nonce on chain.gas (network, sender, nonce);
