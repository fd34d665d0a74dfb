-- How often the stage at hand ran for longer than MOSSHEAD_STAGE_SECONDS. The process is killed then, so that only a row can count.
alter table mosshead.batches add column overruns smallint not null default 0;
