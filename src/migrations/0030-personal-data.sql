-- The vault that personal data of this log is sealed by, once there is one: another, or an empty one, must not pass for it.
create schema subjects;
create table subjects.vault (
  is_only  boolean primary key default true check (is_only),
  vault_id text not null
);

-- Of whom a kept answer tells something that stands sealed in the log; null of nobody.
alter table access.kept_answers add column subjects text[];
create index kept_answers_subjects on access.kept_answers using gin (subjects) where subjects is not null;

create table access.erased_subjects (
  subject_id text primary key,
  erased_at  timestamptz not null default clock_timestamp()
);

-- Keeps an answer that tells of subjects, unless one of them is erased by now. Whoever erases waits for what is being kept, and
-- finds it; whoever keeps after that finds who is erased.
create function access.keep_personal_answer(name text, request_sha256 text, status int, body bytea, payment_id text, subjects text[])
returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(1413565517, 30);
  if exists (select 1 from access.erased_subjects e where e.subject_id = any (keep_personal_answer.subjects)) then
    return false;
  end if;
  insert into access.kept_answers as k (name, request_sha256, status, body, payment_id, subjects)
    values (keep_personal_answer.name, keep_personal_answer.request_sha256, keep_personal_answer.status, keep_personal_answer.body,
      keep_personal_answer.payment_id, keep_personal_answer.subjects)
    on conflict on constraint kept_answers_pkey do update set request_sha256 = excluded.request_sha256, status = excluded.status,
      body = excluded.body, payment_id = excluded.payment_id, subjects = excluded.subjects, kept_at = now();
  return true;
end $$;

-- Deletes the kept answers that tell of a subject, and lets none be kept from then on; says how many there were.
create function access.forget_subject(subject_id text) returns int language plpgsql as $$
declare forgotten int;
begin
  perform pg_advisory_xact_lock(1413565517, 30);
  insert into access.erased_subjects (subject_id) values (forget_subject.subject_id) on conflict do nothing;
  delete from access.kept_answers k where k.subjects && array[forget_subject.subject_id];
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
