drop view mosshead_read_v1.documents, mosshead_read_v1.documents_over_time;

-- What the seventh version cannot hold: earlier versions, decisions about documents, and edits that wait.
do $$
declare
    one uuid;
begin
    for one in select distinct tenant_id from mosshead.lanes loop
        perform set_config('mosshead.tenant_id', one::text, true);
        delete from mosshead.documents where tenant_id = one and known_to is not null;
        delete from mosshead.decisions
            where tenant_id = one and (action = 'document' or action = 'undo' and target_id is not null);
        update mosshead.events set state = 'dead', reason = 'undone with the migration'
        where tenant_id = one and state = 'received' and type = 'edit_document';
        insert into mosshead.dead_letters (tenant_id, namespace_id, letter_id, origin, reason)
        select tenant_id, namespace_id, event_id, 'stage', reason from mosshead.events
        where tenant_id = one and state = 'dead' and type = 'edit_document' on conflict do nothing;
        update mosshead.lanes as lane set pending = (
            select count(*) from mosshead.events
            where events.tenant_id = one and events.namespace_id = lane.namespace_id and events.state = 'received')
        where lane.tenant_id = one;
    end loop;
    perform set_config('mosshead.tenant_id', '', true);
end
$$;

drop index mosshead.decisions_of_documents;
alter table mosshead.decisions
    drop constraint decisions_action_check,
    add constraint decisions_action_check check (action in
        ('add', 'update', 'supersede', 'contradict', 'none', 'quarantine', 'undo', 'clarify', 'merge', 'split', 'forget'));
alter table mosshead.namespaces drop column profiles, drop column episodes;
drop index mosshead.documents_now;
alter table mosshead.documents
    drop column fields, drop column known_to, drop column made_by, drop column ended_by,
    drop constraint documents_pkey,
    add primary key (tenant_id, namespace_id, document_id),
    alter column known_from set default now();
alter table mosshead.documents rename column known_from to updated_at;

create view mosshead_read_v1.documents as
select tenant_id, namespace_id, document_id, schema_name, body, version, updated_at from mosshead.documents;
