-- The service's tables that no log can rebuild, and the functions that change them, schema by schema.

create schema read;
create schema access;
create schema anchoring;
create schema reactors;
create schema chain;
create schema rng;
create schema subjects;
create schema objects;
create schema compute;
create schema skills;
create schema gate;

-- read ---------------------------------------------------------------------------------------------------------------

-- How far a projection has folded the log, and which process folds it.
create table read.checkpoints (
  projection text primary key,
  position   bigint not null default 0,
  holder     uuid,
  token      bigint not null default 0,
  held_until timestamptz not null default '-infinity',
  -- Why the projection cannot fold; null while it can.
  trouble    text
);

-- The blocks whose transfers to an account are in read.transfers_v1.
create table read.transfers_followed_v1 (
  network    text not null,
  account    text not null,
  token      text not null,
  from_block bigint not null,
  to_block   bigint not null,
  to_hash    text not null,
  primary key (network, account, token)
);

create table read.transfers_v1 (
  network      text not null,
  account      text not null,
  token        text not null,
  block_number bigint not null,
  index        int not null,
  block_hash   text not null,
  transaction  text not null,
  sender       text not null,
  recipient    text not null,
  amount       numeric not null,
  primary key (network, account, token, block_number, index)
);

-- States of long streams, so that a process need not fold them from their first event. All rows may be deleted.
create table read.stream_snapshots (
  log_id       int4   not null,
  tenant       text   not null collate "C",
  stream_id    text   not null collate "C",
  -- The state is the one after the event of this version, whose hash covers all events before it.
  version      int8   not null,
  event_hash   bytea  not null,
  -- The entity that the stream belongs to, and the version of the fold that made the state.
  entity       text   not null,
  fold_version int4   not null,
  state        bytea  not null,
  -- Only a holder of the service's key can make the seal, so a state that somebody else wrote is ignored.
  seal         bytea  not null,
  primary key (log_id, tenant, stream_id)
);

-- access -------------------------------------------------------------------------------------------------------------

create table access.quota_usage (
  key_id     text primary key,
  day        text not null default '',
  day_used   int  not null default 0,
  month      text not null default '',
  month_used int  not null default 0
) with (fillfactor = 50);

-- Takes calls from the quotas of many keys at once. It locks rows in key order, so two processes never deadlock.
create function access.take_quota(
  keys text[], wanted int[], dailies int[], monthlies int[], today text, this_month text)
returns table (key_id text, granted int, day_used int, month_used int)
language plpgsql as $$
#variable_conflict use_column
begin
  insert into access.quota_usage (key_id) select k from unnest(keys) k order by k on conflict do nothing;
  return query
    with held as (
      select u.key_id,
             -- A window never goes back: processes whose clocks differ at midnight agree on the later day.
             greatest(u.day, today) as day, greatest(u.month, this_month) as month,
             case when u.day >= today then u.day_used else 0 end as day_used,
             case when u.month >= this_month then u.month_used else 0 end as month_used
        from access.quota_usage u where u.key_id = any(keys) order by u.key_id for update
    ), allowed as (
      select h.key_id, h.day, h.month, h.day_used, h.month_used,
             greatest(0, least(a.n, coalesce(a.daily - h.day_used, a.n), coalesce(a.monthly - h.month_used, a.n))) as n
        from held h
        join unnest(keys, wanted, dailies, monthlies) as a(key_id, n, daily, monthly) using (key_id)
    )
    update access.quota_usage u
       set day = a.day, month = a.month, day_used = a.day_used + a.n, month_used = a.month_used + a.n
      from allowed a where u.key_id = a.key_id
    returning u.key_id, a.n, u.day_used, u.month_used;
end $$;

-- Calls per address. The table is unlogged, because counts of minutes and days are not worth a write to disk.
create unlogged table access.address_calls (
  limit_name text not null,
  address    text not null,
  used       int not null default 0,
  ends_at_ms bigint not null,
  primary key (limit_name, address)
) with (fillfactor = 50);

-- Returns a row for each requested limit, in their order. most = null counts without a limit.
create function access.take_calls(
  limit_names text[], addresses text[], wanted int[], most int[], ends bigint[], at_ms bigint)
returns table (granted int, used int, ends_at_ms bigint)
language plpgsql as $$
#variable_conflict use_column
begin
  insert into access.address_calls (limit_name, address, ends_at_ms)
    select l, a, e from unnest(limit_names, addresses, ends) as asked(l, a, e) order by l, a
    on conflict do nothing;
  return query
    with asked as (
      select * from unnest(limit_names, addresses, wanted, most, ends)
        with ordinality as asked(limit_name, address, wanted, most, ends_at_ms, place)
    ), held as (
      select c.limit_name, c.address, asked.place, asked.wanted, asked.most,
             case when c.ends_at_ms > at_ms then c.used else 0 end as used,
             case when c.ends_at_ms > at_ms then c.ends_at_ms else asked.ends_at_ms end as ends_at_ms
        from access.address_calls c join asked using (limit_name, address)
       order by c.limit_name, c.address for update of c
    ), allowed as (
      select h.*,
             -- A tenth of the rest is taken in advance: little is lost if another process needs it.
             case when h.most is null then h.wanted
                  else greatest(0, least(greatest(h.wanted, (h.most - h.used) / 10), h.most - h.used)) end as n
        from held h
    ), counted as (
      update access.address_calls c set used = a.used + a.n, ends_at_ms = a.ends_at_ms
        from allowed a where c.limit_name = a.limit_name and c.address = a.address
      returning a.place, a.n, c.used, c.ends_at_ms
    )
    select counted.n, counted.used, counted.ends_at_ms from counted order by counted.place;
end $$;

-- Answers that a caller gets again by the same idempotency key or payment.
create table access.kept_answers (
  name           text primary key,
  request_sha256 text not null,
  status         int not null,
  body           bytea,
  payment_id     text,
  kept_at        timestamptz not null default now(),
  -- The subjects whose sealed data the answer contains; null if there are none.
  subjects       text[]
);
create index kept_answers_kept_at on access.kept_answers (kept_at);
create index kept_answers_subjects on access.kept_answers using gin (subjects) where subjects is not null;

-- Postgres stores samples of analysed columns, and a deleted answer would survive among them.
alter table access.kept_answers alter column body set statistics 0;

create table access.erased_subjects (
  subject_id text primary key,
  erased_at  timestamptz not null default clock_timestamp()
);

-- Stores an answer with data of subjects, unless one of them is erased. An erasure waits for answers that are being
-- stored and deletes them; an answer that comes after the erasure finds the subject erased.
create function access.keep_personal_answer(
  name text, request_sha256 text, status int, body bytea, payment_id text, subjects text[])
returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(1413565517, 30);
  if exists (select 1 from access.erased_subjects e where e.subject_id = any (keep_personal_answer.subjects)) then
    return false;
  end if;
  insert into access.kept_answers as k (name, request_sha256, status, body, payment_id, subjects)
    values (keep_personal_answer.name, keep_personal_answer.request_sha256, keep_personal_answer.status,
      keep_personal_answer.body, keep_personal_answer.payment_id, keep_personal_answer.subjects)
    on conflict on constraint kept_answers_pkey do update set request_sha256 = excluded.request_sha256,
      status = excluded.status, body = excluded.body, payment_id = excluded.payment_id, subjects = excluded.subjects,
      kept_at = now();
  return true;
end $$;

-- Deletes the stored answers with data of a subject, prevents new ones, and returns how many it deleted.
create function access.forget_subject(subject_id text) returns int language plpgsql as $$
declare forgotten int;
begin
  perform pg_advisory_xact_lock(1413565517, 30);
  insert into access.erased_subjects (subject_id) values (forget_subject.subject_id) on conflict do nothing;
  delete from access.kept_answers k where k.subjects && array[forget_subject.subject_id];
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;

-- Trust scores computed for a caller as of a position and day, so that no score is computed twice.
-- An insert deletes all rows but the newest thousand.
create table access.trust_exact (
  position      bigint not null,
  day           bigint not null,
  made          bigint generated always as identity,
  result_sha256 text not null,
  -- `<number> <score> <attested>`, one agent per line, in micro-points; agents with 0 in both are left out.
  scores        text not null,
  primary key (position, day)
);
create index trust_exact_made on access.trust_exact (made);

-- How often each key requested such a computation in a UTC day.
create table access.trust_exact_calls (
  key_id text not null,
  day    bigint not null,
  calls  int not null,
  primary key (key_id, day)
);

-- The block up to which the transfers to an account were compared with the payments of the log.
create table access.payments_looked_for (
  network      text not null,
  account      text not null,
  block_number bigint not null,
  primary key (network, account)
);

-- The running processes, each named by its run, so that another process can take over the work of a dead one.
create table access.processes (
  process    text primary key,
  holder     uuid,
  token      bigint not null default 0,
  held_until timestamptz not null default '-infinity'
);

-- The public keys with which each process signs, pays and draws: processes of one log must have the same keys.
create table access.process_keys (
  process text primary key,
  keys    jsonb not null
);

-- Records the keys of a process, unless a running process has others; returns the names of the keys that differ.
create function access.enter_keys(entering text, own jsonb) returns text[]
language plpgsql as $$
declare
  differing text[];
begin
  -- Of two processes that start at once, one sees the other. An advisory lock waits for no unrelated transaction.
  perform pg_advisory_xact_lock(1413565517, 56);
  delete from access.process_keys k where not exists (
    select from access.processes p where p.process = k.process and p.held_until > clock_timestamp());
  select coalesce(array_agg(distinct o.key), '{}') into differing
    from access.process_keys k, jsonb_each_text(own) o
    where k.process <> entering and k.keys ? o.key and k.keys ->> o.key <> o.value;
  if differing = '{}' then
    insert into access.process_keys values (entering, own) on conflict (process) do update set keys = excluded.keys;
  end if;
  return differing;
end $$;

-- When the service last requested the proof of each domain that an agent is linked to, and since when the domain has
-- not answered. A request is no event; its consequences are.
create table access.domains_asked (
  agent        text not null,
  domain       text not null,
  asked_at     timestamptz not null,
  silent_since timestamptz,
  primary key (agent, domain)
);

-- Tokens that all processes have requested of a model, by UTC day, because they share the day's budget.
create table access.model_tokens (
  day    date primary key,
  tokens bigint not null check (tokens >= 0)
);

-- anchoring ----------------------------------------------------------------------------------------------------------

-- Full tiles of the log's tree: 256 hashes of 32 bytes.
create table anchoring.tiles_v1 (
  log_id     int not null,
  level      int not null,
  tile_index int8 not null,
  hashes     bytea not null check (length(hashes) = 8192),
  root       bytea not null check (length(root) = 32),
  primary key (log_id, level, tile_index)
);

create table anchoring.proofs_v1 (
  log_id       int not null,
  size         int8 not null,
  transaction  text not null,
  block_number int8 not null,
  block_hash   text not null,
  evidence     text not null,
  primary key (log_id, size, transaction, block_hash)
);

-- reactors -----------------------------------------------------------------------------------------------------------

-- Which process runs a reactor, and the result of its last runs, for all processes to read.
create table reactors.leases (
  reactor    text primary key,
  holder     uuid,
  token      bigint not null default 0,
  held_until timestamptz not null default '-infinity',
  -- 'done', or the name of a failure that lasts since `since`.
  status     text not null default 'done',
  reason     text,
  since      timestamptz not null default clock_timestamp(),
  good_at    timestamptz
);

-- chain --------------------------------------------------------------------------------------------------------------

-- The cost of each transaction that the service sends. It is recorded before it is sent, with the most that it may cost.
create table chain.gas (
  network     text not null,
  transaction text not null,
  -- The UTC day of its signature, YYYY-MM-DD.
  day         text not null,
  purpose     text not null,
  -- Null until the transaction is known to be mined or replaced; of several with one nonce, one at most is mined.
  fee_wei     numeric,
  sender      text,
  nonce       bigint,
  most_wei    numeric,
  primary key (network, transaction)
);
create index gas_day on chain.gas (network, day);
create index gas_open on chain.gas (network) where fee_wei is null;
create index gas_nonce on chain.gas (network, sender, nonce);

-- The next nonce of each gas key, so that processes that share a key send at the same time with different nonces.
create table chain.nonces (
  network    text not null,
  sender     text not null,
  next_nonce bigint not null,
  -- When the nonce before it was taken.
  taken_at   timestamptz not null,
  -- The highest nonce ever taken, and when; it remains when a lower one is next again.
  highest    bigint not null,
  highest_at timestamptz not null,
  primary key (network, sender)
);

-- Takes the first free nonce. `known`: the first nonce that the chain has not seen.
create function chain.take_nonce(of_network text, of_sender text, known bigint) returns bigint
language plpgsql as $$
declare
  was chain.nonces;
  taken bigint;
begin
  insert into chain.nonces values (of_network, of_sender, known, clock_timestamp(), -1, '-infinity')
    on conflict do nothing;
  select * into strict was from chain.nonces where network = of_network and sender = of_sender for update;
  -- Pools drop within hours what cannot be mined. Until then a dead process's transaction may follow a lower nonce.
  taken := case when was.taken_at < clock_timestamp() - interval '1 day' then known
                else greatest(was.next_nonce, known) end;
  update chain.nonces set next_nonce = taken + 1, taken_at = clock_timestamp()
   where network = of_network and sender = of_sender;
  if taken >= was.highest or was.highest_at < clock_timestamp() - interval '1 day' then
    update chain.nonces set highest = taken, highest_at = clock_timestamp()
     where network = of_network and sender = of_sender;
  end if;
  return taken;
end $$;

-- Whether payments of a payer, or of contracts with the same code, settled or failed on chain. A failed payment costs
-- gas, so the service does not send the next one.
create table chain.payer_history (
  network    text not null,
  -- An address, or `code:` and the SHA-256 of a contract's code.
  name       text not null,
  -- When a payment of this contract wallet settled.
  carried_at timestamptz,
  failed_at  timestamptz,
  -- True if a contract failed, which never expires.
  is_code    boolean not null default false,
  noted_at   timestamptz not null default clock_timestamp(),
  primary key (network, name)
);
create index payer_history_noted on chain.payer_history (network, noted_at);

-- rng ----------------------------------------------------------------------------------------------------------------

-- How many numbers each seed has given, counted before the draw is recorded, so that all processes together never
-- exceed the announced limit. Without a row, the read model has the count.
create table rng.seed_uses (
  seed_hash text primary key,
  taken     bigint not null,
  -- When the seed closed: it was used up, or a request did not fit.
  closed_at timestamptz
) with (fillfactor = 50);

-- Returns for each request, in their order, whether it was granted; nothing if rng.seed_uses has no row of the seed.
create function rng.take_uses(seed text, wanted int[], most bigint) returns table (granted boolean)
language plpgsql as $$
declare
  uses rng.seed_uses;
  n int;
begin
  -- The draw is recorded later in the same write-ahead log and waits for the disk, so it cannot outlive this count.
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

-- subjects -----------------------------------------------------------------------------------------------------------

-- The vault with the keys of this log's personal data, so that another or an empty vault is refused.
create table subjects.vault (
  is_only  boolean primary key default true check (is_only),
  vault_id text not null
);

-- objects ------------------------------------------------------------------------------------------------------------

-- Bytes that are not events, such as uploads and workers' results. The log has their digest; the bytes may be deleted.
create table objects.small (
  -- <area>/<owner's id>/<SHA-256 in hex>: two owners share no object, so an owner's objects can be deleted.
  name       text primary key collate "C",
  bytes      bytea not null,
  keep_until timestamptz not null
);
create index small_due on objects.small (keep_until);

-- Objects above a megabyte, whose bytes are in a folder or in S3.
create table objects.large (
  name       text primary key collate "C",
  bytes      bigint not null check (bytes >= 0),
  keep_until timestamptz not null
);
create index large_due on objects.large (keep_until);

-- compute ------------------------------------------------------------------------------------------------------------

-- The last heartbeat of each node. A heartbeat is no event; the consequences of silence are.
create table compute.nodes_heard (
  sx        bigint primary key,
  heard_at  timestamptz not null,
  -- The heartbeats of a node since the window began, which are limited.
  window_at timestamptz not null,
  beats     int not null
);

create table compute.leases_heard (
  lease_sha256 text primary key,
  heard_at     timestamptz not null
);

-- skills -------------------------------------------------------------------------------------------------------------

-- Executions that are about to be requested, until the list of executions has them. They limit how many executions of
-- a tenant wait at once, over all processes.
create table skills.places (
  execution_id text primary key,
  tenant       text not null,
  taken_at     timestamptz not null
);
create index places_of on skills.places (tenant);

-- Reserves places, and returns false if there is no room. `known`: the table of the list of executions.
create function skills.take_places(whose text, wanted text[], most int, known regclass) returns boolean
language plpgsql as $$
declare
  waiting int;
begin
  -- If the server crashes, a lost row admits one execution too many, once.
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('skills.places ' || whose, 0));
  -- Remove places of listed executions, and of processes that died before they requested one.
  execute format('delete from skills.places p where tenant = $1
      and (taken_at < clock_timestamp() - interval ''10 minutes''
           or exists (select from %s e where e.execution_id = p.execution_id))', known)
    using whose;
  execute format('select count(*) from (
      select execution_id from %s where tenant = $1 and status in (''requested'', ''running'')
      union select execution_id from skills.places where tenant = $1) w where execution_id <> all($2)', known)
    into waiting using whose, wanted;
  if waiting + cardinality(wanted) > most then return false; end if;
  insert into skills.places select id, whose, clock_timestamp() from unnest(wanted) id on conflict do nothing;
  return true;
end $$;

-- gate ---------------------------------------------------------------------------------------------------------------

-- Tree heads that prove another history of this log: our account anchored them, or our key signed them. Every process
-- compares the log with them, and stops appends until the log continues them.
create table gate.proven_heads_v1 (
  origin  text not null,
  size    bigint not null,
  root    text not null,
  -- Who presented the head, in words.
  source  text not null,
  -- The signed note; null if the chain is the evidence.
  note    text,
  seen_at timestamptz not null default clock_timestamp(),
  primary key (origin, size, root)
);

-- How far this round has compared a log's rows with their hashes, and the first row that differs.
create table gate.checked_rows_v1 (
  log_id         int primary key,
  position       bigint not null,
  fault_position bigint,
  fault          text
);
