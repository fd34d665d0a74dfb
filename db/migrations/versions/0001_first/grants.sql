-- Functions are executable by everyone unless this is taken away.
revoke all on all functions in schema mosshead, mosshead_write_v1 from public;

grant usage on schema mosshead_write_v1 to mosshead_ingest;
grant execute on function mosshead_write_v1.publish to mosshead_ingest;

grant usage on schema mosshead_read_v1 to mosshead_reader, mosshead_worker;
grant select on all tables in schema mosshead_read_v1 to mosshead_reader, mosshead_worker;

grant usage on schema mosshead to mosshead_worker, mosshead_admin, mosshead_backup;
grant execute on function mosshead.current_tenant to mosshead_worker, mosshead_admin, mosshead_reader;
grant select, insert, update, delete on all tables in schema mosshead to mosshead_worker, mosshead_admin;
grant select on all tables in schema mosshead to mosshead_backup;
revoke all on mosshead.alembic_version from mosshead_worker, mosshead_admin, mosshead_backup;
