revoke all on all functions in schema mosshead, mosshead_write_v1 from public;
grant execute on function mosshead_write_v1.refuse to mosshead_ingest;
grant execute on function mosshead.current_tenant to mosshead_worker, mosshead_admin, mosshead_reader;
grant execute on function mosshead.move_watermark to mosshead_worker, mosshead_admin;
grant select, insert, update, delete on mosshead.dead_letters, mosshead.refused, mosshead.breakers, mosshead.workers
    to mosshead_worker, mosshead_admin;
grant select on mosshead.dead_letters, mosshead.refused, mosshead.breakers, mosshead.workers to mosshead_backup;
-- For the dead letters that the intake refused: an operator's command publishes one and deletes its letter in one transaction.
grant usage on schema mosshead_write_v1 to mosshead_worker, mosshead_admin;
grant execute on function mosshead_write_v1.publish to mosshead_worker, mosshead_admin;
