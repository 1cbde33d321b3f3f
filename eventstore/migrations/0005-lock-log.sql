-- One appender at a time in a log, until its transaction ends: so positions become visible in their order.
-- A snapshot older than the lock would show an old tail, hence READ COMMITTED only.
create function eventstore.lock_log(p_log_id int) returns void
language plpgsql volatile
as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'events are appended in read committed transactions only'
      using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(1413565517, p_log_id);
end $$;
