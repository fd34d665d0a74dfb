-- What ANALYZE gathers is of all tenants' rows together. Nobody may read it, but whoever may EXPLAIN sees what Postgres expects: how many
-- rows hold a word, and how many come before a text, which spells the texts out step by step. So of what people said, and how they name
-- things, it gathers nothing; what is erased is not left there either.
do $$
declare
    one record;
begin
    -- Before 18 what was gathered cannot be taken back, nor a number of different ones be given.
    if current_setting('server_version_num')::integer < 180000 then
        return;
    end if;

    for one in select * from (values
        ('candidate_facts', array['fact']),
        ('candidate_turns', array['words']),
        ('decisions', array['fact', 'candidates', 'reason']),
        ('documents', array['body', 'fields']),
        ('embeddings', array['words']),
        ('entities', array['name', 'description', 'tags', 'search']),
        ('entity_aliases', array['alias', 'normalised', 'first_word', 'last_word', 'initials']),
        ('events', array['payload']),
        ('examples', array['mention', 'text']),
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
        ('traits', array['words']),
        ('turns', array['speaker', 'words']),
        ('vocabulary', array['lexeme'])
    ) as silent (relation, named), unnest(named) as columns (attribute)
    loop
        execute format('alter table mosshead.%I alter column %I set statistics 0', one.relation, one.attribute);
        perform pg_clear_attribute_stats('mosshead', one.relation, one.attribute, false);
    end loop;

    -- What is looked up by: how many different ones there are, and nothing of which. Without it Postgres takes them for 200.
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
