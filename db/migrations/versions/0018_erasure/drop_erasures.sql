-- What waits to be erased is an event that the version before does not know: an operator has to see it.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        update mosshead.events set state = 'dead', reason = 'undone with the migration'
        where tenant_id = one and state = 'received' and type = 'erase';
        insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', reason from mosshead.events
        where tenant_id = one and state = 'dead' and type = 'erase' on conflict do nothing;
        update mosshead.lanes as lane set pending = (
            select count(*) from mosshead.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
        delete from mosshead.decisions where tenant_id = one and action = 'erase';
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;

drop trigger erasures_are_due on mosshead.events;
drop trigger erased_stay_out on mosshead.events;
drop function mosshead.have_erased, mosshead.keep_out_erased, mosshead.settle_watermarks, mosshead.precedes, mosshead.made_at;
create or replace function mosshead.open_lane(tenant uuid, namespace uuid, path text[]) returns void
    language plpgsql
as $$
begin
    insert into mosshead.tenants (tenant_id, name) values (tenant, path[1]) on conflict do nothing;
    insert into mosshead.namespaces (tenant_id, namespace_id, path) values (tenant, namespace, path) on conflict do nothing;
    insert into mosshead.lanes (tenant_id, namespace_id) values (tenant, namespace) on conflict do nothing;
    perform from mosshead.lanes where tenant_id = tenant and namespace_id = namespace for update;
end
$$;
alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'refuse', 'undo', 'clarify', 'merge', 'split', 'forget',
         'document', 'set_prompt', 'roll_back_prompt', 'optimize_prompt'));
revoke all on function mosshead.derived_id from mosshead_worker, mosshead_admin;
alter table mosshead.lanes drop column erase_due_at;
drop view mosshead_read_v1.erasures;
drop table mosshead.erasures;
