-- Which vault this is, and the log whose personal data it has the keys of. The check tells whether the pepper is the right one.
create table subject_keys.vault (
  is_only      boolean primary key default true check (is_only),
  vault_id     text not null,
  origin       text not null,
  pepper_check bytea not null
);

-- The master keys that keys are wrapped by: one, and two while they are being rewrapped.
create table subject_keys.master_keys (
  master_key_id text primary key
);

-- A key for each subject: 12 bytes of nonce, 32 of the wrapped key, 16 of its tag. Of whom it is, nothing says but the keyed hash
-- of tenant, kind and name that it is found by.
create table subject_keys.subjects (
  subject_id    text primary key,
  lookup        bytea not null unique check (length(lookup) = 32),
  master_key_id text not null references subject_keys.master_keys,
  wrapped_key   bytea not null check (length(wrapped_key) = 60)
);
