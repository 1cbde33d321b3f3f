-- What each transaction that the service sent has cost.
create schema if not exists chain;

create table chain.gas (
  network     text not null,
  transaction text not null,
  -- The UTC day on which it was sent, YYYY-MM-DD.
  day         text not null,
  purpose     text not null,
  -- Null while it is not known to be mined; of several of one nonce at most one ever is.
  fee_wei     numeric,
  primary key (network, transaction)
);

create index gas_day on chain.gas (network, day);

-- What was recorded by area before counts in its day.
do $$
declare
  known record;
begin
  for known in
    select * from (values ('payments_gas_v1', 'payment'), ('anchor_gas_v1', 'anchor'), ('airdrops_gas_v1', 'airdrop'))
      as t (name, purpose)
  loop
    if to_regclass('read.' || known.name) is not null then
      execute format(
        'insert into chain.gas select ''eip155:8453'', transaction, day, %L, fee_wei from read.%I on conflict do nothing',
        known.purpose, known.name);
      execute format('drop table read.%I', known.name);
    end if;
  end loop;
  delete from read.checkpoints where projection = 'anchor_gas_v1';
end
$$;
