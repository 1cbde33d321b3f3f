-- Grants keep the application from changing what was written; these triggers keep the owner from doing it by accident.
create function eventstore.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception '% on eventstore.% is refused: the log is append-only', tg_op, tg_table_name
    using errcode = 'restrict_violation', hint = 'Append a compensating event instead.';
end $$;

create trigger append_only before update or delete or truncate on eventstore.events
  for each statement execute function eventstore.refuse_change();

create trigger append_only before update or delete or truncate on eventstore.logs
  for each statement execute function eventstore.refuse_change();
