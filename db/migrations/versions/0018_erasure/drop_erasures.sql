-- What waits to be erased is an event that the version before does not know: an operator has to see it.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from recollect.lanes loop
        perform set_config('recollect.tenant_id', one::text, true);
        update recollect.events set state = 'dead', reason = 'undone with the migration'
        where tenant_id = one and state = 'received' and type = 'erase';
        insert into recollect.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', reason from recollect.events
        where tenant_id = one and state = 'dead' and type = 'erase' on conflict do nothing;
        update recollect.lanes as lane set pending = (
            select count(*) from recollect.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
        delete from recollect.decisions where tenant_id = one and action = 'erase';
    end loop;
    perform set_config('recollect.tenant_id', '', true);
end
$$;

drop trigger erasures_are_due on recollect.events;
drop trigger erased_stay_out on recollect.events;
drop function recollect.have_erased, recollect.keep_out_erased, recollect.settle_watermarks, recollect.precedes, recollect.made_at;
create or replace function recollect.open_lane(tenant uuid, namespace uuid, path text[]) returns void
    language plpgsql
as $$
begin
    insert into recollect.tenants (tenant_id, name) values (tenant, path[1]) on conflict do nothing;
    insert into recollect.namespaces (tenant_id, namespace_id, path) values (tenant, namespace, path) on conflict do nothing;
    insert into recollect.lanes (tenant_id, namespace_id) values (tenant, namespace) on conflict do nothing;
    perform from recollect.lanes where tenant_id = tenant and namespace_id = namespace for update;
end
$$;
alter table recollect.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'refuse', 'undo', 'clarify', 'merge', 'split', 'forget',
         'document', 'set_prompt', 'roll_back_prompt', 'optimize_prompt'));
revoke all on function recollect.derived_id from recollect_worker, recollect_admin;
alter table recollect.lanes drop column erase_due_at;
drop view recollect_read_v1.erasures;
drop table recollect.erasures;
