revoke all on all functions in schema recollect, recollect_write_v1 from public;
grant execute on function recollect_write_v1.refuse to recollect_ingest;
grant execute on function recollect.current_tenant to recollect_worker, recollect_admin, recollect_reader;
grant execute on function recollect.move_watermark to recollect_worker, recollect_admin;
grant select, insert, update, delete on recollect.dead_letters, recollect.refused, recollect.breakers, recollect.workers
    to recollect_worker, recollect_admin;
grant select on recollect.dead_letters, recollect.refused, recollect.breakers, recollect.workers to recollect_backup;
-- For the dead letters that the intake refused: an operator's command publishes one and deletes its letter in one transaction.
grant usage on schema recollect_write_v1 to recollect_worker, recollect_admin;
grant execute on function recollect_write_v1.publish to recollect_worker, recollect_admin;
