grant usage on schema mosshead_read_v1 to mosshead_reader, mosshead_worker;
grant select on all tables in schema mosshead_read_v1 to mosshead_reader, mosshead_worker;
