drop view mosshead_read_v1.scopes;
drop trigger scopes_after_insert on mosshead.embeddings;
drop trigger scopes_after_update on mosshead.embeddings;
drop trigger scopes_after_delete on mosshead.embeddings;
drop function mosshead.count_memories;
drop table mosshead.scopes;
do $$
declare
    one record;
begin
    for one in select indexname from pg_indexes where schemaname = 'mosshead' and indexname like 'embeddings\_of\_scope\_%' loop
        execute format('drop index mosshead.%I', one.indexname);
    end loop;
end
$$;
