-- The vault of personal data: the keys of the subjects, in a database of its own.

-- The name of this vault, and the log whose keys it has. pepper_check shows whether the configured pepper is right.
create table subject_keys.vault (
  is_only      boolean primary key default true check (is_only),
  vault_id     text not null,
  origin       text not null,
  pepper_check bytea not null
);

-- The master keys that wrap the subjects' keys: one, or two during a rotation.
create table subject_keys.master_keys (
  master_key_id text primary key
);

-- A key for each subject. The only trace of the person is the keyed hash of tenant, kind and name that finds the row.
create table subject_keys.subjects (
  subject_id    text primary key,
  lookup        bytea not null unique check (length(lookup) = 32),
  master_key_id text not null references subject_keys.master_keys,
  -- 12 bytes of nonce, 32 of the wrapped key, 16 of its tag.
  wrapped_key   bytea not null check (length(wrapped_key) = 60),
  -- When the key was last given out to seal with, to ten minutes; null once the log has an event sealed with it.
  given_at      timestamptz default clock_timestamp()
);
create index subjects_given on subject_keys.subjects (given_at) where given_at is not null;

-- Postgres stores samples of analysed columns, and a destroyed key would survive among them.
alter table subject_keys.subjects
  alter column subject_id set statistics 0,
  alter column lookup set statistics 0,
  alter column wrapped_key set statistics 0;
