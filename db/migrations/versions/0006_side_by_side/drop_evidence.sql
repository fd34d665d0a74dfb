drop view recollect_read_v1.traits;
drop index recollect.traits_side_by_side, recollect.traits_at_large;
alter table recollect.traits drop column compact;
alter table recollect.traits reset (autovacuum_vacuum_insert_scale_factor);
create view recollect_read_v1.traits as
select tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words from recollect.traits;
