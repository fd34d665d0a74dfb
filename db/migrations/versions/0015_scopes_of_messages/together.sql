drop trigger scopes_after_insert on recollect.turns;
drop trigger scopes_after_delete on recollect.turns;
drop function recollect.count_turns;

-- A context of the fourteenth version counts on all indexes where it counts on any; `python -m workers index` makes what lacks.
update recollect.scopes set indexed = false where indexed and not turns_indexed;
drop view recollect_read_v1.scopes;
alter table recollect.scopes drop column turns, drop column turns_indexed;
create view recollect_read_v1.scopes with (security_barrier) as
select tenant_id, namespace_id, model, indexed, memories from recollect.scopes where tenant_id = recollect.current_tenant();
grant select on recollect_read_v1.scopes to recollect_reader, recollect_worker;
