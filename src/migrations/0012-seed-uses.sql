-- How often each seed of random numbers was drawn from, counted before what is drawn is recorded: all processes together
-- take no more than was announced. Of a seed without a row the read model tells how often.
create schema if not exists rng;

create table rng.seed_uses (
  seed_hash text primary key,
  taken     bigint not null,
  -- Since when nothing more is taken: all is, or what was asked for did not fit any more.
  closed_at timestamptz
) with (fillfactor = 50);

-- Whether each of these was taken, in their order; no row at all where the seed has none.
create function rng.take_uses(seed text, wanted int[], most bigint) returns table (granted boolean)
language plpgsql as $$
declare
  uses rng.seed_uses;
  n int;
begin
  -- What is drawn is recorded later in the same log of Postgres, and waits for the disk: it cannot be kept without this.
  perform set_config('synchronous_commit', 'off', true);
  select * into uses from rng.seed_uses s where s.seed_hash = seed for update;
  if not found then return; end if;
  foreach n in array wanted loop
    granted := uses.closed_at is null and uses.taken + n <= most;
    if granted then uses.taken := uses.taken + n; end if;
    if uses.closed_at is null and (not granted or uses.taken = most) then
      uses.closed_at := clock_timestamp();
    end if;
    return next;
  end loop;
  update rng.seed_uses s set taken = uses.taken, closed_at = uses.closed_at where s.seed_hash = seed;
end $$;
