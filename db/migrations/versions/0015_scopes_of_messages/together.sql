drop trigger scopes_after_insert on mosshead.turns;
drop trigger scopes_after_delete on mosshead.turns;
drop function mosshead.count_turns;

-- A context of the fourteenth version counts on all indexes where it counts on any; `python -m workers index` makes what lacks.
update mosshead.scopes set indexed = false where indexed and not turns_indexed;
drop view mosshead_read_v1.scopes;
alter table mosshead.scopes drop column turns, drop column turns_indexed;
create view mosshead_read_v1.scopes with (security_barrier) as
select tenant_id, namespace_id, model, indexed, memories from mosshead.scopes where tenant_id = mosshead.current_tenant();
grant select on mosshead_read_v1.scopes to mosshead_reader, mosshead_worker;
