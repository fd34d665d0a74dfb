grant usage on schema recollect_read_v1 to recollect_reader, recollect_worker;
grant select on all tables in schema recollect_read_v1 to recollect_reader, recollect_worker;
