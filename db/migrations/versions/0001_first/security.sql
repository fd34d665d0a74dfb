-- A row is seen and written only in a transaction that named its tenant with set_config('mosshead.tenant_id', …, true).
-- After the transaction the setting is '' and not null, hence nullif. Forced, so that the owner of the tables is bound too.
-- lanes, batches, publishers and models hold ids and times only, and have no policy: the sweeper works across tenants, and
-- under a policy it would find no rows and no error.
create function mosshead.current_tenant() returns uuid
    language sql stable parallel safe
    return nullif(current_setting('mosshead.tenant_id', true), '')::uuid;

do $$
declare
    content_table text;
begin
    foreach content_table in array array[
        'tenants', 'namespaces', 'events', 'candidate_facts', 'step_results', 'conversations', 'messages', 'memories',
        'memory_sources', 'embeddings', 'decisions', 'entities', 'entity_aliases', 'memory_entities', 'relations', 'profiles',
        'conversation_entities', 'documents', 'questions', 'tombstones', 'usage'
    ]
    loop
        execute format('alter table mosshead.%I enable row level security', content_table);
        execute format('alter table mosshead.%I force row level security', content_table);
        execute format(
            'create policy of_tenant on mosshead.%I using (tenant_id = mosshead.current_tenant())', content_table);
    end loop;
end
$$;
