drop index mosshead.messages_of_conversation;
do $$
declare
    name text;
begin
    foreach name in array array['messages', 'turns', 'memories', 'embeddings', 'memory_entities', 'memory_sources', 'memory_edges',
                                'traits', 'vocabulary', 'entities', 'entity_aliases', 'relations', 'profiles', 'conversations']
    loop
        execute format('alter table mosshead.%I alter column namespace_id reset (n_distinct), alter column tenant_id reset (n_distinct)', name);
        execute format('drop statistics mosshead.%I', name || '_scope');
        execute format('analyze mosshead.%I', name);
    end loop;
end
$$;
