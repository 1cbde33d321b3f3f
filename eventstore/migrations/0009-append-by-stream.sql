-- The last version of a stream is found by the index that is in that order. Before the first ANALYZE the planner may prefer the
-- tenant's index and sort what it finds, which reads all events of the tenant for every append.
alter function eventstore.append set enable_sort = off;
alter function eventstore.append_one set enable_sort = off;
