drop view recollect_read_v1.models;
create view recollect_read_v1.models as
select model, dimensions, active from recollect.models;
grant select on recollect_read_v1.models to recollect_reader, recollect_worker;

alter table recollect.models drop constraint models_active_is_ready, drop column ready;
alter table recollect.workers drop column model;
