-- The next nonce of each gas key: processes that share one send side by side, each by nonces of its own.
create table chain.nonces (
  network    text not null,
  sender     text not null,
  next_nonce bigint not null,
  -- When the one before it was taken.
  taken_at   timestamptz not null,
  primary key (network, sender)
);

-- Takes the first nonce that is free. `known`: the first that the chain has not seen; `anew`: whatever was taken above it counts no more.
create function chain.take_nonce(of_network text, of_sender text, known bigint, anew boolean) returns bigint
language plpgsql as $$
declare
  taken bigint;
begin
  -- What is lost with the server is on the chain.
  perform set_config('synchronous_commit', 'off', true);
  insert into chain.nonces as n values (of_network, of_sender, known + 1, clock_timestamp())
    on conflict (network, sender) do update set
      -- Pools forget within hours what cannot be mined: before, what a dead process sent may still come above a lower nonce.
      next_nonce = 1 + case
        when anew or n.taken_at < clock_timestamp() - interval '1 day' then known
        else greatest(n.next_nonce, known) end,
      taken_at = clock_timestamp()
    returning next_nonce - 1 into taken;
  return taken;
end $$;
