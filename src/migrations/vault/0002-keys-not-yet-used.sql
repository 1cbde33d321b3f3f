-- When a key was last given out to seal by, to ten minutes; null once something is recorded under it. All begin as not yet used, those that
-- are there too: what is recorded under a key is looked up in the log.
alter table subject_keys.subjects add column given_at timestamptz default clock_timestamp();
create index subjects_given on subject_keys.subjects (given_at) where given_at is not null;
