drop view mosshead_read_v1.traits;
drop index mosshead.traits_side_by_side, mosshead.traits_at_large;
alter table mosshead.traits drop column compact;
alter table mosshead.traits reset (autovacuum_vacuum_insert_scale_factor);
create view mosshead_read_v1.traits as
select tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words from mosshead.traits;
