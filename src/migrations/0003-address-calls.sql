-- Calls of addresses. Unlogged: counts of minutes and days are not worth the disk's time, and a crash forgives them.
create unlogged table access.address_calls (
  limit_name text not null,
  address    text not null,
  used       int not null default 0,
  ends_at_ms bigint not null,
  primary key (limit_name, address)
) with (fillfactor = 50);

-- A row each for the limits asked, in their order. most = null counts without refusing.
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
             -- A tenth of what is left is taken ahead: little is lost where another process needs it.
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
