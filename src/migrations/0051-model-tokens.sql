-- Tokens that a model was asked for, by UTC day: the day's budget is one for all processes.
create table access.model_tokens (
  day    date primary key,
  tokens bigint not null check (tokens >= 0)
);
