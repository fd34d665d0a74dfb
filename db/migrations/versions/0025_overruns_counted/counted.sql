-- How often the stage at hand ran for longer than RECOLLECT_STAGE_SECONDS. The process is killed then, so that only a row can count.
alter table recollect.batches add column overruns smallint not null default 0;
