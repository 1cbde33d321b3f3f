-- The places of executions of skills that are about to be requested, until the list of executions knows them: all processes together
-- take no more of a tenant than may wait at once.
create schema if not exists skills;

create table skills.places (
  execution_id text primary key,
  tenant       text not null,
  taken_at     timestamptz not null
);
create index places_of on skills.places (tenant);

-- Whether there was room for these. `known`: the list of executions, as its projection has it now.
create function skills.take_places(whose text, wanted text[], most int, known regclass) returns boolean
language plpgsql as $$
declare
  waiting int;
begin
  -- What is lost with the server makes room for one too many at worst, once.
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('skills.places ' || whose, 0));
  -- A process that died before it requested anything has left its places behind.
  execute format('delete from skills.places p where tenant = $1
      and (taken_at < clock_timestamp() - interval ''10 minutes'' or exists (select from %s e where e.execution_id = p.execution_id))', known)
    using whose;
  execute format('select count(*) from (
      select execution_id from %s where tenant = $1 and status in (''requested'', ''running'')
      union select execution_id from skills.places where tenant = $1) w where execution_id <> all($2)', known)
    into waiting using whose, wanted;
  if waiting + cardinality(wanted) > most then return false; end if;
  insert into skills.places select id, whose, clock_timestamp() from unnest(wanted) id on conflict do nothing;
  return true;
end $$;
