-- Statistics: what Postgres may gather of the rows, and what it expects of a namespace.
--
-- Plans for tables without statistics join every row of a namespace with every other. A fresh namespace is small and grows at once, so
-- the tables that grow with it are analyzed early and often: their autovacuum_analyze_* stand in their definitions.

-- ANALYZE gathers from all tenants' rows together. Nobody may read the result, but whoever may EXPLAIN sees what Postgres expects: how
-- many rows hold a word, and how many come before a text, which spells the texts out step by step. So it gathers nothing of what people
-- said, and how they name things; and nothing that was erased stays there. Before Postgres 18 there is no way to give the numbers of
-- distinct values that look-ups then need.
do $$
declare
    one record;
begin
    if current_setting('server_version_num')::integer < 180000 then
        return;
    end if;

    for one in select * from (values
        ('api_tokens', array['prefix', 'scopes', 'name']),
        ('candidate_facts', array['fact']),
        ('candidate_turns', array['words']),
        ('decisions', array['fact', 'candidates', 'reason']),
        ('documents', array['body', 'fields']),
        ('embeddings', array['words']),
        ('entities', array['name', 'description', 'tags', 'search']),
        ('entity_aliases', array['alias', 'normalised', 'first_word', 'last_word', 'initials']),
        ('events', array['payload']),
        ('examples', array['mention', 'text']),
        ('expansions', array['phrases', 'search', 'made_of']),
        ('memories', array['content', 'value', 'said_by', 'record', 'search']),
        ('memory_sources', array['quote']),
        ('messages', array['speaker', 'content', 'metadata']),
        ('namespaces', array['path', 'instructions', 'schemas', 'profiles']),
        ('profiles', array['summary']),
        ('prompt_feedback', array['messages', 'comment']),
        ('prompts', array['template', 'instructions', 'when_to_update', 'reason']),
        ('questions', array['text', 'mention', 'relations']),
        ('refused', array['body']),
        ('step_results', array['result']),
        ('summaries', array['content']),
        ('tenants', array['name']),
        ('traits', array['words', 'expansion']),
        ('turns', array['speaker', 'words']),
        ('vocabulary', array['lexeme'])
    ) as silent (relation, named), unnest(named) as columns (attribute)
    loop
        execute format('alter table mosshead.%I alter column %I set statistics 0', one.relation, one.attribute);
    end loop;

    -- Columns of look-ups: how many distinct values there are, and none of them. Without it Postgres expects 200.
    for one in select * from (values
        ('entity_aliases', 'normalised'), ('entity_aliases', 'first_word'), ('entity_aliases', 'last_word'),
        ('entity_aliases', 'initials'), ('vocabulary', 'lexeme')
    ) as looked_up (relation, attribute)
    loop
        perform pg_restore_attribute_stats(
            'schemaname', 'mosshead', 'relname', one.relation, 'attname', one.attribute, 'inherited', false,
            'null_frac', 0::real, 'avg_width', 10, 'n_distinct', -0.5::real);
    end loop;
end
$$;

-- How many rows Postgres expects of a namespace and of a tenant, when it plans for all of them at once. By itself it expects the average,
-- and takes tenants and namespaces for independent, so that among many tenants it expects one row. For one row a scan of the namespace
-- is as good as a look-up by a key, and it then scans a large namespace for each of its rows.
-- A negative n_distinct is a share of the table's rows: 1/5000 of them are namespaces, of 5,000 rows each, whatever there is. The
-- statistics tell that a namespace has one tenant. Both count from the next ANALYZE on.
do $$
declare
    name text;
    rows integer;
begin
    for name, rows in
        values ('messages', 5000), ('turns', 5000), ('memories', 5000), ('expansions', 5000), ('embeddings', 5000), ('memory_entities', 5000),
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
