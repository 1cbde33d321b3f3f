-- Postgres keeps samples of what it analyses, and a key that was destroyed would stay among them. Changing the types drops those it has.
alter table subject_keys.subjects
  alter column subject_id type text,
  alter column lookup type bytea,
  alter column wrapped_key type bytea;
alter table subject_keys.subjects
  alter column subject_id set statistics 0,
  alter column lookup set statistics 0,
  alter column wrapped_key set statistics 0;
