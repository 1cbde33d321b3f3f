-- The first position recorded at or after a time; one past the head when there is none.
-- Positions have no gaps and their times never go back, so halving finds it without an index on time.
create function eventstore.position_at(p_log_id int, p_since_us int8) returns int8
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  v_low  int8 := 1;
  v_high int8 := 1 + coalesce(
    (select e.position from eventstore.events e where e.log_id = p_log_id order by e.position desc limit 1), 0);
  v_middle int8;
begin
  while v_low < v_high loop
    v_middle := (v_low + v_high) / 2;
    if (select e.recorded_at_us from eventstore.events e where e.log_id = p_log_id and e.position = v_middle) < p_since_us
    then v_low := v_middle + 1;
    else v_high := v_middle;
    end if;
  end loop;
  return v_low;
end $$;
