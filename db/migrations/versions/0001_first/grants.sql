-- Functions are executable by everyone unless this is taken away.
revoke all on all functions in schema recollect, recollect_write_v1 from public;

grant usage on schema recollect_write_v1 to recollect_ingest;
grant execute on function recollect_write_v1.publish to recollect_ingest;

grant usage on schema recollect_read_v1 to recollect_reader, recollect_worker;
grant select on all tables in schema recollect_read_v1 to recollect_reader, recollect_worker;

grant usage on schema recollect to recollect_worker, recollect_admin, recollect_backup;
grant execute on function recollect.current_tenant to recollect_worker, recollect_admin, recollect_reader;
grant select, insert, update, delete on all tables in schema recollect to recollect_worker, recollect_admin;
grant select on all tables in schema recollect to recollect_backup;
revoke all on recollect.alembic_version from recollect_worker, recollect_admin, recollect_backup;
