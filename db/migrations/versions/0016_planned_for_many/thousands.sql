-- How many rows Postgres expects of a namespace and of a tenant, when it plans for all of them at once ------------------------------
--
-- By itself it expects the average, and takes tenants and namespaces for independent, so that among many tenants it expects one row. For one
-- row a scan of the namespace is as good as a look-up by a key, and is what it takes: of a large namespace for each of its rows.
-- A negative n_distinct is a share of the table's rows: 1/5000 of them are namespaces, of 5,000 rows each, whatever there is. The
-- statistics tell that a namespace has one tenant. Both count from the next ANALYZE on.
do $$
declare
    name text;
    rows integer;
begin
    for name, rows in
        values ('messages', 5000), ('turns', 5000), ('memories', 5000), ('embeddings', 5000), ('memory_entities', 5000),
               ('memory_sources', 5000), ('memory_edges', 5000), ('traits', 5000), ('vocabulary', 5000),
               ('entities', 1000), ('entity_aliases', 1000), ('relations', 1000), ('profiles', 1000), ('conversations', 1000)
    loop
        execute format('alter table mosshead.%I alter column namespace_id set (n_distinct = %s), alter column tenant_id set (n_distinct = %s)',
                       name, -1.0 / rows, -0.5 / rows);
        execute format('create statistics mosshead.%I (dependencies) on tenant_id, namespace_id from mosshead.%I', name || '_scope', name);
        execute format('analyze mosshead.%I', name);
    end loop;
end
$$;

-- A conversation that is new has no latest messages, which was seen only when all messages of the namespace had been read.
create index messages_of_conversation on mosshead.messages (tenant_id, namespace_id, conversation_id, occurred_at, message_id);
