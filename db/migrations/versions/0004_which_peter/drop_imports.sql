-- What was brought stays; what is still to be brought is an event that the third version does not know.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        update mosshead.events set state = 'dead', reason = 'undone with the migration'
        where tenant_id = one and state = 'received' and type = 'import';
        insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', reason from mosshead.events
        where tenant_id = one and state = 'dead' and type = 'import' on conflict do nothing;
        update mosshead.lanes as lane set pending = (
            select count(*) from mosshead.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;

alter table mosshead.entities drop column key;
alter table mosshead.memories drop column key;
