-- The next nonce of each gas key: processes that share one send side by side, each by nonces of its own.
create table chain.nonces (
  network    text not null,
  sender     text not null,
  next_nonce bigint not null,
  -- When the one before it was taken.
  taken_at   timestamptz not null,
  -- The highest that was ever taken, and when: it stays where a lower one is next again.
  highest    bigint not null,
  highest_at timestamptz not null,
  primary key (network, sender)
);

-- Takes the first nonce that is free. `known`: the first that the chain has not seen.
create function chain.take_nonce(of_network text, of_sender text, known bigint) returns bigint
language plpgsql as $$
declare
  was chain.nonces;
  taken bigint;
begin
  insert into chain.nonces values (of_network, of_sender, known, clock_timestamp(), -1, '-infinity') on conflict do nothing;
  select * into strict was from chain.nonces where network = of_network and sender = of_sender for update;
  -- Pools forget within hours what cannot be mined: before, what a dead process sent may still come above a lower nonce.
  taken := case when was.taken_at < clock_timestamp() - interval '1 day' then known else greatest(was.next_nonce, known) end;
  update chain.nonces set next_nonce = taken + 1, taken_at = clock_timestamp() where network = of_network and sender = of_sender;
  if taken >= was.highest or was.highest_at < clock_timestamp() - interval '1 day' then
    update chain.nonces set highest = taken, highest_at = clock_timestamp() where network = of_network and sender = of_sender;
  end if;
  return taken;
end $$;
