drop view mosshead_read_v1.models;
create view mosshead_read_v1.models as
select model, dimensions, active from mosshead.models;
grant select on mosshead_read_v1.models to mosshead_reader, mosshead_worker;

alter table mosshead.models drop constraint models_active_is_ready, drop column ready;
alter table mosshead.workers drop column model;
