-- Row-level security: a row is seen and written only in a transaction that named its tenant.
--
-- Forced, so that the owner of the tables, as which the views read, is bound too. The tables that are not here hold ids, times, numbers
-- and reasons only; each says beside it why it has no policy.

do $$
declare
    content_table text;
begin
    foreach content_table in array array[
        'tenants', 'namespaces', 'events', 'refused', 'conversations', 'messages', 'summaries',
        'candidate_facts', 'candidate_turns', 'step_results',
        'memories', 'expansions', 'memory_sources', 'memory_edges', 'decisions', 'decision_memories',
        'entities', 'entity_aliases', 'memory_entities', 'relations', 'profiles', 'questions', 'examples', 'traits',
        'documents', 'prompts', 'prompt_feedback', 'reflections', 'reflection_batches',
        'embeddings', 'turns', 'vocabulary', 'erasures', 'tombstones', 'usage', 'budgets', 'api_tokens'
    ]
    loop
        execute format('alter table mosshead.%I enable row level security', content_table);
        execute format('alter table mosshead.%I force row level security', content_table);
        execute format(
            'create policy of_tenant on mosshead.%I using (tenant_id = mosshead.current_tenant())', content_table);
    end loop;
end
$$;

-- For mosshead_read_v1.holding alone, which asks for the tenant itself.
create policy of_words on mosshead.embeddings for select to mosshead_words using (true);
create policy of_words on mosshead.turns for select to mosshead_words using (true);

-- For mosshead_read_v1.has_api_tokens alone, which tells no more than that; nobody logs in as the owner.
create policy of_owner on mosshead.api_tokens for select to mosshead_owner using (true);

-- For mosshead.usage_within alone, which adds up numbers of all tenants.
create policy of_owner on mosshead.usage for select to mosshead_owner using (true);
