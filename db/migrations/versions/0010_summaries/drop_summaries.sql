-- What is still to be summed up is an event, and a reflection, that the version before does not know.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        update mosshead.events set state = 'dead', reason = 'undone with the migration'
        where tenant_id = one and state = 'received' and type = 'summarise';
        insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', reason from mosshead.events
        where tenant_id = one and state = 'dead' and type = 'summarise' on conflict do nothing;
        update mosshead.lanes as lane set pending = (
            select count(*) from mosshead.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
        delete from mosshead.reflection_batches where tenant_id = one and kind = 'summary';
        delete from mosshead.reflections where tenant_id = one and kind = 'summary';
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;

drop view mosshead_read_v1.summaries;
drop table mosshead.summaries;
