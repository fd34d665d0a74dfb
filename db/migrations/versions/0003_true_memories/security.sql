-- As in the first version. A budget is no content, but its tenant's own: what looks at all of them goes tenant by tenant, as with usage.
do $$
declare
    content_table text;
begin
    foreach content_table in array array['memory_edges', 'decision_memories', 'budgets'] loop
        execute format('alter table mosshead.%I enable row level security', content_table);
        execute format('alter table mosshead.%I force row level security', content_table);
        execute format(
            'create policy of_tenant on mosshead.%I using (tenant_id = mosshead.current_tenant())', content_table);
    end loop;
end
$$;
